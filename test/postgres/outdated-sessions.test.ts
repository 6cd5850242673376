import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import t from 'tap'
import { openDatabase, openPreparedDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'

const { ownerUrl: url } = await createEmptyDatabase(t)
const pool = openPool({ url, name: 'test', max: 1 })
t.teardown(() => pool.end())
await pool.query('create sequence tries')
await pool.query(`create function fail_once(code text) returns integer language plpgsql as $$
  begin if nextval('tries') = 1 then raise 'once' using errcode = code; end if; return pg_backend_pid(); end $$`)
const db = openDatabase<unknown>(pool)

async function backendOf(of: Kysely<unknown>): Promise<number> {
  return (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(of)).rows[0]!.pid
}

/** The next flaky read fails again. */
const failNext = () => pool.query(`select setval('tries', 1, false)`)

/** Reads a value that the server refuses the first time; returns the session that answered. */
async function readFlaky(of: Kysely<unknown>, code: string): Promise<number> {
  return (await sql<{ pid: number }>`select fail_once(${code}) as pid`.execute(of)).rows[0]!.pid
}

for (const code of ['42P01', 'XX000', '26000', '42P05']) {
  await t.test(`a read that fails with ${code} is answered by another session`, async (t) => {
    await failNext()
    const before = await backendOf(db)
    t.not(await readFlaky(db, code), before)
  })
}

await t.test('a read that loses to another transaction (40001) is repeated, and the session stays', async (t) => {
  await failNext()
  const before = await backendOf(db)
  t.equal(await readFlaky(db, '40001'), before)
})

await t.test('other errors are not retried, and the session stays', async (t) => {
  await failNext()
  const before = await backendOf(db)
  await t.rejects(readFlaky(db, '22012'), { code: '22012' })
  t.equal(await backendOf(db), before)
})

await t.test('a read that fails twice fails', async (t) => {
  await t.rejects(sql`select 1 from nothing`.execute(db), { code: '42P01' })
})

await t.test('nothing is retried that depends on its session, or that may have written', async (t) => {
  await failNext()
  const inTransaction = db.transaction().execute((transaction) => readFlaky(transaction, '42P01'))
  await t.rejects(inTransaction, { code: '42P01' })
  await failNext()
  await db.connection().execute(async (connection) => {
    const before = await backendOf(connection)
    await t.rejects(readFlaky(connection, '42P01'), { code: '42P01' })
    t.equal(await backendOf(connection), before)
  })
  await failNext()
  await pool.query('create table if not exists notes (n integer)')
  await t.rejects(sql`insert into notes select fail_once('XX000')`.execute(db), { code: 'XX000' })
  t.strictSame((await pool.query('select n from notes')).rows, [])
})

await t.test('a session that has lost its prepared statements is replaced', async (t) => {
  const prepared = openPreparedDatabase<unknown>(pool)
  const read = async (of: Kysely<unknown>) => (await sql`select ${1}::integer as one`.execute(of)).rows
  const one = [{ one: 1 }]
  t.strictSame(await read(prepared), one)
  await pool.query('deallocate all')
  t.strictSame(await read(prepared), one, 'a read is answered by another session')
  await pool.query('deallocate all')
  const inTransaction = () => prepared.transaction().execute(read)
  await t.rejects(inTransaction(), { code: '26000' })
  t.strictSame(await inTransaction(), one, 'the next transaction has another session')
})
