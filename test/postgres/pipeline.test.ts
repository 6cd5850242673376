import { spawnSync } from 'node:child_process'
import type { Socket } from 'node:net'
import type { PoolClient } from 'pg'
import t from 'tap'
import { openPool, type Statement } from '../../src/postgres/pool.ts'
import { BEGIN, COMMIT, pipeline, pipelineInTurns } from '../../src/postgres/pipeline.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'

const { ownerUrl: url } = await createEmptyDatabase(t)
const pool = openPool({ url, name: 'test pipelines', max: 2 })
t.teardown(() => pool.end())
await pool.query('create table notes (id integer primary key, text text, at timestamptz, bytes bytea)')
const note = (id: number, text: string | null): Statement => ({
  name: 'note',
  text: 'insert into notes (id, text, at) values ($1, $2, $3)',
  values: [String(id), text, '2026-01-02T03:04:05.678Z'],
})
const NOTES: Statement = { name: 'notes', text: 'select id, text, at from notes order by id' }
const FAILING: Statement = { name: 'failing', text: 'select 1 / $1::integer as n', values: ['0'] }

const send = (client: PoolClient, statements: Statement[]) =>
  pipeline(client, (pipe) => Promise.all(statements.map((statement) => pipe.query(statement))))
const settle = (client: PoolClient, statements: Statement[]) =>
  pipeline(client, (pipe) => Promise.allSettled(statements.map((statement) => pipe.query(statement))))
async function onConnection<Result>(task: (client: PoolClient) => Promise<Result>, of = pool): Promise<Result> {
  const client = await of.connect()
  try {
    return await task(client)
  } finally {
    client.release(true)
  }
}

await t.test(
  'a name that PostgreSQL would cut is refused, because another statement may have what is left',
  async (t) => {
    await onConnection(async (client) => {
      t.throws(() => send(client, [{ ...NOTES, name: 'n'.repeat(55) }]), RangeError)
      await t.resolves(send(client, [{ ...NOTES, name: 'n'.repeat(54) }]))
    })
  },
)

await t.test("each statement gets its own rows, in the pool's types, and sees the writes before it", async (t) => {
  await onConnection(async (client) => {
    for (const ids of [
      [1, 2],
      [3, 4],
    ] as const) {
      const [began, inserted, , read, committed] = await send(client, [
        BEGIN,
        note(ids[0], 'é'),
        note(ids[1], null),
        NOTES,
        COMMIT,
      ])
      t.match(
        [began, inserted, committed],
        [{ command: 'BEGIN', rowCount: null }, { command: 'INSERT', rowCount: 1, rows: [] }, { command: 'COMMIT' }],
      )
      t.equal(read!.rowCount, ids[1])
      const at = '2026-01-02T03:04:05.678Z'
      t.strictSame(read!.rows.slice(-2), [
        { id: ids[0], text: 'é', at },
        { id: ids[1], text: null, at },
      ])
    }
    const { rows } = await client.query<{ name: string; n: number }>(
      'select name, (generic_plans + custom_plans)::integer as n from pg_prepared_statements',
    )
    t.equal(rows.find(({ name }) => name.endsWith('note'))?.n, 4, 'a statement is prepared once')
  })
})

await t.test('a failed statement stops those behind it, and all of them get its error', async (t) => {
  await onConnection(async (client) => {
    const outcomes = await settle(client, [BEGIN, note(10, 'lost'), FAILING, note(11, 'never run'), COMMIT])
    t.strictSame(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'],
    )
    for (const outcome of outcomes.slice(2)) t.match(outcome, { reason: { code: '22012' } })
    t.match((await client.query('rollback')).command, 'ROLLBACK', 'the connection can still end the transaction')
    const [refused] = await settle(client, [NOTES])
    t.match(refused, { status: 'rejected', reason: { message: 'a pipeline has failed on this connection' } })
  })
  t.strictSame((await pool.query('select id from notes where id >= 10')).rows, [])
})

await t.test('a statement in a pipeline never clashes with one of the same name outside', async (t) => {
  const outside = { name: 'word', text: "select 'outside' as word" }
  const piped: Statement = { name: 'word', text: "select 'piped' as word" }
  const words = async (client: PoolClient) => [
    (await client.query(outside)).rows[0].word,
    (await send(client, [piped]))[0]!.rows[0]!['word'],
  ]
  await onConnection(async (client) => {
    t.strictSame(await words(client), ['outside', 'piped'])
    t.strictSame(await words(client), ['outside', 'piped'], 'both names are still known')
  })
})

await t.test('a cut connection rejects the unanswered statements', async (t) => {
  const line = await openDatabaseLine(t, () => Number(new URL(url).port))
  const cut = openPool({ url: line.through(url), name: 'test cut', max: 1 })
  t.teardown(() => cut.end())
  await onConnection(async (client) => {
    line.loseNext('swallow the answer to COMMIT')
    const outcomes = await settle(client, [BEGIN, note(20, 'stored'), COMMIT])
    t.equal(outcomes[2]!.status, 'rejected')
  }, cut)
  t.strictSame((await pool.query('select text from notes where id = 20')).rows, [{ text: 'stored' }])
})

