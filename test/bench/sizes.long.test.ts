import t from 'tap'
import { fillLedger } from '../../bench/commands/fill-ledger.ts'
import { measureSize } from '../../bench/commands/sizes.ts'
import { openOurs } from '../../bench/peers/ours-peer.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the benchmark of sizes on a small ledger; the figures are not checked. */

await t.test('every kind of call on a filled ledger is answered as expected', onOneServer, async (t) => {
  const server = benchServer('bench_sizes')
  t.teardown(() => server.dropDatabase('bench_sizes'))
  const [companies, records] = [1, 100]
  const ours = await openOurs(await server.createDatabase('bench_sizes'), { companies: [companies], records })
  t.teardown(() => ours.stop())
  const samples = { employeeIds: [], logIds: [] }
  await fillLedger(ours, companies, 500, records, samples, () => undefined)
  const { results, lag } = await measureSize(ours, samples, { companies, calls: 10, seconds: 1, records })
  for (const [kind, { calls }] of Object.entries(results)) t.equal(calls, 10, kind)
  t.ok(lag.followed > 0)
})
