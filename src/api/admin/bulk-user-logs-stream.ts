import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { BULK_USER_LOGS, listLogEntries, readNewestLogPosition } from '../../../projections/bulk-user-logs/queries.ts'
import { readReached } from '../../ledger/read/read-progress.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { decodeCursor, encodeCursor } from '../../http/server/cursor.ts'
import { createCompanyWatch } from '../../http/live/company-watch.ts'
import { followLive, type StreamLimits } from '../../http/live/live-stream.ts'
import type { OpenStreams } from '../../http/live/open-streams.ts'
import { StreamQuery } from '../../log/bulk-user-logs-schemas.ts'

interface StreamServices {
  /** The primary, which one query watches for all companies. */
  access: LedgerDb
  reads: Reads
  limits: StreamLimits
  streams: OpenStreams
  companiesTogether?: number | undefined
  /** Throws if the user of the request may not, or may no longer, see the log. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const POLL_MS = 500
const ENTRIES_AT_ONCE = 100

const SCHEMA = {
  operationId: 'streamBulkUserLogs',
  summary: 'Follow Bulk User Logs live (server-sent events)',
  description:
    'Each new entry is one event: `data` is the entry as in the list, `id` is its cursor. The stream starts after the ' +
    'event in `Last-Event-ID`, else after `cursor`, else with new entries. It ends from time to time, and when the user ' +
    'loses access: reconnect with the last id. Comments are heartbeats.',
  querystring: StreamQuery,
  response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: Type.String() } } } },
} as const satisfies FastifySchema

type StreamRequest = FastifyRequest<{ Querystring: Static<typeof StreamQuery> }>

/** `GET /admin/v1/bulk-user-logs/stream`. @fastify/sse must be registered before. */
export function bulkUserLogsStream(
  app: FastifyInstance,
  { access, reads, limits, streams, authorize, companiesTogether }: StreamServices,
): void {
  const watch = createCompanyWatch((companyIds) => readReached(access, companyIds, BULK_USER_LOGS), {
    intervalMs: POLL_MS,
    companiesTogether,
    onError: (error) => app.log.warn({ err: error }, 'could not watch the log; retrying'),
  })
  app.get(
    '/bulk-user-logs/stream',
    // It sends its own heartbeats, each of which also checks the user's rights. HEAD would never end.
    { sse: { kind: 'manual', heartbeat: false }, exposeHeadRoute: false, schema: SCHEMA },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const readAfter = async (position: number) => {
        const logs = await reads.of(companyId)
        const page = { after: position, limit: ENTRIES_AT_ONCE }
        const { entries, next } = await listLogEntries(logs, companyId, {}, page)
        const events = entries.map(({ position, entry }) => ({ position, data: entry }))
        return { events, reached: events.at(-1)?.position ?? position, isMore: next !== null }
      }
      const listen = (onMoved: () => void) => watch.listen(companyId, onMoved)
      await streams.run(userOf(request), reply, async (stopping) => {
        const start = await findStart(reads, request)
        await followLive({ readAfter, listen, idOf: encodeCursor, authorize }, limits, {
          request,
          reply,
          start,
          stopping,
        })
      })
    },
  )
}

/** Finds the position after which a stream starts. */
async function findStart(reads: Reads, request: StreamRequest): Promise<number> {
  const lastId = request.headers['last-event-id']
  if (typeof lastId === 'string' && lastId !== '') return decodeCursor(lastId, 'header Last-Event-ID')
  const { cursor } = request.query
  if (cursor !== undefined) return decodeCursor(cursor)
  const { companyId } = userOf(request)
  return readNewestLogPosition(await reads.of(companyId), companyId)
}
