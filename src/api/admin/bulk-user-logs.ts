import type { FastifyInstance, FastifySchema, FastifyReply, FastifyRequest } from 'fastify'
import { listLogEntries, BULK_USER_LOGS, readNewestLogPosition } from '#projections/bulk-user-logs/queries'
import { listLogRecords } from '#projections/bulk-user-logs/records-queries'
import { readClientOf } from '#ledger/read/read-names'
import { isCorrected, readCorrection } from '#ledger/corrections/corrections'
import { readRejectedBody } from '#ledger/read/read-rejected-body'
import { readUndoings, type Undoing } from '#ledger/undo/undoings'
import type { Reads } from '#ledger/read/reads'
import { userOf } from '#http/access/authorize-user'
import { decodeCursor, encodeCursor, pageOf } from '#http/server/query-values'
import { whenGiven } from '#http/access/heavy-reads'
import { makeListSchema } from '#http/openapi/schema-parts'
import * as schemas from '#log/bulk-user-logs-schemas'
import { countInTime, toFoundCall, type RequireLogEntry } from '#log/log-entries'
import { renderRecords } from '#log/log-records'
import { Type, type Static } from '@sinclair/typebox'
import { readReached } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { createCompanyWatch } from '#http/live/position-waits'
import { followLive, type StreamLimits, type OpenStreams } from '#http/live/live-stream'
import { StreamQuery } from '#log/bulk-user-logs-schemas'

const LIST = {
  operationId: 'listBulkUserLogs',
  summary: 'List the entries of Bulk User Logs, newest first',
  description:
    'With `employee` or `q`, an answer may end before the page is full, and may even have no items, although ' +
    '`next_cursor` is set: the search has then read as many records as it may, and continues with the next page.',
  querystring: schemas.EntryListQuery,
  response: { 200: schemas.EntryList },
} satisfies FastifySchema

const GET = {
  operationId: 'getBulkUserLog',
  summary: 'Get one entry of Bulk User Logs',
  description: 'If the log does not have the entry of a call yet, the answer waits for it, for up to 10 seconds.',
  params: schemas.LogParams,
  problems: ['log_not_found'],
  response: { 200: schemas.EntrySchema },
} satisfies FastifySchema

const RECORDS = {
  operationId: 'listBulkUserLogRecords',
  summary: 'List the records of an entry, in the order of the call',
  description: 'What each record set or changed, with old and new values, or why it was refused.',
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.RecordListQuery,
  response: { 200: makeListSchema(schemas.RecordSchema) },
} satisfies FastifySchema

/** Bulk User Logs for administrators: the list, an entry, and the records of an entry. */
export function bulkUserLogs(
  app: FastifyInstance,
  { reads, requireLogEntry }: { reads: Reads; requireLogEntry: RequireLogEntry },
) {
  app.get(
    '/bulk-user-logs',
    { schema: LIST, config: { isHeavyRead: whenGiven(['q', 'employee']) } },
    async (request) => {
      const { limit, cursor, count: isCounted = false, ...filterQuery } = request.query
      const { companyId } = userOf(request)
      const before = cursor === undefined ? null : decodeCursor(cursor)
      const logs = await reads.of(companyId, request.left)
      const filter = schemas.readEntryFilter(filterQuery)
      const found = await listLogEntries(logs, companyId, filter, { before, limit, isCounted })
      const { entries, next } = found
      const page = { items: entries.map(({ entry }) => entry), next_cursor: next === null ? null : encodeCursor(next) }
      if (!isCounted) return page
      const total = found.count ?? (await countInTime(reads, companyId, filter, null))
      return { ...page, total: total && { count: total.count, is_more: total.isMore } }
    },
  )

  app.get('/bulk-user-logs/:log_id', { schema: GET }, async (request) => {
    const { companyId } = userOf(request)
    const logs = await reads.of(companyId, request.left)
    const logEntry = await requireLogEntry(logs, companyId, request.params.log_id)
    const client = await readClientOf(logs, companyId, logEntry.position)
    const { id, status } = logEntry.entry
    const correction = await readCorrection(logs, companyId, toFoundCall(logEntry))
    const undoings = status === 'Failed' ? [] : await readUndoings(logs, companyId, id)
    return {
      ...logEntry.entry,
      undone_by: undoings.map(renderUndoing),
      corrected_by: correction?.by ?? [],
      correction: correction && {
        state: isCorrected(correction) ? ('corrected' as const) : ('partly_corrected' as const),
        applied: correction.applied,
        total: correction.total,
      },
      rejected_body: await readRejectedBody(logs, companyId, logEntry.position),
      client: client && { address: client.address, user_agent: client.userAgent },
    }
  })

  app.get(
    '/bulk-user-logs/:log_id/records',
    { schema: RECORDS, config: { isHeavyRead: whenGiven(['q', 'error']) } },
    async (request) => {
      const { limit, cursor, ...query } = request.query
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(query)
      const after = cursor === undefined ? -1 : decodeCursor(cursor)
      const logs = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(logs, companyId, request.params.log_id)
      const records = await listLogRecords(logs, companyId, entry, filter, { after, limit: limit + 1 })
      const items = await renderRecords(logs, companyId, records.slice(0, limit))
      const { next_cursor } = pageOf(records, items.length, ({ index }) => index ?? 0)
      return { items, next_cursor }
    },
  )
}

function renderUndoing({ id, isWhole, isUndone }: Undoing) {
  return { id, state: isWhole ? ('undone' as const) : ('partly_undone' as const), is_undone: isUndone }
}

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
    'Each new entry is one event: `data` is the entry as in the list, `id` is its cursor. The stream starts after ' +
    'the event in `Last-Event-ID`, else after `cursor`, else with new entries. It ends from time to time, and when ' +
    'the user loses access: reconnect with the last id. Comments are heartbeats.',
  querystring: StreamQuery,
  response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: Type.String() } } } },
} satisfies FastifySchema

type StreamRequest = FastifyRequest<{ Querystring: Static<typeof StreamQuery> }>

/** `GET /admin/v1/bulk-user-logs/stream`. @fastify/sse must be registered before. */
export function bulkUserLogsStream(
  app: FastifyInstance,
  { access, reads, limits, streams, authorize, companiesTogether }: StreamServices,
) {
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
async function findStart(reads: Reads, request: StreamRequest) {
  const lastId = request.headers['last-event-id']
  if (typeof lastId === 'string' && lastId !== '') return decodeCursor(lastId, 'header Last-Event-ID')
  const { cursor } = request.query
  if (cursor !== undefined) return decodeCursor(cursor)
  const { companyId } = userOf(request)
  return readNewestLogPosition(await reads.of(companyId), companyId)
}
