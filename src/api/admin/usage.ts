import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { readPeopleChanges, sumPeople } from '#projections/employees/count-people'
import { readDailyUsage } from '#projections/bulk-user-logs/usage-queries'
import { readCompany } from '#accounts/companies/companies'
import { OPERATION_NAMES } from '#domain/operations'
import { isId } from '#domain/ids'
import { DAY_MS, formatLocalDay, listDaysUpTo, shiftDay } from '#domain/local-times'
import type { LedgerDb } from '#ledger/tables'
import type { Reads } from '#ledger/read/reads'
import { databaseTimeMs } from '#postgres/database-clock'
import { userOf } from '#http/access/authorize-user'
import {
  Count,
  oneOf,
  optionalBoolean,
  optionalString,
  strictObject,
  withDefault,
  text,
} from '#http/openapi/schema-parts'
import { assertStorable, parseTime, invalidQuery } from '#http/server/query-values'

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

const UsageQuery = strictObject({
  from: optionalString({
    format: 'date',
    description: `The first day. Default: ${DEFAULT_DAYS} days up to \`to\`.`,
  }),
  to: optionalString({ format: 'date', description: 'The last day, inclusive. Default: today.' }),
  key: optionalString({ minLength: 1, maxLength: 64, description: 'The API id of the key that made the calls.' }),
  days_in: withDefault(oneOf(['utc', 'company'], "The time zone of the days: UTC, or the company's."), 'utc'),
  previous: optionalBoolean({ description: 'Whether to add the usage of the same number of days before `from`.' }),
})

const UsageOfDays = {
  from: Type.String({ format: 'date' }),
  to: Type.String({ format: 'date' }),
  items: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', description: 'The day of the calls.' }),
      operation: oneOf(OPERATION_NAMES),
      status: oneOf(['Completed', 'Failed']),
      calls: Count,
      records: Type.Object({ total: Count, updated: Count, deactivated: Count, failed: Count, no_updates: Count }),
    }),
  ),
}
const Usage = Type.Object({
  ...UsageOfDays,
  time_zone: text('The time zone of the days.'),
  previous: Type.Optional(
    Type.Object(UsageOfDays, { description: 'The same number of days before. Only with `previous=true`.' }),
  ),
  next_cursor: Type.Null({ description: 'Always null: there is only one page.' }),
})

const SCHEMA = {
  operationId: 'getUsage',
  summary: 'Count create and update calls and their records by day, operation and outcome',
  description: `Covers at most ${MAX_DAYS} days. Days without calls are omitted.`,
  querystring: UsageQuery,
  response: { 200: Usage },
} satisfies FastifySchema

/** `GET /admin/v1/usage`: calls and records by day and outcome, from the sums in the read model. */
export function usage(app: FastifyInstance, reads: Reads) {
  app.get('/usage', { schema: SCHEMA }, async (request) => {
    const { key, days_in: daysIn, previous, ...range } = request.query
    assertStorable(request.query)
    if (key !== undefined && !isId('key', key)) throw invalidQuery('key', 'must be an API id')
    const { companyId } = userOf(request)
    const logs = await reads.of(companyId)
    const timeZone = await readTimeZone(logs, companyId, daysIn)
    const { from, to, count } = readRange(range, getToday(timeZone))
    const read = async (last: string) => {
      const days = listDaysUpTo(last, count, timeZone)
      const items = await readDailyUsage(logs, companyId, { days, ...omitUndefined({ key }) })
      return { from: days[0]!.day, to: last, items }
    }
    return {
      ...(await read(to)),
      time_zone: timeZone,
      ...(previous ? { previous: await read(shiftDay(from, -1)) } : {}),
      next_cursor: null,
    }
  })
}

const { from, to, days_in } = UsageQuery.properties
const PeopleQuery = strictObject({ from, to, days_in })

const PEOPLE_SCHEMA = {
  operationId: 'countPeople',
  summary: 'Count people by status at the end of each day',
  description: `Covers at most ${MAX_DAYS} days. People who have been erased are not counted, nor on any day before.`,
  querystring: PeopleQuery,
  response: {
    200: Type.Object({
      items: Type.Array(Type.Object({ day: Type.String({ format: 'date' }), active: Count, inactive: Count })),
      time_zone: text('The time zone of the days.'),
      next_cursor: Type.Null({ description: 'Always null: there is only one page.' }),
    }),
  },
} satisfies FastifySchema

/** `GET /admin/v1/employees/by-day`: how many people were active and inactive. */
export function peopleByDay(app: FastifyInstance, reads: Reads) {
  app.get('/employees/by-day', { schema: PEOPLE_SCHEMA }, async (request) => {
    const { days_in: daysIn, ...range } = request.query
    const { companyId } = userOf(request)
    const db = await reads.of(companyId)
    const timeZone = await readTimeZone(db, companyId, daysIn)
    const { to, count } = readRange(range, getToday(timeZone))
    const days = listDaysUpTo(to, count, timeZone)
    const changes = await readPeopleChanges(db, companyId, new Date(days[0]!.from).toISOString())
    const past = days.filter(({ from }) => from <= databaseTimeMs())
    const items = sumPeople(changes, past).map(({ slot: { day }, ...people }) => ({ day, ...people }))
    return { items, time_zone: timeZone, next_cursor: null }
  })
}

async function readTimeZone(db: LedgerDb, companyId: string, daysIn: 'utc' | 'company') {
  return daysIn === 'company' ? (await readCompany(db, companyId)).timeZone : 'UTC'
}

/** The current day (YYYY-MM-DD) of a time zone by the database's clock. */
export function getToday(timeZone: string): string {
  return formatLocalDay(databaseTimeMs(), timeZone)
}

/** Reads the range that a query selects, both ends inclusive, and counts its days. */
function readRange(query: { from?: string; to?: string }, today: string) {
  const { to = today } = query
  const lastMs = Date.parse(parseTime('to', `${to}T00:00:00.000Z`))
  const { from = shiftDay(to, 1 - DEFAULT_DAYS) } = query
  const count = (lastMs - Date.parse(parseTime('from', `${from}T00:00:00.000Z`))) / DAY_MS + 1
  if (count < 1) throw invalidQuery('from', 'must not be after to')
  if (count > MAX_DAYS) throw invalidQuery('from', `must be at most ${MAX_DAYS - 1} days before to`)
  return { from, to, count }
}
