import t from 'tap'
import type { Test } from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { EVERY_KEY } from '../../projections/bulk-user-logs/tables.ts'
import type { CompanyEvents, DoPieces } from '../../projections/projection.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { closesCall } from '../../src/domain/event-types.ts'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createTables, schemaOf } from '../../projections/projection.ts'
import { fullBodies } from '../fairness/largest-requests.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { catchUp } from '../../src/workers/project.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const companyId = service.company.id
/** Refused records of a call with such names. */
const NAMES = 200
const TABLES = Object.keys(bulkUserLogs.tables)
const LIVE = schemaOf(bulkUserLogs)

async function makeHistory(key = service.company.key): Promise<void> {
  const call = (method: 'POST' | 'PATCH', path: string, body: unknown) => service.call(method, path, { body, key })
  const { body } = await call('POST', '/v1/employees', [employee(), employee(), employee()])
  const [first, second, third] = body.employees.map(({ id }: { id: string }) => id)
  await call('PATCH', '/v1/employees', [
    { id: first, job_title: 'Dev' },
    { id: second, status: 'inactive', location: 'X' },
    { id: third },
  ])
  await call('PATCH', '/v1/employees', [
    { email: 'Secret.Person@canary.example', phone: 'x' },
    { external_id: 'canary-7', email: 'other@canary.example' },
  ])
  await call('POST', '/v1/employees', [
    employee({ email: 'new@canary.example', external_id: 'canary-8', phone: '1' }),
    7,
  ])
  await call('PATCH', `/v1/employees/${first}`, { phone: '1' })
  await call('PATCH', `/v1/employees/${first}`, { last_name: 'Canary', external_id: 'canary-10' })
  await call('PATCH', `/v1/employees/${first}`, { last_name: 'New', external_id: null })
  await call('PATCH', '/v1/employees/canary-9', { phone: '1' })
  await call('POST', '/v1/employees', '{')
}

// Each history is folded separately.
for (let turn = 0; turn < 4; turn += 1) {
  await makeHistory()
  await service.project()
}

const events = await readEvents(service.db, companyId)
const ownerPool = openPool({ url: service.urls.ownerUrl, name: 'test', max: 2 })
const owner = openDatabase<unknown>(ownerPool)
t.teardown(() => owner.destroy())

/** Folds events into new tables in one go. */
async function foldInto(schema: string, folded: RecordedEvent[]): Promise<string> {
  return foldAllInto(schema, [{ events: folded }])
}

/** Folds batches, or parts of calls, into new tables one by one. */
async function foldAllInto(schema: string, batches: Omit<CompanyEvents, 'companyId'>[]): Promise<string> {
  await ownerPool.query(`create schema ${schema}`)
  await createTables(owner, bulkUserLogs, schema)
  await owner.transaction().execute(async (transaction) => {
    for (const batch of batches) await bulkUserLogs.fold(transaction, schema, [{ companyId, ...batch }], doAtOnce)
  })
  return schema
}

/** All rows of a table as texts, in a stable order. */
async function rowsOf(schema: string, table: string): Promise<string[]> {
  const { rows } = await ownerPool.query<{ row: string }>(
    `select r::text as row from ${schema}.${table} r where company_id = $1 order by 1`,
    [toUuid(companyId)],
  )
  return rows.map(({ row }) => row)
}

async function sameTables(t: Test, one: string, other: string): Promise<void> {
  for (const table of TABLES) {
    const rows = await rowsOf(one, table)
    t.ok(rows.length > 0, `${table} has rows`)
    t.strictSame(rows, await rowsOf(other, table), table)
  }
}

await t.test('a history folded call by call and folded in one go gives the same tables', async (t) => {
  await sameTables(t, LIVE, await foldInto('in_one_go', events))
})

await t.test('calls folded event by event give the same tables', async (t) => {
  const batches = events.map((event, at): Omit<CompanyEvents, 'companyId'> => {
    if (event.call_id === null) return { events: [event] }
    const first = events.findIndex((other) => other.call_id === event.call_id) + 1
    return { events: [event], call: { first, closing: events.slice(at).find(closesCall)! } }
  })
  await sameTables(t, LIVE, await foldAllInto('by_event', batches))
})

