import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { formatAgainst } from '../../bench/against/against-command.ts'
import { measureAgainst, SIDES } from '../../bench/against/against.ts'
import { withCheckout } from '../../bench/against/checkout.ts'
import { KINDS } from '../../bench/against/kinds.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the comparison of two versions with a handful of calls; the figures are not checked. */

const ROOT = path.resolve(import.meta.dirname, '../..')

await t.test('both versions answer every kind of call, and the table compares them', onOneServer, async (t) => {
  const server = benchServer('bench_')
  // The tests' server doesn't count statements.
  const withoutCounts = { ...server, run: (text: string, ...on: [string?]) => server.run(countNothing(text), ...on) }
  const options = { rounds: 1, share: 0.001, records: 10, only: [], folders: { before: ROOT, after: ROOT } }
  const results = await measureAgainst(withoutCounts as typeof server, options, () => undefined)
  for (const side of SIDES)
    for (const kind of ['hot', 'cold']) await server.dropDatabase(`bench_${side}_${kind}_${process.pid}`)
  t.strictSame(
    results.map(({ name, callers, isCold }) => `${name} ${callers} ${isCold}`).toSorted(),
    [
      ...KINDS.map(({ name, callers, isCold }) => `${name} ${callers} ${isCold}`),
      ...['start 1 false', 'first calls after the start 1 false'],
    ].toSorted(),
  )
  for (const { name, rounds } of results) for (const side of SIDES) t.ok(rounds[side][0]!.calls > 0, `${side}: ${name}`)
  t.match(formatAgainst(results), /^\| nightly-sync, cold \| 4 \| /m)
})

function countNothing(text: string): string {
  return text.includes('pg_stat_statements') ? `select 0 as statements, 0 as rows, 0 as "walBytes"` : text
}

await t.test('a revision is in a folder of its own until the task is over', async (t) => {
  const { folder, commit } = await withCheckout('HEAD', t.testdir(), async (checkout) => {
    t.ok(existsSync(path.join(checkout.folder, 'src/main.ts')))
    t.ok(existsSync(path.join(checkout.folder, 'node_modules/fastify')))
    return checkout
  })
  t.match(commit, /^[0-9a-f]{7,}$/)
  t.notOk(existsSync(folder))
})

await t.test('an unknown revision is refused by name', async (t) => {
  await t.rejects(
    withCheckout('no-such-revision', t.testdir(), async () => undefined),
    /no-such-revision/,
  )
})
