import t from 'tap'
import { compareMarkdown, failuresOf } from '../../bench/compare/compare-command.ts'
import type { CompareOptions } from '../../bench/compare/compare.ts'
import { compare, withPeers } from '../../bench/compare/compare.ts'
import { measureLag } from '../../bench/compare/lag.ts'
import { describeMachine } from '../../bench/processes/machine.ts'
import type { Ours } from '../../bench/peers/ours-peer.ts'
import { WORKS } from '../../bench/load/peer.ts'
import { plotRatios } from '../../bench/compare/plot.ts'
import { computeRatios } from '../../bench/compare/ratios.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the comparison with a handful of calls; the figures are not checked. */

const server = benchServer('bench_ours')
const RECORDS = 10
const OPTIONS: CompareOptions = {
  rounds: 1,
  seconds: 0.01,
  peers: ['crud', 'ours', 'cold'],
  works: [...WORKS],
  companies: [2],
  callers: [2],
  records: RECORDS,
}

const COLD = ['bulk-patch', 'bulk-patch-unchanged', 'nightly-sync']

await t.test(
  'every peer answers all of its work without a failure, and the report compares them',
  onOneServer,
  async (t) => {
    const run = await withPeers(server, OPTIONS, async (peers) => {
      const cells = await compare(server, peers, OPTIONS, () => undefined)
      const ours = peers.find(({ name }) => name === 'ours') as Ours
      const lag = await measureLag(ours, { companies: 2, seconds: 0.1, callers: 2, records: RECORDS })
      return { cells, lags: [lag], plain: await rowsOfPlainPeer() }
    })

    t.strictSame(
      run.cells.map(({ work }) => work),
      WORKS,
      'one cell per task',
    )
    t.equal(failuresOf(run), 0)
    for (const { work, peers } of run.cells) {
      const able = ['crud', 'ours', ...(COLD.includes(work) ? ['cold'] : [])].toSorted()
      t.strictSame(Object.keys(peers).toSorted(), able, work)
      for (const [measured] of Object.values(peers)) t.ok(measured!.calls >= 6 && measured!.perSecond > 0, work)
    }
    t.ok(run.lags[0]!.followed > 0, 'calls were found in the log')

    const ratios = run.cells.flatMap(computeRatios)
    t.ok(ratios.every(({ spread }) => spread.median > 0))
    const machine = await describeMachine(server, t.testdir())
    const markdown = compareMarkdown({ machine, options: OPTIONS, ...run })
    for (const work of WORKS)
      t.match(markdown, new RegExp(`^\\| ${work} \\| 2 \\| 2 \\| answered \\| crud \\| [0-9]`, 'm'))
    t.match(plotRatios(ratios, 'ratios'), /^<svg [^]*<\/svg>\n$/)

    t.ok(run.plain.entries > 0)
    t.equal(run.plain.details, run.plain.records, 'the plain peer logs every record')
    t.equal(run.plain.counted, run.plain.entries, 'and charges every write')
  },
)

async function rowsOfPlainPeer() {
  const [row] = await server.run<{ entries: number; records: number; details: number; counted: number }>(
    `select count(*)::integer as entries, sum(total)::integer as records,
       (select count(*) from log_records)::integer as details, (select sum(requests_made) from api_keys)::integer as counted
     from logs`,
    `bench_crud_${process.pid}`,
  )
  return row!
}
