import t, { type Test } from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { unpark } from '../../src/workers/checkpoints.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { inputs } from '../support/quick.ts'
import { startProcess } from '../support/processes/processes.ts'
import type { Service } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES, ENTRIES } from '../support/postgres/projection-tables.ts'

const create = (service: Service, key = service.company.key) =>
  service.call('POST', '/v1/employees', { body: employee(), key })
/** Starts workers that sweep often. */
const work = (t: Test, { urls }: Service) => startService(t, { SWEEP_INTERVAL_MS: '100' }, { urls, workers: true })
const isLogged = async (service: Service, logId: string, token = service.company.admin.token) =>
  (await service.admin(`/bulk-user-logs/${logId}`, token)).status === 200

await t.test('an entry appears after its call', async (t) => {
  const service = await startService(t, {}, { workers: true })
  const { body } = await create(service)
  await eventually('the entry is there', () => isLogged(service, body.log_id))
})

await t.test('the sweep finds events whose job was lost', async (t) => {
  const service = await startService(t)
  const { body } = await create(service)
  await service.app.close()
  await asSuperuser(service.urls.superUrl, 'delete from pgboss.job')
  await work(t, service)
  await eventually('the sweep found it', async () => {
    const { rows } = await service.pool.query(
      `select 1 from ${ENTRIES} e join events v
        on v.company_id = e.company_id and v.stream_id = e.call_id where v.call_id = $1`,
      [toUuid(body.log_id)],
    )
    return rows.length > 0
  })
})

await t.test('killed workers skip no event and fold none twice', async (t) => {
  const count = inputs(20, 40)
  const records = count * 25
  const service = await startService(t)
  const ids: string[] = []
  const calls = async () => {
    for (let at = 0; at < count; at += 1) {
      const body = Array.from({ length: 25 }, () => employee())
      ids.push((await service.call('POST', '/v1/employees', { body })).body.log_id)
    }
  }
  const folded = async () => {
    const { rows } = await service.pool.query(`select count(*)::integer as n from ${ENTRIES}`)
    return rows[0].n as number
  }
  const load = calls()
  for (let kills = 0; kills < inputs(1, 4); kills += 1) {
    const worker = await startProcess(t, 'work', service.urls, { SWEEP_INTERVAL_MS: '100' })
    const before = await folded()
    await eventually('it folds', async () => (await folded()) > before || ids.length === count)
    await worker.end('SIGKILL')
  }
  await load
  await work(t, service)
  await eventually('all is folded', () => isCaughtUp(service.db))
  const { rows } = await service.pool.query(`select
    (select sum(octet_length(outcomes))::integer from ${ENTRIES}) as records,
    (select count(*)::integer from ${EMPLOYEES}) as employees`)
  t.strictSame(rows[0], { records, employees: records })
  t.equal(await folded(), count)
})

await t.test(
  'a worker that starts tries parked companies once more, as a new version may fold what they need',
  async (t) => {
    const service = await startService(t)
    const created = await create(service)
    await service.project()
    const stalled = await create(service)
    const rename = (type: string) =>
      asSuperuser(service.urls.superUrl, `update events set type = '${type}' where position = ${position}`)
    const position = stalled.headers['x-ledger-position']
    const findParked = async () => {
      const { rows } = await service.pool.query<{ attempts: number; error: string }>(
        `select attempts, error from checkpoints where parked_at is not null and projection = '${bulkUserLogs.name}'`,
      )
      return rows[0]
    }
    await rename('NobodyKnows')
    await service.pool.query(
      `update checkpoints set parked_at = statement_timestamp(), attempts = 5, error = 'unknown type NobodyKnows'`,
    )
    await t.test('and parks them again at once if that fails', async (t) => {
      await work(t, service)
      await eventually('it is tried and parked again', async () =>
        /position \d+ is of the unknown type/.test((await findParked())?.error ?? ''),
      )
      t.match(await findParked(), { attempts: 5 })
    })
    await rename('ApiCallCompleted')
    await work(t, service)
    await eventually('it is folded', () => isLogged(service, stalled.body.log_id))
    t.notOk(await findParked())
    t.ok(await isLogged(service, created.body.log_id))
  },
)

await t.test('a company with a bad event is parked and can resume; others continue', async (t) => {
  const service = await startService(t)
  const other = await service.makeCompany('Other')
  const before = await create(service)
  await service.project()
  const stalled = await create(service)
  const poison = `type = 'NobodyKnows'`
  const healed = `type = 'ApiCallCompleted'`
  const position = stalled.headers['x-ledger-position']
  await asSuperuser(service.urls.superUrl, `update events set ${poison} where position = ${position}`)
  await work(t, service)
  const parked = await eventually('it is parked', async () => {
    // Makes the next try due at once.
    await service.pool.query('update checkpoints set next_try_at = null where parked_at is null')
    const rows = await service.db.selectFrom('checkpoints').selectAll().where('parked_at', 'is not', null).execute()
    return rows.find(({ projection }) => projection === bulkUserLogs.name)
  })
  t.match(parked, {
    position: Number(before.headers['x-ledger-position']),
    attempts: 5,
    error: /unknown type NobodyKnows/,
  })
  t.notOk(await isLogged(service, stalled.body.log_id))

  const elsewhere = await create(service, other.key)
  await eventually('another company continues', () => isLogged(service, elsewhere.body.log_id, other.admin.token))
  t.equal((await create(service)).status, 201, 'its own calls are still accepted')

  await asSuperuser(service.urls.superUrl, `update events set ${healed} where position = ${position}`)
  t.ok(await unpark(service.db, bulkUserLogs, service.company.id))
  await eventually('the entry is there at last', () => isLogged(service, stalled.body.log_id))
})
