import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import type { EntryFilter } from '../../../projections/bulk-user-logs-queries.ts'
import { findLogEntry, listLogEntries, listLogRecords } from '../../../projections/bulk-user-logs-queries.ts'
import { problem } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { userOf } from '../authorize-user.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { ProblemError } from '../problem.ts'
import { showRecords } from './log-records.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

const Page = {
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
}
const ListQuery = Type.Object(
  { ...Page, status: Type.Optional(Type.Union([Type.Literal('Completed'), Type.Literal('Failed')])) },
  { additionalProperties: false },
)
const RecordsQuery = Type.Object(Page, { additionalProperties: false })
const NoQuery = Type.Object({}, { additionalProperties: false })

interface LogParams {
  Params: { id: string }
}

/** Bulk User Logs for administrators: the list, one entry, the records of an entry. */
export function bulkUserLogs(app: FastifyInstance, db: Kysely<LedgerTables>): void {
  const logs = db as unknown as Kysely<unknown>

  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/bulk-user-logs',
    { schema: { querystring: ListQuery } },
    async (request) => {
      const { limit, cursor, status } = request.query
      // One more than asked for tells whether there is a next page.
      const filter: EntryFilter = { limit: limit + 1 }
      if (status !== undefined) filter.status = status
      if (cursor !== undefined) filter.before = decodeCursor(cursor)
      const found = await listLogEntries(logs, userOf(request).companyId, filter)
      const shown = found.slice(0, limit)
      return {
        items: shown.map(({ entry }) => entry),
        next_cursor: found.length > limit ? encodeCursor(shown.at(-1)!.position) : null,
      }
    },
  )

  app.get<LogParams>('/bulk-user-logs/:id', { schema: { querystring: NoQuery } }, async (request) => {
    const { entry } = await findEntry(logs, userOf(request).companyId, request.params.id)
    return entry
  })

  app.get<LogParams & { Querystring: Static<typeof RecordsQuery> }>(
    '/bulk-user-logs/:id/records',
    { schema: { querystring: RecordsQuery } },
    async (request) => {
      const { limit, cursor } = request.query
      const { companyId } = userOf(request)
      const { position } = await findEntry(logs, companyId, request.params.id)
      const after = cursor === undefined ? -1 : decodeCursor(cursor)
      const found = await listLogRecords(logs, companyId, position, { after, limit: limit + 1 })
      const page = found.slice(0, limit)
      return {
        items: await showRecords(db, companyId, page),
        next_cursor: found.length > limit ? encodeCursor(page.at(-1)!.ordinal) : null,
      }
    },
  )
}

/** Another company's entry is answered exactly like one that does not exist. */
async function findEntry(logs: Kysely<unknown>, companyId: string, id: string) {
  const found = isId('log', id) ? await findLogEntry(logs, companyId, id) : null
  if (!found) throw new ProblemError(problem('log_not_found', 'the company has no such log entry'))
  return found
}
