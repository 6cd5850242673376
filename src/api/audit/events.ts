import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifySchema, FastifyRequest, FastifyReply } from 'fastify'
import { type Static, Type } from '@sinclair/typebox'
import { STREAM_PREFIXES } from '#domain/event-types'
import { isId } from '#domain/ids'
import { exportPages, formatProofLine } from '#ledger/read/export-pages'
import { formatEventLine, toAuditedEvent } from '#ledger/read/event-line'
import { findLastPositionBefore, findPositionsOfCall, readHead, readPositions } from '#ledger/read/read-head'
import { storedEventPages, type WantedEvents } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import { userOf } from '#http/access/authorize-user'
import { STREAMED_ROUTE } from '#http/access/heavy-reads'
import { assertStorable, parseTime, invalidQuery } from '#http/server/query-values'
import { streamTexts } from '#http/server/text-stream'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, AuditEvent, EventsQuery, ProofEvent, readFollowFilter, StreamQuery } from './event-schemas.ts'
import { createCompanyWatch } from '#http/live/position-waits'
import { followLive, type LiveEvents } from '#http/live/live-stream'
import { problemError } from '#http/server/problem'
import { chooseEncoding } from '#http/server/compression'
import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

type Query = Static<typeof EventsQuery>

/** OpenAPI 3.1 has no form for lines, so the body is text, and `contentSchema` says what one line contains. */
const LINES = {
  type: 'string',
  contentMediaType: 'application/x-ndjson',
  contentSchema: { anyOf: [AuditEvent, ProofEvent] },
  description:
    'One JSON object per line, each ended by a line feed: an `AuditEvent`, or with `format=proof` a `ProofEvent`.',
}

const LIST = {
  operationId: 'streamEvents',
  summary: "Read the company's events in the order of the ledger",
  description:
    'One event per line (NDJSON), streamed as it is read, and compressed with gzip if `Accept-Encoding` asks for it. ' +
    'Filters do not change positions: resume after any event with `after`. If the response cannot be completed, the ' +
    'connection breaks. An unfiltered export in the proof format includes the events that erased data while it ' +
    'was read, so that missing data is explained.',
  querystring: EventsQuery,
  response: {
    200: {
      description: 'The events; may be empty.',
      content: { 'application/x-ndjson': { schema: LINES } },
    },
  },
} satisfies FastifySchema

/** `GET /audit/v1/events`: the events of the company, one per line. */
export function events(app: FastifyInstance, { reads, authorize }: AuditServices) {
  app.get('/events', { ...STREAMED_ROUTE, schema: LIST }, async (request, reply) => {
    const { companyId } = userOf(request)
    const db = await reads.of(companyId, request.left)
    const filter = await readFilter(db, companyId, request.query)
    const isExport = request.query.format === 'proof' && isUnfiltered(request.query)
    const pages = isExport
      ? exportPages(db, companyId, filter)
      : storedEventPages(db, companyId, filter, request.query.limit)
    const toLine = request.query.format === 'proof' ? formatProofLine : formatEventLine
    const texts = renderPages(pages, toLine)
    return sendLines(request, reply, await streamTexts({ request, reply, authorize }, texts))
  })
}

/** Whether the query asks for everything after a position. */
function isUnfiltered(query: Query) {
  return Object.keys(query).every((name) => name === 'format' || name === 'after')
}

/** Turns times and calls into ranges of positions. */
async function readFilter(db: LedgerDb, companyId: string, query: Query): Promise<WantedEvents> {
  const filter = readFollowFilter(query)
  const { after = 0, call, stream, actor, q: text } = query
  if (call !== undefined && !isId('log', call)) throw invalidQuery('call', 'must be a call id')
  if (stream !== undefined && !STREAM_PREFIXES.some((prefix) => prefix !== 'log' && isId(prefix, stream)))
    throw invalidQuery('stream', 'must be the id of an employee, API key, webhook, identity provider, user, or company')
  if (stream !== undefined && filter.stream !== undefined)
    throw invalidQuery('stream', 'cannot be combined with employee')
  assertStorable(query)
  const from = query.from === undefined ? null : parseTime('from', query.from)
  const to = query.to === undefined ? null : parseTime('to', query.to)
  const { position: head } = await readHead(db, companyId)
  assertNotBeyond('after', after, head)
  const lastBefore = (time: string) => findLastPositionBefore(db, companyId, head, time, { inclusive: false })
  const whole = { first: 1, last: head }
  const { first, last } =
    call === undefined ? whole : ((await findPositionsOfCall(db, companyId, head, call)) ?? NOWHERE)
  return {
    ...filter,
    actor,
    text,
    ...omitUndefined({ stream }),
    after: Math.max(after, first - 1, from === null ? 0 : await lastBefore(from)),
    upTo: Math.min(last, to === null ? head : await lastBefore(to)),
  }
}

