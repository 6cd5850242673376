import { sql, type Transaction } from 'kysely'
import { digestPerson } from '#domain/employees/person-digest'
import { formatField, isRecordErrorCode, pointInto } from '#domain/errors'
import type { EventData, RecordedEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { divide, eachInPieces, mapInPieces, type Pieces } from '#domain/pieces'
import { onlyCompany } from '#postgres/pool'
import { type DoPieces, insertRows, time, unnestedRows, uuid, word } from '#projections/projection'
import { findNames, readHashKeys, type FoundBy } from './rejected-names.ts'
import { startOfHour } from '#domain/local-times'
import { BULK_USER_LOG_TABLES, type BulkUserLogTables } from './tables.ts'

/*
 * Why records were refused, across calls. Each error of a record is a row, and the rows are summed by hour, key and
 * cause, so that reading the causes of a period costs the same for any number of records. A row goes when the data of its
 * event are erased, and when a file has corrected its record. Then the sums of its hour are computed again without the
 * record. Calls of users are left out: they see what comes of them.
 */

type Rows = BulkUserLogTables
type RefusedError = Rows['refused_errors']
type Sums = Rows['refusals_by_hour']
type Group = Pick<Sums, 'company_id' | 'hour' | 'key_id' | 'code' | 'field' | 'kind'>

/** What refused records have in common. */
export type RefusalCause = Pick<RefusedError, 'code' | 'field' | 'kind'>

/** An error before its person is digested. */
type NewError = Omit<RefusedError, 'person'> & { person: string | null }

/** The errors whose records collide with others: what collides tells what to do. */
const CONFLICTS = new Set(['already_exists', 'inactive_employee_exists', 'duplicate_in_batch'])

type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

/** Some events of a call. */
interface CallEvents {
  companyId: string
  events: readonly RecordedEvent[]
  closing: Closing
}

/** Lists the errors of the refused records among events of calls. */
export function* listErrors(parts: readonly CallEvents[]): Pieces<NewError[]> {
  const refused = parts.flatMap(({ companyId, events, closing: { data } }) =>
    data?.key
      ? events
          .filter((event) => event.type === 'EmployeeRecordRejected')
          .map((event) => ({
            event,
            of: { company_id: companyId, requested_at: data.requested_at, key_id: data.key!.id },
          }))
      : [],
  )
  const errors = yield* mapInPieces(
    refused,
    ({ event: { position, index, data }, of }) => {
      if (!data) return []
      const person = choosePerson(findNames(data))
      // The other errors are about the whole call.
      const causes = data.errors.filter(({ code }) => isRecordErrorCode(code)).map((error) => findCause(error, index))
      const byName = new Map(causes.map((cause) => [Object.values(cause).join(' '), cause]))
      return [...byName.values()].map((cause) => ({ ...of, position, person, ...cause }))
    },
    1,
  )
  return errors.flat()
}

/** The name that tells best whom a record is about. The others are more often what is wrong with it. */
function choosePerson(names: readonly FoundBy[]): FoundBy | null {
  const isOf = (kind: string) => (name: FoundBy) => name.startsWith(`${kind}:`)
  return names.find(isOf('id')) ?? names.find(isOf('external_id')) ?? names.find((name) => !isOf('code')(name)) ?? null
}

/** What an error of the record at an index has in common with others. */
export function findCause(
  { code, pointer, params }: EventData['EmployeeRecordRejected']['errors'][number],
  index: number | null,
): RefusalCause {
  const kind = CONFLICTS.has(code) ? (params?.kind ?? '') : ''
  return { code, field: formatField(pointInto(pointer, index)), kind }
}

/** The errors of one statement. Those of a usual call are fewer. */
const ERRORS_AT_ONCE = 2_000

/** Inserts errors, and adds them to their sums. */
export async function addErrors(
  transaction: Transaction<unknown>,
  schema: string,
  errors: readonly NewError[],
  doPieces: DoPieces,
) {
  if (errors.length === 0) return
  const hashKeys = await readHashKeys(transaction, [...new Set(errors.map((error) => error.company_id))])
  const digest = ({ person, ...error }: NewError) => ({
    ...error,
    person: person === null ? null : digestPerson(hashKeys.get(error.company_id)!, person),
  })
  const rows = await doPieces(mapInPieces(errors, digest))
  const { refused_errors, refusals_by_hour } = BULK_USER_LOG_TABLES
  for (const some of divide(rows, ERRORS_AT_ONCE))
    await insertRows(sql.id(schema, 'refused_errors'), refused_errors.columns, some).execute(transaction)
  const sums = await doPieces(sumErrors(rows))
  const known = await readSketches(transaction, schema, sums)
  const merge = (sum: Sums) => ({ ...sum, people: mergeSketches([sum.people, ...(known.get(nameGroup(sum)) ?? [])]) })
  const merged = await doPieces(mapInPieces(sums, merge))
  // In the order of their keys, so that concurrent folds do not deadlock.
  await sql`${insertRows(sql`${sql.id(schema, 'refusals_by_hour')} as h`, refusals_by_hour.columns, merged)}
    order by company_id, hour, key_id, code, field, kind
    on conflict (company_id, hour, key_id, code, field, kind) do update set
      records = h.records + excluded.records, people = excluded.people,
      first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at)`.execute(
    transaction,
  )
}

/** Sums errors. */
function* sumErrors(rows: readonly RefusedError[]): Pieces<Sums[]> {
  const groups = new Map<string, RefusedError[]>()
  yield* eachInPieces(rows, (row) => {
    const name = nameGroup({ ...row, hour: startOfHour(row.requested_at) })
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [row])
  })
  return yield* mapInPieces([...groups.values()], (group) => {
    const { company_id, requested_at, key_id, code, field, kind } = group[0]!
    const times = group.map((row) => row.requested_at).toSorted()
    return {
      company_id,
      hour: startOfHour(requested_at),
      key_id,
      code,
      field,
      kind,
      records: group.length,
      first_at: times[0]!,
      last_at: times.at(-1)!,
      people: mergeSketches(group.flatMap(({ person }) => person ?? [])),
    }
  })
}

