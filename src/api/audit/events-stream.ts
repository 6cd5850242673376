import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { toAuditedEvent } from '../../ledger/read/event-line.ts'
import { problem } from '../../domain/errors.ts'
import { readHead, readPositions } from '../../ledger/read/read-head.ts'
import { storedEventPages } from '../../ledger/read/read-stored-events.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { createCompanyWatch } from '../../http/live/company-watch.ts'
import { followLive, type LiveEvents } from '../../http/live/live-stream.ts'
import { ProblemError } from '../../http/server/problem.ts'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, readFollowFilter, StreamQuery } from './event-schemas.ts'

type Query = Static<typeof StreamQuery>

const POLL_MS = 500
const EVENTS_AT_ONCE = 100

const SCHEMA = {
  operationId: 'followEvents',
  summary: "Follow the company's events live (server-sent events)",
  description:
    'Each message is one event: `data` is the event as in the list, `id` is its position. The stream starts after the ' +
    'position in `Last-Event-ID`, else after `after`, else with new events. It ends from time to time, and when the user ' +
    'loses access: reconnect with the last id. Comments also advance the id while filters exclude events.',
  querystring: StreamQuery,
  response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: Type.String() } } } },
} as const satisfies FastifySchema

/** `GET /audit/v1/events/stream`. @fastify/sse must be registered before. */
export function eventsStream(
  app: FastifyInstance,
  { access, reads, limits, streams, authorize, companiesTogether }: AuditServices,
): void {
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
function findStart(request: FastifyRequest<{ Querystring: Query }>, head: number): number {
  const lastId = request.headers['last-event-id']
  if (typeof lastId === 'string' && lastId !== '') return parseLastEventId(lastId, head)
  const { after = head } = request.query
  assertNotBeyond('after', after, head)
  return after
}

function parseLastEventId(lastId: string, head: number): number {
  const position = /^(?:0|[1-9][0-9]{0,14})$/.test(lastId) ? Number(lastId) : Number.NaN
  if (position <= head) return position
  throw new ProblemError(problem('invalid_query', 'The header Last-Event-ID is not a position in the ledger'))
}
