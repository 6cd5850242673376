import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { listWaitingWebhooks } from '../../src/delivery/webhooks/progress.ts'
import { readFailingWork, summarizeFailingWork } from '../../src/ledger/background/failing-work.ts'
import { listDue, listWaitingSubmissions, recordFailure } from '../../src/delivery/witnesses/progress.ts'
import { inTransaction } from '../../src/postgres/pipeline.ts'
import { listMissedJobs, openQueues, RECORD_SIGN_INS } from '../../src/workers/queues.ts'
import { watchStandstill, type DueWork } from '../../src/workers/watch-standstill.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'

/* Workers that take nothing on, and don't fail either: here, there are none. */

const service = await startService(t, { OUTGOING_PRIVATE: '1' })
const { pool, db, company } = service
const lines: Record<string, unknown>[] = []
const stream = new Writable({
  write(line: Buffer, _, done) {
    lines.push(JSON.parse(String(line)) as Record<string, unknown>)
    done()
  },
})
const watch = (list: typeof listMissedJobs) => {
  const watching = watchStandstill({ pool, log: pino(stream), lists: [list], intervalMs: 10 })
  t.teardown(watching.stop)
  return watching
}

await t.test(
  'a webhook with messages that nobody sends is on record, and in the log, until somebody tries',
  async (t) => {
    const made = await service.manage('POST', '/webhooks', { url: 'http://127.0.0.1:9/', types: ['employee.created'] })
    t.equal(made.status, 201)
    const watching = watch(listWaitingWebhooks)
    await service.call('POST', '/v1/employees', { body: employee() })
    await service.project()
    const failing = () => readFailingWork(db, company.id)
    const [work] = await eventually('it is on record', async () => {
      const found = await failing()
      return found.length > 0 && found
    })
    t.match(work, { work: 'webhooks', subject: made.body.id, error: /^it is due/ })
    t.match(
      lines.splice(0),
      [{ level: 40, count: 1, works: ['webhooks'], msg: 'background work stands still' }],
      'once',
    )

    await pool.query(`update webhook_progress set leased_until = statement_timestamp() + interval '1 minute'`)
    await eventually('it is off the record', async () => (await failing()).length === 0)
    t.match(lines, [{ level: 40, msg: 'background work is done again' }])
    await watching.stop()
  },
)

await t.test('what is tried again and again does not stand still', async (t) => {
  await pool.query('update webhook_progress set leased_until = null')
  let looks = 0
  const watching = watch(async () => {
    looks += 1
    await pool.query(`update webhook_progress set leased_until = statement_timestamp() - interval '1 ms'`)
    return listWaitingWebhooks(pool)
  })
  await eventually('many looks', async () => looks > 10)
  await watching.stop()
  t.strictSame(await summarizeFailingWork(pool), [])
})

await t.test('work that is done is off the record, even if other work cannot be put on it', async (t) => {
  const work = { companyId: company.id, work: 'webhooks', subject: 'whk', trace: '' } as const
  // PostgreSQL stores no U+0000.
  const unstorable = { ...work, subject: '\0' }
  let due: DueWork[] = [work, unstorable]
  let looks = 0
  const watching = watch(async () => {
    looks += 1
    return due
  })
  const failing = () => readFailingWork(db, company.id)
  await eventually('it is on record', async () => (await failing()).length === 1)
  due = [unstorable]
  const before = looks
  await eventually('further looks', async () => looks > before + 2)
  await watching.stop()
  t.strictSame(await failing(), [])
})

await t.test('a witness that is down, and is tried for few companies a minute, does not stand still', async (t) => {
  const witness = 'witness+00000001'
  await pool.query(`insert into heads select gen_random_uuid(), 1, '', now() from generate_series(1, 40)`)
  // The others are companies for which it has never been tried.
  await pool.query(
    `insert into witness_progress (company_id, witness, due_at)
     select company_id, $1, now() - interval '1 day' from heads order by company_id limit 30`,
    [witness],
  )
  let looks = 0
  const trying = watch(async () => {
    looks += 1
    const [due] = await listDue(pool, witness)
    if (due) await inTransaction(pool, (client) => recordFailure(client, due, { fault: 'unavailable', error: 'down' }))
    return listWaitingSubmissions(pool)
  })
  await eventually('many looks', async () => looks > 10)
  await trying.stop()
  t.strictSame(await summarizeFailingWork(pool), [])

  await pool.query(`update witness_progress set due_at = now() - interval '1 day'`)
  const watching = watch(listWaitingSubmissions)
  const found = await eventually('nobody tries it', async () => {
    const summary = await summarizeFailingWork(pool)
    return summary.length > 0 && summary
  })
  t.match(found, [{ work: 'witnesses', companies: 1, error: /^witness\+00000001: it is due/ }])
  await pool.query('delete from witness_progress')
  await eventually('it is off the record', async () => (await summarizeFailingWork(pool)).length === 0)
  await watching.stop()
})

await t.test('a scheduled job is missed once the last one has begun longer ago than it may run', async (t) => {
  const faults: Error[] = []
  const boss = await openQueues(service.urls.serviceUrl, {
    works: false,
    connections: 1,
    onError: (error) => faults.push(error),
  })
  t.teardown(() => boss.stop({ graceful: false }))
  await boss.send(RECORD_SIGN_INS, {})
  t.equal((await boss.fetch(RECORD_SIGN_INS)).length, 1)
  const isMissed = async (minutes: number) => {
    await pool.query(`update pgboss.job set started_on = now() - make_interval(mins => $1) where name = $2`, [
      minutes,
      RECORD_SIGN_INS,
    ])
    return (await listMissedJobs(pool)).some(({ subject }) => subject === RECORD_SIGN_INS)
  }
  t.equal(await isMissed(4), false)
  t.equal(await isMissed(6), true)
  t.strictSame(faults, [])
})

await t.test('scheduled jobs that do not run are on record', async (t) => {
  const watching = watch(listMissedJobs)
  const found = await eventually('they are on record', async () => {
    const summary = await summarizeFailingWork(pool)
    return summary.length > 0 && summary
  })
  t.match(found, [
    { work: 'jobs', company_id: null, error: /^(check-attention|publish-|record-sign-ins).*: it is due/ },
  ])
  await watching.stop()
})
