import { pino } from 'pino'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { findCheckpoint } from '../../src/workers/checkpoints.ts'
import { foldNext, UnfoldableError } from '../../src/workers/project.ts'
import { inCompany } from '../../src/postgres/company-scope.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

const service = await startService(t)
const { id: companyId } = service.company
const setUp = (...statements: string[]) => asSuperuser(service.urls.superUrl, ...statements)
/** Lets every fold of the employees fail with this SQLSTATE. */
const failWith = (code: string) =>
  setUp(`create or replace function refuse() returns trigger language plpgsql as $$
    begin raise exception 'planted' using errcode = '${code}'; end $$`)

await failWith('XX000')
await setUp(`create trigger refuse before insert on ${EMPLOYEES} for each row execute function refuse()`)

// Connections, poolers, resources, Citus, rights and syntax: an event can cause none of them.
const OF_THE_SERVER = [
  '08P01',
  '08006',
  '26000',
  '42P05',
  '42P01',
  '42601',
  '42501',
  'XX000',
  '53100',
  '57014',
  '0A000',
]
const OF_THE_EVENT = ['21000', '22003', '22021', '23505', '23502', '54000']

await t.test('only errors that an event can cause count as failures of the event', async (t) => {
  await service.call('POST', '/v1/employees', { body: employee() })
  const fold = () => inCompany(companyId, () => foldNext(service.db, employees, companyId))
  for (const code of OF_THE_SERVER) {
    await failWith(code)
    await t.rejects(fold(), { code }, code)
  }
  for (const code of OF_THE_EVENT) {
    await failWith(code)
    await t.rejects(fold(), UnfoldableError, code)
  }
})

await t.test('workers retry an error of the server for as long as it takes, and park nobody', async (t) => {
  await failWith('XX000')
  let tries = 0
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void (tries += line.includes('could not fold') ? 1 : 0) },
  )
  const { db } = await startService(t, { SWEEP_INTERVAL_MS: '100' }, { urls: service.urls, workers: true, log })
  await eventually('it was tried more often than a company is parked', async () => tries > 6)
  t.match(await findCheckpoint(db, employees, companyId), { attempts: 0, isHeld: false })
  await setUp(`drop trigger refuse on ${EMPLOYEES}`)
  await eventually('it is folded', async () => {
    const { position, head } = await findCheckpoint(db, employees, companyId)
    return position === head
  })
})
