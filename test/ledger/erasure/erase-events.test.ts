import t from 'tap'
import { buildErasingEvents } from '../../../src/domain/erasure.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { appendCompanyEvents, nextVersion, OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { attemptSql } from '../../support/postgres/run-sql.ts'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

const service = await startService(t)
const companyId = service.company.id
const uuid = toUuid(companyId)

const positionsOf = async (type: string) => {
  const { rows } = await service.pool.query<{ position: number }>(
    'select position from events where company_id = $1 and type = $2 order by position',
    [uuid, type],
  )
  return rows.map(({ position }) => position)
}

/** Runs statements in a transaction that is rolled back. */
const attempt = (url: string, ...statements: string[]) => attemptSql(url, 'begin', ...statements)

/** Appends an event that erases these positions, as a command would. */
async function append(type: 'EmployeeErased' | 'RecordsRetired' | 'UserErased', stream: string, positions: number[]) {
  return appendCompanyEvents(service.pool, { companyId, actor: OPERATOR }, async (client) => {
    return {
      events: buildErasingEvents(type, stream, await nextVersion(client, companyId, stream), positions),
      result: null,
    }
  })
}

const created = await service.call('POST', '/v1/employees', { body: employee() })
await service.call('POST', '/v1/employees', { body: [{ first_name: 'Bo' }, { last_name: 'Li' }] })
const employeeId: string = created.body.employees[0].id

await t.test('an erasing event nulls only what it names, in its own transaction', async (t) => {
  const before = await service.pool.query(
    `select *, sha256(salt || convert_to(data, 'UTF8')) as hash from events order by company_id, position`,
  )
  const [position] = await positionsOf('EmployeeCreated')
  const appended = await append('EmployeeErased', employeeId, [position!])
  await service.pool.query('delete from employee_directory')
  const after = await service.pool.query('select * from events order by company_id, position')
  t.strictSame(
    after.rows.slice(0, -1),
    before.rows.map(({ hash, ...row }) =>
      row.position === position ? { ...row, data: null, salt: null, data_hash: hash } : row,
    ),
  )
  t.equal(after.rows.at(-1)!.position, appended.position)
  t.strictSame(await ledgerFaults(service.db, companyId), [])
})

await t.test('an erasing event cannot name what it may not erase', async (t) => {
  const [registered] = await positionsOf('CompanyRegistered')
  const [rejected] = await positionsOf('EmployeeRecordRejected')
  const [failed] = await positionsOf('ApiCallFailed')
  const [invited] = await positionsOf('UserInvited')
  const [gone] = await positionsOf('EmployeeCreated')
  const { rows } = await service.pool.query('select count(*)::integer as count from events')
  for (const [type, position] of [
    ['EmployeeErased', registered],
    ['EmployeeErased', failed],
    ['EmployeeErased', invited],
    ['EmployeeErased', gone],
    ['EmployeeErased', 1_000_000],
    ['RecordsRetired', gone],
    ['RecordsRetired', registered],
    ['UserErased', rejected],
  ] as const) {
    const stream = fromUuid(EVENT_TYPES[type].stream, uuid)
    await t.rejects(append(type, stream, [position!]), { code: INSUFFICIENT_PRIVILEGE }, `${type} of ${position}`)
    await t.rejects(append(type, stream, [rejected!, position!]), `${type} of ${position} and another one`)
  }
  t.strictSame((await service.pool.query('select count(*)::integer as count from events')).rows, rows)
  t.strictSame(await ledgerFaults(service.db, companyId), [])
})

await t.test('the function erases nothing that no event names or that is already erased', async (t) => {
  const [rejected] = await positionsOf('EmployeeRecordRejected')
  const [erasing] = await positionsOf('EmployeeErased')
  for (const position of [rejected, erasing, 1, 1_000_000, null]) {
    for (const url of [service.urls.serviceUrl, service.urls.ownerUrl]) {
      t.equal(
        await attempt(url, `select public.erase_events('${uuid}', ${position})`),
        INSUFFICIENT_PRIVILEGE,
        `${position}`,
      )
    }
  }
  await service.makeCompany('Other')
  const { rows } = await service.pool.query('select company_id from heads where company_id <> $1', [uuid])
  t.equal(
    await attempt(service.urls.serviceUrl, `select public.erase_events('${rows[0].company_id}', ${erasing})`),
    INSUFFICIENT_PRIVILEGE,
  )
})

/** A change of each column that an erasure leaves alone. Citus itself refuses to change the company. */
const OTHER_CHANGES = [
  ...(CITUS_URL === undefined ? ['company_id = gen_random_uuid()'] : []),
  'position = position + 1000000',
  `recorded_at = 'epoch'`,
  'stream_id = company_id',
  'call_id = company_id',
  'stream_version = stream_version + 1000000',
  'record_index = coalesce(record_index, 0) + 1',
  'schema_version = 9',
  `type = 'NobodyKnows'`,
  `actor = 'nobody'`,
  `leaf_hash = sha256('')`,
]

await t.test('a forged setting permits no other change, even to the owner', async (t) => {
  const forged = `set local employee_ledger.erasing = 'on'`
  for (const change of [
    ...OTHER_CHANGES.map((change) => `update events set ${ERASE}, ${change} where data is not null`),
    ...OTHER_CHANGES.map((change) => `update events set ${change}`),
    `update events set data = null, salt = null, data_hash = sha256('') where data is not null`,
    `update events set data = '{}' where data is not null`,
    `update events set salt = sha256('')::bytea`,
    'delete from events',
    'truncate events',
  ]) {
    t.equal(await attempt(service.urls.ownerUrl, forged, change), INSUFFICIENT_PRIVILEGE, change)
    t.equal(await attempt(service.urls.serviceUrl, forged, change), INSUFFICIENT_PRIVILEGE, change)
  }
  t.equal(await attempt(service.urls.serviceUrl, forged, `update events set ${ERASE}`), INSUFFICIENT_PRIVILEGE)
})

await t.test('the setting is off again after the function', async (t) => {
  const [rejected] = await positionsOf('EmployeeRecordRejected')
  const marker = `insert into events (company_id, position, recorded_at, stream_id, stream_version, schema_version, type,
      actor, data, salt, leaf_hash)
    values ('${uuid}', 1000000, now(), '${uuid}', 1000000, 1, 'RecordsRetired', 'operator',
      '{"positions":[${rejected}]}', decode(repeat('00', 16), 'hex'), sha256(''))`
  const erase = `select erase_events('${uuid}', 1000000)`
  t.equal(await attempt(service.urls.ownerUrl, marker, erase), 'done')
  const more = `update events set ${ERASE}`
  t.equal(await attempt(service.urls.ownerUrl, marker, erase, more), INSUFFICIENT_PRIVILEGE)
})

await t.test('verification finds unnamed erased data and named data that is not erased', async (t) => {
  const [rejected, other] = await positionsOf('EmployeeRecordRejected')
  const name = (positions: number[]) =>
    `update events set data = '${JSON.stringify({ positions })}' where type = 'EmployeeErased'`
  await asSuperuser(
    service.urls.superUrl,
    `update events set ${ERASE} where position = ${rejected}`,
    name([rejected!, other!]),
  )
  const faults = await ledgerFaults(service.db, companyId)
  t.match(faults, [
    /not what was hashed/,
    /EmployeeCreated is null and not erased/,
    new RegExp(`position ${other}: EmployeeErased names it`),
  ])
})
