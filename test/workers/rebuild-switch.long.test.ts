import pg from 'pg'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import type { Projection } from '../../projections/projection.ts'
import { findSchemaOid } from '../../src/workers/copies.ts'
import { beginShadow, switchToShadow } from '../../src/workers/shadow.ts'
import { runCommand } from '../support/processes/cli.ts'
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
  const live = await findSchemaOid(db, 'employees_v1')
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
  t.equal(await findSchemaOid(db, 'employees_v1'), live)
  const list = await service.call('GET', '/v1/employees')
  t.equal(list.body.items.length, 3, 'the live tables are read as before')

  await poison(service, service.company.id, true)
  t.ok((await rebuild(employees)).isSwitched)
  t.not(await findSchemaOid(db, 'employees_v1'), live)
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
  t.equal(await findSchemaOid(db, 'employees_v1'), oid)
  t.strictSame((await verify(employees)).faults, [])
  t.ok((await rebuild(employees)).isSwitched, 'the leftover tables do no harm')
})

await t.test('a rebuild succeeds if another one switches while it makes the indexes', async (t) => {
  const service = await startService(t)
  const { db, rebuild } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 1)
  await service.project()
  let twins = 0
  const overtaken: Projection = {
    ...employees,
    async createIndexes(transaction, schema) {
      twins += 1
      const oid = (await findSchemaOid(db, schema))!
      await employees.createIndexes(db as never, schema)
      t.equal(await switchToShadow(db, employees, oid), 'switched')
      await employees.createIndexes(transaction, schema)
    },
  }
  t.strictSame(await rebuild(overtaken), { isSwitched: true, areOldDropped: true })
  t.equal(twins, 1)
  t.equal((await service.call('GET', '/v1/employees')).body.items.length, 3)
})