await t.test('folding the same events again changes no table', async (t) => {
  const before = await Promise.all(TABLES.map((table) => rowsOf(LIVE, table)))
  await Promise.all([1, 2, 3].map(() => catchUp(service.db, bulkUserLogs, companyId)))
  t.strictSame(await Promise.all(TABLES.map((table) => rowsOf(LIVE, table))), before)
})

await t.test('the sums of hours match the entries, of each key and of all keys', async (t) => {
  const counts = ['total', 'updated', 'deactivated', 'failed', 'no_updates']
  const columns = ['key_id', 'operation', 'status']
  const { rows: summed } = await ownerPool.query(
    `select hour, ${columns.join()}, calls, ${counts.join()} from ${LIVE}.calls_by_hour order by 1, 2, 3, 4`,
  )
  const { rows: counted } = await ownerPool.query(
    `select date_trunc('hour', requested_at, 'UTC') as hour, ${columns.join()}, count(*) as calls,
      ${counts.map((name) => `sum(${name})::bigint as ${name}`).join()}
    from (select * from ${LIVE}.entries union all select (jsonb_populate_record(e, $1)).* from ${LIVE}.entries e) e
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [JSON.stringify({ key_id: toUuid(EVERY_KEY) })],
  )
  t.strictSame(summed, counted)
})

await t.test('the sums of failed and partly applied calls match the entries, of each key and code', async (t) => {
  const { rows: summed } = await ownerPool.query(`select * from ${LIVE}.failures_by_hour order by 1, 2, 3, 4`)
  const { rows: counted } = await ownerPool.query(
    `select company_id, date_trunc('hour', requested_at, 'UTC') as hour, key_id, coalesce(error_code, '') as error_code, count(*) as calls,
      sum(total)::bigint as records, sum(failed)::bigint as refused, min(requested_at) as first_at, max(position) as last_position,
      (array_agg(call_id order by position desc))[1] as last_call_id
    from ${LIVE}.entries where failed > 0 or status = 'Failed' group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  )
  t.strictSame(summed, counted)
})

const SUM_OF_ERRORS = `select company_id, date_trunc('hour', requested_at, 'UTC') as hour, key_id, code, field, kind,
    count(*) as records, min(requested_at) as first_at, max(requested_at) as last_at,
    substr(coalesce(string_agg(distinct person, ''::bytea order by person), ''), 1, 512) as people
  from ${LIVE}.refused_errors group by 1, 2, 3, 4, 5, 6 order by 2, 3, 4, 5, 6`

await t.test('the sums of errors match the refused records, and count people once', async (t) => {
  const { rows: summed } = await ownerPool.query(`select * from ${LIVE}.refusals_by_hour order by 2, 3, 4, 5, 6`)
  t.strictSame(summed, (await ownerPool.query(SUM_OF_ERRORS)).rows)
  const of = (code: string, field: string) => summed.find((row) => row.code === code && row.field === field)
  const { records, people } = of('invalid_format', 'phone')
  t.strictSame([records, people.length / 8], [12, 6], 'two of the people are the same in each of four histories')
})

await t.test('every entry is within the positions of its hour', async (t) => {
  const { rows } = await ownerPool.query(
    `select 1 from ${LIVE}.entries e left join ${LIVE}.hours h
      on h.company_id = e.company_id and h.hour = date_trunc('hour', e.requested_at, 'UTC')
      and e.position between h.first_position and h.last_position where h.hour is null`,
  )
  t.equal(rows.length, 0)
})

