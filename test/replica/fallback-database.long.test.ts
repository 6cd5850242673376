import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { openPool } from '../../src/postgres/pool.ts'
import { sqlState } from '../../src/postgres/database-errors.ts'
import { isReplicaFailure, openFallbackDatabase } from '../../src/replica/fallback-database.ts'
import { findReplicaFault } from '../../src/replica/wal-position.ts'
import { watchReplica } from '../../src/replica/replica-watch.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { ask } from '../backup/recovery.ts'
import { urlsNow } from '../faults/cluster.ts'
import { makeDataDir, runCommand } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { startReplicated } from '../support/postgres/standby.ts'

// The standby cancels queries that block its replay at once.
const { primary, standby, line, service, pause, resume } = await startReplicated(t, {
  max_standby_streaming_delay: '0',
})
const pools = {
  primary: openPool({ url: urlsNow(primary).serviceUrl, name: 'primary', max: 2 }),
  replica: openPool({ url: line.through(standby.urls.serviceUrl), name: 'replica', max: 2, connectTimeoutMs: 1_000 }),
}
t.teardown(() => Promise.all([pools.primary.end(), pools.replica.end()]))

function open(failed = new AbortController().signal) {
  const errors: unknown[] = []
  const db = openFallbackDatabase({ ...pools, failed, onFallback: (error) => errors.push(error) })
  const isOnReplica = async () => (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)).rows[0]!.is
  return { db, errors, isOnReplica }
}

const LONG = sql<{ count: number }>`select count(*) from heads, pg_sleep(${0.5}::double precision)`
const isRunning = (cluster: typeof standby) =>
  ask(
    cluster,
    `select from pg_stat_activity where state = 'active' and query like '%heads, pg_sleep%' and pid <> pg_backend_pid()`,
  )

await t.test('a statement that the standby cancels runs on the primary, and so do all later ones', async (t) => {
  const { db, errors, isOnReplica } = open()
  t.ok(await isOnReplica())
  const answer = LONG.execute(db)
  await eventually('the standby runs it', () => isRunning(standby))
  await ask(primary, 'do $$ begin lock table heads in access exclusive mode; end $$')
  t.equal((await answer).rows.length, 1)
  t.equal(sqlState(errors[0]), '40001')
  t.notOk(isReplicaFailure(errors[0]), 'the next request goes to the standby')
  t.notOk(await isOnReplica(), "a request's view never goes back in time")
  t.ok(await open().isOnReplica())
})

await t.test('a request stops waiting for a failing standby', async (t) => {
  const failing = new AbortController()
  const { db, errors, isOnReplica } = open(failing.signal)
  const answer = sql`select pg_sleep(${0.2}::double precision)`.execute(db)
  line.silence(true)
  t.teardown(() => line.silence(false))
  failing.abort()
  t.equal((await answer).rows.length, 1)
  t.equal(errors.length, 1)
  t.notOk(await isOnReplica())
  const later = open(failing.signal)
  t.notOk(await later.isOnReplica(), 'a new one does not start')
})

await t.test('an error in the statement itself is returned as it is, and not retried', async (t) => {
  // Connections reset by the test before are reopened.
  await eventually('the standby answers', () => open().isOnReplica())
  const { db, errors, isOnReplica } = open()
  await t.rejects(sql`select 1 / ${0}::integer`.execute(db), { code: '22012' })
  await t.rejects(
    sql`update heads set position = position where false`.execute(db),
    { code: '25006' },
    'a write that gets here is a bug',
  )
  t.strictSame(errors, [])
  t.ok(await isOnReplica())
})

await t.test('only a standby of the same server counts', async (t) => {
  const place = { bytes: 1, system: '7', timeline: 1 }
  const [ahead, behind] = [
    { ...place, in_recovery: false },
    { ...place, in_recovery: true },
  ]
  t.equal(findReplicaFault(ahead, behind), null)
  t.match(findReplicaFault(ahead, ahead), /not a standby/)
  t.match(findReplicaFault(behind, behind), /a standby itself/)
  t.match(findReplicaFault(ahead, { ...behind, system: '8' }), /another server/)
  t.match(findReplicaFault({ ...ahead, timeline: 2 }, behind), /timeline 1/)
})

await t.test('an address that leads to the primary is not used, and the log says why', async (t) => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const own = () => openPool({ url: service.urls.serviceUrl, name: 'watch', max: 1 })
  const [ahead, behind] = [own(), own()]
  const watch = watchReplica({ primary: ahead, replica: behind, boundMs: 60_000, isComplete: async () => true, log })
  t.teardown(async () => {
    await watch.stop()
    await Promise.all([ahead.end(), behind.end()])
  })
  await eventually('the log says why', async () => lines.some((line) => line.includes('it is not a standby')))
  t.notOk(watch.isUsable())
})

await t.test('doctor says whether the replica can be read, and how far behind it is', async (t) => {
  const DATA_DIR = makeDataDir(t)
  const look = async (READ_DATABASE_URL: string) => {
    const { stdout } = await runCommand(t, ['doctor', '--json'], {
      DATABASE_URL: service.urls.serviceUrl,
      DATA_DIR,
      READ_DATABASE_URL,
      READ_STALENESS_MS: '2000',
    })
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    return (check: string) => findings.find((finding) => finding.check === check)
  }
  const replicaUrl = urlsNow(standby).serviceUrl
  const well = await look(replicaUrl)
  t.match(well('replica'), { level: 'ok', found: /caught up within [0-9]+ ms$/ })
  t.match(well('replica conflicts'), { level: 'ok', found: /block replay for 0/ })
  t.match((await look(service.urls.serviceUrl))('replica'), { level: 'fail', found: /is not a standby/ })
  t.match((await look('postgres://nobody@127.0.0.1:1/none'))('replica'), {
    level: 'fail',
    found: /the check failed: /,
  })
  await pause()
  t.teardown(resume)
  await service.makeCompany('Behind')
  t.match((await look(replicaUrl))('replica'), { level: 'warn', found: /more than 2000 ms behind/ })
})
