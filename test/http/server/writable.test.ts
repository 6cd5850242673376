import { Writable } from 'node:stream'
import { pino } from 'pino'
import t from 'tap'
import { checkServer } from '../../../src/cli/doctor/check-server.ts'
import { createWriteProbe } from '../../../src/bootstrap/write-probe.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { employee, send, startService } from '../../support/service.ts'

/* A full disk lets the database answer, but store nothing. Triggers refuse writes as it does, with its SQLSTATE. */

const onePlace = CITUS_URL === undefined ? {} : { skip: 'Citus allows no triggers on distributed tables' }
let logged = ''
const destination = new Writable({
  write(chunk: Buffer, _, done) {
    logged += String(chunk)
    done()
  },
})
const service = await startService(t, {}, { log: pino({}, destination) })
const { superUrl } = service.urls
const isReady = async () => (await send(service.address, 'GET', '/readyz', {})).status === 200

await asSuperuser(
  superUrl,
  `create function disk_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
)
const fill = (table: string) =>
  asSuperuser(superUrl, `create trigger disk_full before insert on ${table} execute function disk_full()`)
const free = (table: string) => asSuperuser(superUrl, `drop trigger disk_full on ${table}`)

await t.test(
  'a process is not ready once a call could not be stored, and is again once one was',
  onePlace,
  async (t) => {
    t.equal(await isReady(), true)
    await fill('events')
    t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 503)
    t.equal(await isReady(), false)
    t.match(logged, /the ledger could not be written/)
    t.notMatch(logged, /connection was lost/)
    await free('events')
    t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
    t.equal(await isReady(), true)
  },
)

await t.test('doctor says that nothing can be stored', onePlace, async (t) => {
  const ofWrites = async () =>
    (await checkServer(service.pool, { api: 20, worker: 20 })).find(({ check }) => check === 'writes')
  t.match(await ofWrites(), { level: 'ok' })
  await fill('failing_work')
  t.match(await ofWrites(), { level: 'fail', found: /stores nothing/, advice: /free space/ })
  await free('failing_work')
  t.match(await ofWrites(), { level: 'ok' })
})

await t.test(
  'without a call, a rare probe tells whether a write is possible, and leaves nothing',
  onePlace,
  async (t) => {
    let now = 0
    const statements: string[] = []
    const { pool } = service
    const probe = createWriteProbe(pool, { now: () => now, probeMs: 60_000 })
    pool.on('acquire', () => statements.push('acquired'))
    t.equal(await probe.isPossible(), true)
    await fill('failing_work')
    t.equal(await probe.isPossible(), true, 'as far as it knows')
    now += 61_000
    t.equal(await probe.isPossible(), false)
    await free('failing_work')
    t.equal(await probe.isPossible(), false, 'as far as it knows')
    t.equal(statements.length, 2)
    now += 6_000
    t.strictSame(await Promise.all([probe.isPossible(), probe.isPossible()]), [true, true])
    t.equal(statements.length, 3, 'those who ask at once share a probe')
    probe.watch(() => undefined).onFailed(Object.assign(new Error('any other'), { cause: new Error('cause') }))
    t.equal(await probe.isPossible(), true, 'other errors say nothing about the disk')
    t.strictSame((await pool.query('select from failing_work')).rowCount, 0)
  },
)