const NOWHERE = { first: 1, last: 0 }

/** Renders each page as one text. */
async function* renderPages<Event>(
  pages: AsyncIterable<Event[]>,
  toLine: (event: Event) => string,
): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(toLine).join('')
}

const POLL_MS = 500
const EVENTS_AT_ONCE = 100

const SCHEMA = {
  operationId: 'followEvents',
  summary: "Follow the company's events live (server-sent events)",
  description:
    'Each message is one event: `data` is the event as in the list, `id` is its position. The stream starts after ' +
    'the position in `Last-Event-ID`, else after `after`, else with new events. It ends from time to time, and when ' +
    'the user loses access: reconnect with the last id. Comments also advance the id while filters exclude events.',
  querystring: StreamQuery,
  response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: Type.String() } } } },
} satisfies FastifySchema

/** `GET /audit/v1/events/stream`. @fastify/sse must be registered before. */
export function eventsStream(
  app: FastifyInstance,
  { access, reads, limits, streams, authorize, companiesTogether }: AuditServices,
) {
  const watch = createCompanyWatch((companyIds) => readPositions(access, companyIds), {
    intervalMs: POLL_MS,
    companiesTogether,
    onError: (error) => app.log.warn({ err: error }, 'could not watch the ledger; retrying'),
  })
  app.get(
    '/events/stream',
    // It sends its own heartbeats, each of which also checks the user's rights. HEAD would never end.
    { sse: { kind: 'manual', heartbeat: false }, exposeHeadRoute: false, schema: SCHEMA },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = readFollowFilter(request.query)
      const readAfter = async (position: number): Promise<LiveEvents> => {
        const current = await reads.of(companyId)
        const { position: upTo } = await readHead(current, companyId)
        for await (const page of storedEventPages(
          current,
          companyId,
          { ...filter, after: position, upTo },
          EVENTS_AT_ONCE,
        )) {
          const events = page.map((event) => ({ position: event.position, data: toAuditedEvent(event) }))
          return { events, reached: page.at(-1)!.position, isMore: true }
        }
        return { events: [], reached: upTo, isMore: false }
      }
      const listen = (onMoved: () => void) => watch.listen(companyId, onMoved)
      await streams.run(userOf(request), reply, async (stopping) => {
        const { position: head } = await readHead(access, companyId)
        const start = findStart(request, head)
        await followLive({ readAfter, listen, idOf: String, authorize }, limits, { request, reply, start, stopping })
      })
    },
  )
}

/** Finds the position after which a stream starts. */
function findStart(request: FastifyRequest<{ Querystring: Static<typeof StreamQuery> }>, head: number) {
  const lastId = request.headers['last-event-id']
  if (typeof lastId === 'string' && lastId !== '') return parseLastEventId(lastId, head)
  const { after = head } = request.query
  assertNotBeyond('after', after, head)
  return after
}

function parseLastEventId(lastId: string, head: number) {
  const position = /^(?:0|[1-9][0-9]{0,14})$/.test(lastId) ? Number(lastId) : Number.NaN
  if (position <= head) return position
  throw problemError('invalid_query', 'The header Last-Event-ID is not a position in the ledger')
}

/**
 * Sends lines of JSON (application/x-ndjson), compressed if the client asks for it. An error breaks the connection, so
 * the client notices that the response is incomplete.
 */
function sendLines(request: FastifyRequest, reply: FastifyReply, lines: Readable) {
  void reply.type('application/x-ndjson').header('vary', 'accept-encoding')
  if (!chooseEncoding(request, ['gzip'])) return reply.send(lines)
  return reply.header('content-encoding', 'gzip').send(compress(lines))
}

/** Compresses lines with gzip and flushes every chunk. An error of either stream destroys both. */
export function compress(lines: Readable): Readable {
  return pipeline(lines, createGzip({ flush: constants.Z_SYNC_FLUSH }), () => undefined)
}
