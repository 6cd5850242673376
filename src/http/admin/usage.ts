import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import { readCurrentDay, readDailyUsage } from '../../../projections/bulk-user-logs/usage-queries.ts'
import { OPERATIONS } from '../../domain/events.ts'
import { isId } from '../../domain/ids.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import { userOf } from '../access/authorize-user.ts'
import { assertStorable, parseTime, invalidQuery } from '../server/query-values.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366
const DAY_MS = 86_400_000

const UsageQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        format: 'date',
        description: `The first day (UTC). Default: ${DEFAULT_DAYS} days up to \`to\`.`,
      }),
    ),
    to: Type.Optional(Type.String({ format: 'date', description: 'The last day (UTC), inclusive. Default: today.' })),
    key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The API id of the key that made the calls.' }),
    ),
  },
  { additionalProperties: false },
)

const Count = Type.Integer({ minimum: 0 })
const Usage = Type.Object({
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
  items: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'The day (UTC) of the calls.' }),
      operation: Type.Unsafe<string>({ type: 'string', enum: [...OPERATIONS] }),
      status: Type.Unsafe<string>({ type: 'string', enum: ['Completed', 'Failed'] }),
      calls: Count,
      records: Type.Object({ total: Count, updated: Count, deactivated: Count, failed: Count, no_updates: Count }),
    }),
  ),
  next_cursor: Type.Null({ description: 'Always null: there is only one page.' }),
})

const SCHEMA = {
  operationId: 'getUsage',
  summary: 'Count create and update calls and their records by day, operation and outcome',
  description: `Covers at most ${MAX_DAYS} days. Days without calls are omitted.`,
  tags: ['Admin'],
  querystring: UsageQuery,
  response: { 200: Usage },
}

/** `GET /admin/v1/usage`: calls and records by day and outcome, from the sums in the read model. */
export function usage(app: FastifyInstance, reads: Reads): void {
  app.get<{ Querystring: Static<typeof UsageQuery> }>('/usage', { schema: SCHEMA }, async (request) => {
    const { key, ...days } = request.query
    assertStorable(request.query)
    if (key !== undefined && !isId('key', key)) throw invalidQuery('key', 'must be an API id')
    const { companyId } = userOf(request)
    const logs = await reads.of(companyId)
    const range = readRange(days, days.to === undefined ? await readCurrentDay(logs) : days.to)
    const ofKey = key === undefined ? range : { ...range, key }
    return { ...range, items: await readDailyUsage(logs, companyId, ofKey), next_cursor: null }
  })
}

/** Returns the range of `days` days that ends with `to`, inclusive. */
export function getLastDays(days: number, to: string): { from: string; to: string } {
  return { from: new Date(Date.parse(to) - (days - 1) * DAY_MS).toISOString().slice(0, 10), to }
}

function readRange({ from }: { from?: string }, to: string): { from: string; to: string } {
  const lastMs = Date.parse(parseTime('to', `${to}T00:00:00.000Z`))
  const first = parseTime('from', `${from ?? getLastDays(DEFAULT_DAYS, to).from}T00:00:00.000Z`)
  const days = (lastMs - Date.parse(first)) / DAY_MS + 1
  if (days < 1) throw invalidQuery('from', 'must not be after to')
  if (days > MAX_DAYS) throw invalidQuery('from', `must be at most ${MAX_DAYS - 1} days before to`)
  return { from: first.slice(0, 10), to }
}
