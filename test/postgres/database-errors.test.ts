import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { isLockFailure, isPermanent, isTransient } from '../../src/postgres/database-errors.ts'
import { freePort } from '../support/processes/free-port.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/** The error of a query at this address, and after the end of the pool. */
async function errorsOf(url: string): Promise<unknown[]> {
  const pool = openPool({ url, name: 'test', max: 1, connectTimeoutMs: 100 })
  const ask = () => pool.query('select 1').then(String, (error: unknown) => error)
  const first = await ask()
  await pool.end()
  return [first, await ask()]
}

await t.test('errors of connections pass, however they are reported', async (t) => {
  const silent = net.createServer(() => undefined).listen(0, '127.0.0.1')
  const closing = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await Promise.all([silent, closing].map((server) => once(server, 'listening')))
  t.teardown(() => [silent, closing].forEach((server) => server.close()))
  const portOf = (server: net.Server) => (server.address() as AddressInfo).port
  const nobody = await freePort()
  for (const place of [
    `127.0.0.1:${nobody}`,
    `localhost:${nobody}`,
    'no.such.host.invalid:5432',
    `127.0.0.1:${portOf(silent)}`,
    `127.0.0.1:${portOf(closing)}`,
    `127.0.0.1:${portOf(closing)}/x?sslmode=verify-full`,
  ]) {
    const [first, afterEnd] = await errorsOf(`postgres://someone@${place}`)
    for (const error of [first, afterEnd]) {
      t.ok(error instanceof Error, place)
      t.ok(isTransient(error), `${place}: ${String(error)}`)
      t.notOk(isPermanent(error), `${place}: ${String(error)}`)
    }
  }
})

await t.test('errors of the program last', async (t) => {
  for (const error of [new TypeError('x is undefined'), new Error('unknown type NobodyKnows'), 'thrown text'])
    t.strictSame([isTransient(error), isPermanent(error)], [false, true])
})

await t.test('a statement in a deadlock is one that can get its lock later', async (t) => {
  const { superUrl } = await createTestDatabase(t)
  const clients = [
    new pg.Client({ connectionString: superUrl }),
    new pg.Client({ connectionString: superUrl }),
  ] as const
  for (const [at, client] of clients.entries()) {
    await client.connect()
    t.teardown(() => client.end())
    await client.query("set deadlock_timeout = '10ms'; begin")
    await client.query('select pg_advisory_xact_lock($1)', [at])
  }
  const crossed = clients.map((client, at) => client.query('select pg_advisory_xact_lock($1)', [1 - at]))
  const errors = (await Promise.allSettled(crossed)).flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  )
  t.equal(errors.length, 1)
  t.ok(isLockFailure(errors[0]))
})
