import pg from 'pg'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { schemaOf } from '../../projections/projection.ts'
import { createIndexes } from '../../src/postgres/create-indexes.ts'
import { findSchemaOid, shadowOf } from '../../src/workers/copies.ts'
import { beginShadow, switchToShadow } from '../../src/workers/shadow.ts'
import { runCommand } from '../support/processes/cli.ts'
import { meddledDatabase } from '../support/postgres/meddled-database.ts'
import { makeHistory, openRebuilding, poison } from '../support/rebuilding.ts'
import type { Service } from '../support/service.ts'
import { startService } from '../support/service.ts'

const environment = ({ urls }: Service) => ({ DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl })

await t.test('a rebuild does not switch while a company cannot be folded, and names it', async (t) => {
  const service = await startService(t)
  const { db, rebuild } = await openRebuilding(t, service)
  const other = await service.makeCompany('Other')
  for (const company of [service.company, other]) await makeHistory(service, company, 1)
  await service.project()
  await poison(service, service.company.id)
  const live = await findSchemaOid(db, schemaOf(employees))
  const outcome = await rebuild(employees)
  t.match(outcome, {
    isSwitched: false,
    stuck: [{ companyId: service.company.id, reason: /unknown type NobodyKnows/ }],
  })
  const ended = await runCommand(t, ['projections', 'rebuild', 'employees'], environment(service))
  t.match(ended, {
    exitCode: 1,
    stdout: '',
    stderr: new RegExp(`did not switch to .*${service.company.id}: .*NobodyKnows`),
  })
  t.equal(await findSchemaOid(db, schemaOf(employees)), live)
  const list = await service.call('GET', '/v1/employees')
  t.equal(list.body.items.length, 3, 'the live tables are read as before')

  await poison(service, service.company.id, true)
  t.ok((await rebuild(employees)).isSwitched)
  t.not(await findSchemaOid(db, schemaOf(employees)), live)
})

await t.test('a switch gives up soon while a fold runs, and loses nothing that was folded', async (t) => {
  const service = await startService(t)
  const { db, handOver, rebuild, verify } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 2)
  await service.project()
  const { oid } = await beginShadow(db, employees, { handOver, restart: false })
  const folder = new pg.Client({ connectionString: service.urls.serviceUrl })
  await folder.connect()
  await folder.query(`begin; update checkpoints set attempts = attempts where projection = 'employees'`)
  t.equal(await switchToShadow(db, employees, oid), 'busy')
  t.equal((await service.call('GET', '/v1/employees')).body.items.length, 6, 'readers did not wait')
  await folder.query('rollback')
  await folder.end()
  // The shadow is still empty: the switch folds what the live tables have.
  t.equal(await switchToShadow(db, employees, oid), 'switched')
  t.equal(await findSchemaOid(db, schemaOf(employees)), oid)
  t.strictSame((await verify(employees)).faults, [])
  t.ok((await rebuild(employees)).isSwitched, 'the leftover tables do no harm')
})

await t.test('a rebuild succeeds if another one switches while it makes the indexes', async (t) => {
  const service = await startService(t)
  const { db, rebuild } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 1)
  await service.project()
  let twins = 0
  let hasLocked = false
  const overtaken = meddledDatabase(db, async ({ rows: [row] }) => {
    const isNext = hasLocked && typeof row?.['oid'] === 'number'
    hasLocked = row !== undefined && 'pg_advisory_xact_lock' in row
    if (!isNext) return
    // It has found its tables, and is about to make their indexes.
    twins += 1
    const schema = schemaOf(shadowOf(employees))
    await createIndexes(db, schema, employees.indexes)
    t.equal(await switchToShadow(db, employees, (await findSchemaOid(db, schema))!), 'switched')
  })
  t.strictSame(await rebuild(employees, { db: overtaken }), { isSwitched: true, areOldDropped: true })
  t.equal(twins, 1)
  t.equal((await service.call('GET', '/v1/employees')).body.items.length, 3)
})