await t.test('the tables have only hashes of refused records, and no two companies share any', async (t) => {
  for (const table of TABLES) {
    const text = (await rowsOf(LIVE, table)).join('\n')
    t.notMatch(text, /canary/i, table)
    t.notMatch(text, Buffer.from('canary').toString('hex'), table)
  }
  const other = await service.makeCompany('Other')
  await makeHistory(other.key)
  await service.project(other.id)
  const { rows } = await ownerPool.query<{ hashes: number; shared: number }>(
    `select count(distinct name_hash)::integer as hashes,
      (count(distinct (company_id, name_hash)) - count(distinct name_hash))::integer as shared from ${LIVE}.rejected_names`,
  )
  // Six names and three codes for each company, and an employee's id for each of five histories.
  t.strictSame(rows, [{ hashes: 23, shared: 0 }])
})

await t.test('erasing refused records keeps their entries, and no hash of them', async (t) => {
  const erased = events.map((event) => (event.type === 'EmployeeRecordRejected' ? { ...event, data: null } : event))
  const schema = await foldInto('erased', erased)
  t.strictSame(await rowsOf(schema, 'rejected_names'), [])
  for (const table of ['entries', 'hours', 'calls_by_hour', 'failures_by_hour'])
    t.strictSame(await rowsOf(schema, table), await rowsOf(LIVE, table), table)
})

await t.test('records that are erased later leave the sums as if they had been erased before', async (t) => {
  const rejected = events.filter(({ type }) => type === 'EmployeeRecordRejected')
  const positions = rejected.filter((_, at) => at % 3 > 0).map(({ position }) => position)
  const last = events.at(-1)!
  const retired = {
    ...last,
    call_id: null,
    stream: companyId,
    index: null,
    position: last.position + 1,
    type: 'RecordsRetired',
    data: { positions },
  } as RecordedEvent
  const before = events.map((event) => (positions.includes(event.position) ? { ...event, data: null } : event))
  const [later, earlier] = [
    await foldInto('erased_later', [...events, retired]),
    await foldInto('erased_before', before),
  ]
  await sameTables(t, later, earlier)
})

await t.test('an entry is folded whatever its refused record contains', async (t) => {
  const hostile = ['\0', 'a\0b', '\ud800', 'x'.repeat(100_000), '', '\u{10ffff}', "'; --", '{"n":1}']
  const values = [...hostile, 7, true, null, [], {}, [hostile]]
  const odd = values.flatMap((value) => [{ id: value }, { email: value }, { external_id: value }, value])
  const rejected = events.filter((event) => event.type === 'EmployeeRecordRejected').slice(0, 1)
  const closing = events.find((event) => event.type === 'ApiCallFailed')!
  const calls = odd.flatMap((named, at) => [
    { ...rejected[0]!, position: 2 * at + 1, data: { ...rejected[0]!.data!, locator: named, record: named } },
    { ...closing, position: 2 * at + 2, stream: newId('log') },
  ])
  const schema = await foldInto('hostile', calls)
  t.equal((await rowsOf(schema, 'entries')).length, odd.length)
})

await t.test(
  'no name is kept that normalizing makes long, and others get turns while names are looked for',
  async (t) => {
    const company = await service.makeCompany('Names')
    const records = fullBodies(NAMES, 0)
    for (const body of [records.longNames(), records.namesOfMarks()])
      t.equal((await service.call('POST', '/v1/employees', { key: company.key, body })).status, 422)
    let turns = 0
    const countTurns: DoPieces = (work) => {
      for (;;) {
        const { done, value } = work.next()
        if (done) return value
        turns += 1
      }
    }
    await ownerPool.query('create schema names')
    await createTables(owner, bulkUserLogs, 'names')
    const batch = { companyId: company.id, events: await readEvents(service.db, company.id) }
    await owner.transaction().execute((transaction) => bulkUserLogs.fold(transaction, 'names', [batch], countTurns))
    const codes = new Set<string>()
    for (const { type, data } of batch.events)
      if (type === 'EmployeeRecordRejected') for (const { code } of data!.errors) codes.add(code)
    const { rows } = await ownerPool.query(
      'select count(distinct name_hash)::integer as names from names.rejected_names',
    )
    t.strictSame(rows, [{ names: codes.size }], 'the codes of the errors alone')
    t.ok(turns > NAMES / 8, `${turns} turns`)
  },
)
