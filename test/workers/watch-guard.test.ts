import { Writable } from 'node:stream'
import { pino } from 'pino'
import pg from 'pg'
import t from 'tap'
import { watchGuard } from '../../src/workers/watch-standstill.ts'
import { eventually } from '../support/eventually.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { testServerUrls } from '../support/postgres/test-server.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const lines: Record<string, unknown>[] = []
const stream = new Writable({
  write(line: Buffer, _, done) {
    lines.push(JSON.parse(String(line)) as Record<string, unknown>)
    done()
  },
})
const rounds: number[] = []
const guard = watchGuard({
  db: service.db,
  log: pino({ level: 'info' }, stream),
  intervalMs: 10,
  onRound: (count) => rounds.push(count),
})
t.teardown(() => guard.stop())

/** A session of a superuser on the machine that has the events, or on one of them; it reaches shards, too. */
async function enterMachine(): Promise<pg.Client> {
  const machine = Object.assign(new URL(testServerUrls().machines.at(-1)!), { pathname: `/${service.urls.name}` })
  const client = new pg.Client({ connectionString: machine.href })
  await client.connect()
  t.teardown(() => client.end())
  if (CITUS_URL !== undefined)
    await client.query('set citus.override_table_visibility = off; set citus.enable_manual_changes_to_shards = on')
  return client
}

const roundWith = (count: number) => eventually(`a round with ${count}`, async () => rounds.splice(0).at(-1) === count)

await t.test('within a round, the log and the count say that a trigger is off, and that it is back', async (t) => {
  await roundWith(0)
  t.strictSame(lines, [])
  const client = await enterMachine()
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname ~ $1 limit 1`,
    [CITUS_URL === undefined ? '^events$' : '^events_[0-9]+$'],
  )
  const table = rows[0]!.name
  await client.query(`alter table ${table} disable trigger user`)
  await roundWith(1)
  t.match(lines, [{ level: 50, count: 1, tables: [table], msg: /^events can be changed/ }], 'once')
  await client.query(`alter table ${table} enable trigger user`)
  await roundWith(0)
  t.match(lines.at(-1), { level: 40, count: 0, msg: /are back$/ })
  t.equal(lines.length, 2)
})