await t.test('late answers reach nobody', async (t) => {
  const client = await pool.connect()
  const late: Statement = { name: 'late', text: "select 'late' as word from pg_sleep(0.3)" }
  // node-postgres sets this time-out for a whole pool, far above what a test can wait for.
  Object.assign((client as unknown as { connectionParameters: object }).connectionParameters, { query_timeout: 50 })
  const outcomes = await settle(client, [late, { name: 'later', text: "select 'later' as word" }])
  t.match(outcomes, [{ reason: { message: 'Query read timeout' } }, { reason: { message: 'Query read timeout' } }])
  // The connection drains after the late answers.
  await new Promise((resolve) => {
    client.once('drain', resolve)
  })
  client.release(true)
  t.strictSame((await pool.query('select 1 as one')).rows, [{ one: 1 }])
})

await t.test('a pipeline takes many large values', async (t) => {
  const bytes = Buffer.alloc(4_000_000, 7)
  const statements = Array.from({ length: 3 }, (_, at): Statement => ({
    name: 'store',
    text: 'insert into notes (id, bytes) values ($1, $2) returning length(bytes) as n',
    values: [String(100 + at), bytes],
  }))
  const answers = await onConnection((client) => send(client, [BEGIN, ...statements, COMMIT]))
  for (const { rows } of answers.slice(1, -1)) t.strictSame(rows, [{ n: bytes.length }])
})

/** Ends once somebody has this advisory lock. */
const AWAIT_LOCK = `
  const { Client } = require('pg')
  const client = new Client(process.argv[1])
  const look = async () => {
    const { rowCount } = await client.query("select from pg_locks where locktype = 'advisory' and objid = " + process.argv[2] + " and database = (select oid from pg_database where datname = current_database())")
    if (rowCount === 0) return setTimeout(look, 10)
    return client.end()
  }
  void client.connect().then(look)`

await t.test('the server begins with flushed statements while the next ones are prepared', async (t) => {
  const lock: Statement = { name: 'lock', text: 'select pg_advisory_xact_lock(30)' }
  await onConnection(async (client) => {
    const { isSeen, answers } = pipeline(client, (pipe) => {
      const first = [pipe.query(BEGIN), pipe.query(lock)]
      pipe.flush()
      const { status } = spawnSync(process.execPath, ['-e', AWAIT_LOCK, url, '30'], { timeout: 60_000 })
      return {
        isSeen: status === 0,
        answers: Promise.all([...first, pipe.query(note(30, 'after')), pipe.query(COMMIT)]),
      }
    })
    t.ok(isSeen)
    t.equal((await answers).at(-1)!.command, 'COMMIT')
  })
  t.strictSame((await pool.query('select text from notes where id = 30')).rows, [{ text: 'after' }])
})

await t.test('what is flushed is held until the server has taken it, or will take no more', async (t) => {
  const large: Statement = {
    name: 'large',
    text: 'select length($1::text) as length, pg_sleep($2::integer)',
    values: ['x'.repeat(32_000_000), '0'],
  }
  await onConnection(async (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    const { asked } = await pipelineInTurns(client, async (pipe) => {
      const asked = pipe.query(large)
      pipe.flush()
      t.ok(stream.writableLength > 0)
      await pipe.taken()
      t.equal(stream.writableLength, 0)
      return { asked }
    })
    t.match((await asked).rows, [{ length: 32_000_000 }])
  })
  await onConnection(async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { asked } = await pipelineInTurns(client, async (pipe) => {
      const asked = pipe.query({ ...large, name: 'slow', text: `${large.text} from pg_sleep(60)` })
      const next = pipe.query({ ...large, name: 'next' })
      pipe.flush()
      await pool.query('select pg_terminate_backend($1)', [rows[0]!.pid])
      await pipe.taken()
      return { asked: Promise.all([asked, next]) }
    })
    await t.rejects(asked)
  })
})

await t.test('an error before the end leaves the connection usable, and sends nothing more', async (t) => {
  const stop = new Error('stop')
  for (const flushes of [false, true])
    await onConnection(async (client) => {
      const send = () =>
        pipeline(client, (pipe) => {
          void pipe.query(BEGIN)
          void pipe.query(FAILING)
          if (flushes) pipe.flush()
          void pipe.query(note(31, 'never sent'))
          void pipe.query(COMMIT)
          throw stop
        })
      t.throws(send, stop)
      t.match((await client.query('rollback')).command, 'ROLLBACK')
      t.strictSame((await client.query('select id from notes where id = 31')).rows, [])
    })
})