function nameGroup({ company_id, hour, key_id, code, field, kind }: Group) {
  return [company_id, hour, key_id, code, field, kind].join(' ')
}

const GROUP_COLUMNS = { company_id: uuid, hour: time, key_id: uuid, code: word(), field: word(), kind: word() }

/** The condition that a row `h` of sums is of one of these groups, which are selected as `r`. */
const IS_OF_GROUP = sql.raw(
  Object.keys(GROUP_COLUMNS)
    .map((name) => `h.${name} = r.${name}`)
    .join(' and '),
)

async function readSketches(
  transaction: Transaction<unknown>,
  schema: string,
  groups: readonly Group[],
): Promise<Map<string, Buffer[]>> {
  const only = onlyCompany(groups.map((group) => ({ companyId: group.company_id })))
  const { rows } = await sql<Group & Pick<Sums, 'people'>>`select h.company_id, h.hour, h.key_id, h.code, h.field,
      h.kind, h.people
    from ${unnestedRows(GROUP_COLUMNS, groups)} join ${sql.id(schema, 'refusals_by_hour')} h on ${IS_OF_GROUP}
    where ${only}::uuid is null or h.company_id = ${only}`.execute(transaction)
  return new Map(
    rows.map(({ people, ...row }) => {
      const group = { ...row, company_id: fromUuid('com', row.company_id), key_id: fromUuid('key', row.key_id) }
      return [nameGroup(group), [people]]
    }),
  )
}

/** Removes the errors of the records that were rejected at these positions, and computes the sums of their hours again. */
export async function removeErrors(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  positions: readonly number[],
) {
  if (positions.length === 0) return
  const company = toUuid(companyId)
  const { rows } = await sql<Pick<RefusedError, 'key_id' | 'code' | 'field' | 'kind' | 'requested_at'>>`
    delete from ${sql.id(schema, 'refused_errors')}
    where company_id = ${company} and position = any(${[...positions]}::bigint[])
    returning requested_at, key_id, code, field, kind`.execute(transaction)
  if (rows.length === 0) return
  const groups = new Map(
    rows.map(({ requested_at: requestedAt, ...row }) => {
      const key = fromUuid('key', row.key_id)
      const group = { ...row, company_id: companyId, key_id: key, hour: startOfHour(requestedAt) }
      return [nameGroup(group), group]
    }),
  )
  const wanted = unnestedRows(GROUP_COLUMNS, [...groups.values()])
  const sums = sql.id(schema, 'refusals_by_hour')
  await sql`delete from ${sums} h using ${wanted} where h.company_id = ${company} and ${IS_OF_GROUP}`.execute(
    transaction,
  )
  await sql`insert into ${sums} (company_id, hour, key_id, code, field, kind, records, first_at, last_at, people)
    select h.company_id, r.hour, h.key_id, h.code, h.field, h.kind, count(*), min(h.requested_at), max(h.requested_at),
      substr(coalesce(string_agg(distinct h.person, ''::bytea order by h.person), ''::bytea), 1, ${MAX_SKETCH_BYTES})
    from ${wanted} join ${sql.id(schema, 'refused_errors')} h
      on h.company_id = r.company_id and h.code = r.code and h.field = r.field and h.kind = r.kind
        and h.key_id = r.key_id and h.requested_at >= r.hour and h.requested_at < r.hour + interval '1 hour'
    where h.company_id = ${company}
    group by 1, 2, 3, 4, 5, 6`.execute(transaction)
}

/*
 * How many people there are, from digests of few of them. A sketch has the least digests of a set of people, in order,
 * one behind the other: up to 64 people they are all, and beyond, how small they are tells how many there must be (the k
 * minimum values, within about 12 %). Two sketches make that of both sets, so that nobody is counted twice.
 */

/** The bytes of a digest, and the most digests of a sketch. */
const [BYTES, MOST] = [8, 64]
export const MAX_SKETCH_BYTES = BYTES * MOST

/** Makes the sketch of several sketches, or of digests. */
function mergeSketches(sketches: readonly Buffer[]): Buffer {
  const digests = new Set<string>()
  for (const sketch of sketches)
    for (let at = 0; at < sketch.length; at += BYTES) digests.add(sketch.toString('hex', at, at + BYTES))
  return Buffer.from([...digests].toSorted().slice(0, MOST).join(''), 'hex')
}

/** Counts the people of a sketch: exactly, or about. */
export function countPeople(sketch: Buffer) {
  const kept = sketch.length / BYTES
  if (kept < MOST) return { count: kept, isEstimate: false }
  const largest = Number(sketch.readBigUInt64BE(sketch.length - BYTES)) / 2 ** 64
  return { count: Math.round((MOST - 1) / largest), isEstimate: true }
}
