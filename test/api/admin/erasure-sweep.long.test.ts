import t from 'tap'
import { bulkUserLogs } from '../../../projections/bulk-user-logs/fold.ts'
import { PROJECTIONS } from '../../../projections/index.ts'
import { employees } from '../../../projections/employees/fold.ts'
import { schemaOf } from '../../../projections/projection.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { openMaintenance } from '../../../src/bootstrap/store.ts'
import { readProvider } from '../../../src/accounts/providers/providers.ts'
import { linkOwnIdentity } from '../../../src/accounts/sign-in/sign-in-through-provider.ts'
import { addUser } from '../../../src/accounts/users/change-user.ts'
import type { ProviderIdentity } from '../../../src/accounts/oidc/provider-client.ts'
import { unpark } from '../../../src/workers/checkpoints.ts'
import { replacedSchemaOf, shadowOf } from '../../../src/workers/copies.ts'
import { catchUp, foldNext } from '../../../src/workers/project.ts'
import { beginShadow, dropReplaced, switchToShadow } from '../../../src/workers/shadow.ts'
import { readProjectionTables as describeTables } from '../../../src/workers/table-differences.ts'
import { addPasskey, signInByPassword, WITH_PASSKEYS } from '../../support/http/passkeys.ts'
import { meddledDatabase } from '../../support/postgres/meddled-database.ts'
import { makeDataDir, startServer } from '../../support/processes/cli.ts'
import { isQuick } from '../../support/quick.ts'
import { leaveTraces, PERSON, SETTINGS, WORDS } from '../../support/personal-traces.ts'
import { rowsWith } from '../../support/postgres/rows-with.ts'
import { isCaughtUp } from '../../support/caught-up.ts'
import { giveProvider, WITH_PROVIDERS } from '../../support/providers/company-provider.ts'
import { startTestProvider } from '../../support/providers/test-provider.ts'
import { eventually } from '../../support/eventually.ts'
import type { Service } from '../../support/service.ts'
import { employee, send, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { HEADER_COLUMNS } from '../../../src/ledger/integrity/codec.ts'
import { issueToken } from '../../support/http/sessions.ts'
import { REJECTED_NAMES } from '../../support/postgres/projection-tables.ts'

/*
 * A person with unmistakable values is in everything that the service stores. After the erasure, a dump of every table is
 * searched for them.
 */

const tablesOf = (found: string[]) => new Set(found.map((line) => line.split(': ')[0]))
/** The tables beside the read models that hold values of an employee. */
const HOLDING = ['events', 'employee_directory', 'idempotency_keys', 'rejected_bodies', 'webhook_deliveries']
/** The tables of uploaded files. */
const OF_FILES = ['uploads', 'upload_parts']
const nothing = async () => undefined
const park = (service: Service) => service.pool.query('update checkpoints set parked_at = now()')

/** States of the read models: what happens midway, and before the erasure. */
const STATES: [string, (service: Service) => Promise<unknown>, (service: Service) => Promise<unknown>][] = [
  ['have folded everything', nothing, (service) => service.project()],
  ['have folded nothing', nothing, nothing],
  ['have folded half of it', (service) => service.project(), nothing],
  [
    'are at different positions',
    (service) => service.project(),
    (service) => catchUp(service.db, employees, service.company.id),
  ],
  ['are parked in the middle', (service) => service.project().then(() => park(service)), nothing],
]
/** The states in which the gate uploads files, too: reading them takes most of the time, and read models have none. */
const WITH_FILES = 2
for (const [at, [state, midway, prepare]] of STATES.entries()) {
  const uploads = at < WITH_FILES || !isQuick
  await t.test(`an erasure leaves no byte of a person in any table when the read models ${state}`, async (t) => {
    const service = await startService(t, SETTINGS)
    const id = await leaveTraces(service, () => midway(service), { uploads })
    await prepare(service)
    const hashed = `select ${HEADER_COLUMNS.join(', ')}, leaf_hash from events order by company_id, position`
    const { rows: leaves } = await service.pool.query(hashed)
    const held = tablesOf(await rowsWith(service.urls.superUrl, WORDS))
    for (const table of [...HOLDING, ...(uploads ? OF_FILES : [])])
      t.ok(held.has(`public.${table}`), `${table} held them`)

    t.match(await service.manage('POST', '/erasures', { email: 'ZQ7canary@zorb.example' }), {
      status: 200,
      body: { erased: { employee_id: id } },
    })

    const inReadModels = (line: string | undefined) =>
      PROJECTIONS.some(({ name }) => line?.startsWith(name.replaceAll('-', '_')))
    const left = await rowsWith(service.urls.superUrl, WORDS)
    t.strictSame(
      left.filter((line) => !inReadModels(line)),
      [],
      'at once, in all but the read models',
    )
    for (const projection of PROJECTIONS) await unpark(service.db, projection, service.company.id)
    await service.project()
    t.strictSame(await rowsWith(service.urls.superUrl, WORDS), [], 'in the read models, once they are caught up')

    const { rows } = await service.pool.query(hashed)
    t.strictSame(rows.slice(0, leaves.length), leaves, 'the hashed columns are unchanged')
    t.strictSame(await ledgerFaults(service.db, service.company.id), [])
  })
}

const killing = { skip: isQuick && 'only the nightly run kills a process' }
await t.test(
  'an erasure leaves no byte of a person when a process died amid calls, folds, and uploads',
  killing,
  async (t) => {
    const service = await startService(t, SETTINGS)
    const { company, config, urls } = service
    const server = await startServer(t, ['start'], {
      ...SETTINGS,
      DATABASE_URL: urls.serviceUrl,
      MIGRATE_DATABASE_URL: urls.ownerUrl,
      DATA_DIR: makeDataDir(t),
      SIGNING_KEY: config.SIGNING_KEY!,
      SECRETS_KEY: config.SECRETS_KEY!,
      SWEEP_INTERVAL_MS: '200',
    })
    const call: Service['call'] = (method, path, options) =>
      send(server.address, method, path, { key: company.key, ...options })
    const id = await leaveTraces({ ...service, address: server.address, call }, nothing)
    const underWay = Array.from({ length: 30 }, (_, at) =>
      call('PATCH', `/v1/employees/${id}`, {
        body: at % 2 === 0 ? { job_title: `Chief Zorbler ${at}` } : '{"job_title": "Chief Zorbler"',
        headers: { 'idempotency-key': `under-way-${at}` },
      }).catch(() => 'cut off'),
    )
    await Promise.race(underWay)
    await server.end('SIGKILL')
    await Promise.all(underWay)
    t.equal((await service.manage('POST', '/erasures', { employee_id: id })).status, 200)
    await service.project()
    t.strictSame(await rowsWith(urls.superUrl, WORDS), [])
    t.strictSame(await ledgerFaults(service.db, company.id), [])
  },
)

await t.test('an erasure leaves no byte of a person in the tables of a killed rebuild', async (t) => {
  const service = await startService(t, SETTINGS)
  const { db, handOver, close } = await openMaintenance(service.urls)
  t.teardown(close)
  const id = await leaveTraces(service, nothing, { uploads: !isQuick })
  await service.project()
  for (const projection of PROJECTIONS) {
    // A reader keeps the replaced tables from being dropped.
    const reader = await service.pool.connect()
    await reader.query('begin')
    for (const { name } of await describeTables(db, schemaOf(projection)))
      await reader.query(`select from "${schemaOf(projection)}"."${name}" limit 1`)
    const { oid } = await beginShadow(db, projection, { handOver, restart: false })
    await catchUp(db, shadowOf(projection), service.company.id)
    t.equal(await switchToShadow(db, projection, oid), 'switched')
    t.equal(await dropReplaced(db, projection), false)
    await reader.query('rollback')
    reader.release()
    // The next rebuild ends in the middle.
    await beginShadow(db, projection, { handOver, restart: false })
    await foldNext(db, shadowOf(projection), service.company.id, { batchEvents: 40 })
  }
  const held = tablesOf(await rowsWith(service.urls.superUrl, WORDS))
  for (const schema of [replacedSchemaOf(employees), schemaOf(shadowOf(employees))])
    t.ok(held.has(`${schema}.employees`), `${schema} held them`)
  t.equal((await service.manage('POST', '/erasures', { employee_id: id })).status, 200)
  await service.project()
  t.strictSame(await rowsWith(service.urls.superUrl, WORDS), [])
  // The copies of the log have no hashes of names that the live tables lack.
  const [old, next] = [replacedSchemaOf(bulkUserLogs), schemaOf(shadowOf(bulkUserLogs))]
  const { rows } = await service.pool.query(`select * from ${old}.rejected_names union
    (select * from ${next}.rejected_names except select * from ${REJECTED_NAMES})`)
  t.strictSame(rows, [])
})

await t.test('a rebuild does not write what it read before an erasure', async (t) => {
  const service = await startService(t, SETTINGS)
  const { db, handOver, close } = await openMaintenance(service.urls)
  t.teardown(close)
  const id = await leaveTraces(service, nothing, { uploads: !isQuick })
  await beginShadow(db, employees, { handOver, restart: false })
  let isErased = false
  const meddled = meddledDatabase(service.db, async ({ rows }) => {
    if (isErased || !rows[0] || !('stream_id' in rows[0])) return
    isErased = true
    t.equal((await service.manage('POST', '/erasures', { employee_id: id })).status, 200)
    await service.project()
  })
  await foldNext(meddled, shadowOf(employees), service.company.id)
  t.ok(isErased)
  t.strictSame(await rowsWith(service.urls.superUrl, WORDS), [])
})

await t.test('a person who was never created is found in refused records and erased completely', async (t) => {
  for (const named of [{ email: 'ZQ7-old-canary@zorb.example' }, { external_id: 'HRzq7-1' }]) {
    const service = await startService(t, {}, { workers: true })
    const headers = { 'idempotency-key': 'first' }
    await service.call('POST', '/v1/employees', {
      body: [{ ...PERSON, phone: 'x' }, employee({ status: 'x' })],
      headers,
    })
    await service.call('POST', '/v1/employees', { body: [{ ...PERSON, status: 'zq7canary' }] })
    const answer = await service.manage('POST', '/erasures', named)
    t.match(answer, { status: 200, body: { erased: { employee_id: null, positions: 2 } } })
    t.equal(answer.headers['x-ledger-position'], String(answer.body.position))
    // The workers update the read models.
    await eventually('the read models are caught up', () => isCaughtUp(service.db))
    t.strictSame(await rowsWith(service.urls.superUrl, WORDS), [])
    t.strictSame(await ledgerFaults(service.db, service.company.id), [])
    const { rows } = await service.pool.query(
      `select count(distinct position)::integer as count from ${REJECTED_NAMES}`,
    )
    t.strictSame(rows, [{ count: 1 }], "another person's record is still found")
    t.match(await service.manage('POST', '/erasures', named), { status: 404, body: { code: 'employee_not_found' } })
  }
})

await t.test('a removed user with a passkey and an account at a provider can be erased from every table', async (t) => {
  const idp = await startTestProvider(t)
  const service = await startService(t, { ...WITH_PASSKEYS, ...WITH_PROVIDERS })
  const person = { email: 'zq7canary@zorb.example', name: 'Zyxelda Quuxworth', role: 'admin' as const }
  const added = await addUser({ pool: service.pool, newId }, { companyId: service.company.id, ...person })
  const { user_id: id } = added
  const laptop = { name: "Zyxelda's laptop", expires_in_days: 7 }
  t.equal((await issueToken(service, added, laptop)).status, 201)
  await addPasskey(await signInByPassword(service, added), added.password, { name: "Zyxelda's key" })
  await giveProvider(service, service.company, idp)
  const provider = (await readProvider(service.pool, service.company.id))!
  const identity = { issuer: idp.issuer, subject: 'zq7canary' } as ProviderIdentity
  const acting = { companyId: service.company.id, actor: id }
  await linkOwnIdentity({ pool: service.pool, newId }, acting, { provider, identity, linkHash: null })
  const held = tablesOf(await rowsWith(service.urls.superUrl, WORDS))
  t.strictSame(held, new Set(['public.events', 'public.passkeys', 'public.user_tokens', 'public.users']))
  t.match(await service.manage('POST', `/users/${id}/erase`), { status: 409, body: { code: 'user_not_removed' } })
  await service.manage('DELETE', `/users/${id}`)
  const erased = await service.manage('POST', `/users/${id}/erase`)
  t.match(erased, { status: 200, body: { id, email: '', name: '', status: 'removed' } })
  t.ok(erased.headers['x-ledger-position'])
  const again = await service.manage('POST', `/users/${id}/erase`)
  t.strictSame(again.body, erased.body)
  t.notOk(again.headers['x-ledger-position'], 'a second time nothing happens')
  await service.project()
  t.strictSame(await rowsWith(service.urls.superUrl, WORDS), [])
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
  t.equal((await service.manage('POST', '/users', person)).status, 201, 'the person can be invited again')
})
