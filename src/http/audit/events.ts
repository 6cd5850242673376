import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Static } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { isId } from '../../domain/ids.ts'
import { exportPages } from '../../ledger/read/export-pages.ts'
import { eventLine } from '../../ledger/read/event-line.ts'
import { lastPositionBefore, positionsOfCall } from '../../ledger/read/find-position.ts'
import { proofLine } from '../../ledger/read/proof-line.ts'
import { readHead } from '../../ledger/read/read-head.ts'
import type { StoredEvent, WantedEvents } from '../../ledger/read/read-stored-events.ts'
import { storedEventPages } from '../../ledger/read/read-stored-events.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { userOf } from '../access/authorize-user.ts'
import { ALWAYS } from '../access/heavy-reads.ts'
import { instant, invalidQuery } from '../server/query-values.ts'
import { streamTexts } from '../server/text-stream.ts'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, AuditEvent, EventsQuery, ProofEvent, readFollowFilter } from './event-schemas.ts'
import { sendLines } from './send-lines.ts'

type Query = Static<typeof EventsQuery>

const LIST: FastifySchema = {
  operationId: 'streamEvents',
  summary: "Read the company's events in the order of the ledger",
  description:
    'One event a line (NDJSON), streamed while it is read; compressed with gzip where `Accept-Encoding` asks for it. An ' +
    'event keeps its position whatever filters are given: go on behind any of them with `after`. An answer that could ' +
    'not be finished ends with a broken connection, never in good order. The whole ledger in the proof format ends behind ' +
    'the last event that erased data while it was read: what it lacks is explained in it.',
  tags: ['Audit'],
  querystring: EventsQuery,
  response: {
    200: {
      description: 'Events, or none at all.',
      content: { 'application/x-ndjson': { schema: { anyOf: [AuditEvent, ProofEvent] } } },
    },
  },
}

/** `GET /audit/v1/events`: the events of the company, as lines. */
export function events(app: FastifyInstance, { reads, authorize }: AuditServices): void {
  app.get<{ Querystring: Query }>(
    '/events',
    // HEAD would read all that GET does, only to throw it away.
    { exposeHeadRoute: false, schema: LIST, config: { isHeavyRead: ALWAYS } },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const db = await reads.of(companyId)
      const wanted = await readFilter(db, companyId, request.query)
      const isExport = request.query.format === 'proof' && isUnfiltered(request.query)
      const pages = isExport
        ? exportPages(db, companyId, wanted)
        : storedEventPages(db, companyId, wanted, request.query.limit)
      const toLine = request.query.format === 'proof' ? proofLine : eventLine
      const texts = textsOf(pages, toLine)
      return sendLines(request, reply, await streamTexts({ request, reply, authorize }, texts))
    },
  )
}

/** Whether all that stands behind a position is asked for. */
function isUnfiltered(query: Query): boolean {
  return Object.keys(query).every((name) => name === 'format' || name === 'after')
}

/** Turns the filters into positions: times and calls are stretches of the ledger. */
async function readFilter(db: Kysely<LedgerTables>, companyId: string, query: Query): Promise<WantedEvents> {
  const filter = readFollowFilter(query)
  const { after = 0, call } = query
  if (call !== undefined && !isId('log', call)) throw invalidQuery('call', 'must be the id of a call')
  const from = query.from === undefined ? null : instant('from', query.from)
  const to = query.to === undefined ? null : instant('to', query.to)
  const { position: head } = await readHead(db, companyId)
  assertNotBeyond('after', after, head)
  const lastBefore = (time: string) => lastPositionBefore(db, companyId, head, time, { inclusive: false })
  const whole = { first: 1, last: head }
  const { first, last } = call === undefined ? whole : ((await positionsOfCall(db, companyId, head, call)) ?? NOWHERE)
  return {
    ...filter,
    after: Math.max(after, first - 1, from === null ? 0 : await lastBefore(from)),
    upTo: Math.min(last, to === null ? head : await lastBefore(to)),
  }
}

const NOWHERE = { first: 1, last: 0 }

/** One text for each page. */
async function* textsOf(
  pages: AsyncIterable<StoredEvent[]>,
  toLine: (event: StoredEvent) => string,
): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(toLine).join('')
}
