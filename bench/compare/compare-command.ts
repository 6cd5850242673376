import type { Command } from 'commander'
import {
  addRunOptions,
  parseCount,
  parseCounts,
  parsePositive,
  parseNames,
  printProgress,
  recordsOption,
} from './command-options.ts'
import type { RunOptions } from './command-options.ts'
import type { CellResult, CompareOptions } from './compare.ts'
import { compare, withPeers } from './compare.ts'
import type { LagResult } from './lag.ts'
import { measureLag } from './lag.ts'
import type { Machine } from '../processes/machine.ts'
import { describeMachine } from '../processes/machine.ts'
import { formatLagTable, formatMachine, formatRatioTable, formatThroughputTable } from './markdown.ts'
import { CRUD_CONNECTIONS } from '../peers/crud-peer.ts'
import type { Ours } from '../peers/ours-peer.ts'
import { PEERS, WORKS } from '../load/peer.ts'
import { plotRatios } from './plot.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { computeRatios } from './ratios.ts'
import { publishResults } from '../report/results.ts'

interface Options extends RunOptions, Omit<CompareOptions, 'callers' | 'peers' | 'works'> {
  only: CompareOptions['peers']
  work: CompareOptions['works']
  callers?: number[]
  quick?: boolean
}

const LAG_CALLERS = 32

/** `bench compare`, the default command. */
export function addCompareCommand(program: Command): void {
  const command = program
    .command('compare', { isDefault: true })
    .description('compare the service with its peers')
    .option('--rounds <n>', 'rounds; each measures every peer', parseCount, 5)
    .option('--seconds <n>', 'duration of one measurement', parsePositive, 3)
    .option('--only <peers>', `some of ${PEERS.join(',')}`, parseNames(PEERS), [...PEERS])
    .option('--work <works>', `some of ${WORKS.join(',')}`, parseNames(WORKS), [...WORKS])
    .option('--companies <numbers>', 'numbers of companies to spread the calls over', parseCounts, [1, 64])
    .option('--callers <numbers>', 'numbers of concurrent callers (default: depends on the work)', parseCounts)
    .addOption(recordsOption())
    .option('--quick', 'one short round as a smoke test; the results are not meaningful')
  addRunOptions(command).action(run)
}

/** The results of a run. */
interface CompareResults {
  machine: Machine
  options: CompareOptions
  cells: CellResult[]
  lags: LagResult[]
}

async function run(given: Options): Promise<void> {
  const quick = given.quick === true ? { rounds: 1, seconds: 0.3, records: 100 } : {}
  const { only: peers, work: works, callers = null, out, dataDir, quick: _, ...rest } = { ...given, ...quick }
  const options: CompareOptions = { ...rest, peers, works, callers }
  const results = await withThrowawayServer(dataDir, {}, async (server, folder): Promise<CompareResults> => {
    const machine = await describeMachine(server, folder)
    printProgress(formatMachine(machine))
    return withPeers(server, options, async (open) => {
      const cells = await compare(server, open, options, printProgress)
      const lags: LagResult[] = []
      const ours = open.find(({ name }) => name === 'ours') as Ours | undefined
      for (const companies of ours ? options.companies : []) {
        printProgress(`lag, ${companies} companies`)
        const { seconds, rounds, records } = options
        lags.push(await measureLag(ours!, { companies, seconds: seconds * rounds, callers: LAG_CALLERS, records }))
      }
      return { machine, options, cells, lags }
    })
  })
  const markdown = compareMarkdown(results)
  const ratios = results.cells.flatMap(computeRatios)
  const svg = plotRatios(ratios, 'Calls a second, employee-ledger / peer')
  await publishResults(out, 'compare', { json: { ...results, ratios }, markdown, svg })
  if (failuresOf(results) > 0) {
    printProgress('calls failed; the results are not valid')
    process.exitCode = 1
  }
}

function describeRun({ rounds, seconds, records }: CompareOptions): string {
  return `${rounds} rounds of ${seconds} s, ${records} records in a bulk call, ${CRUD_CONNECTIONS} connections for each peer.`
}

/** The tables of a run. */
export function compareMarkdown({ machine, options, cells, lags }: CompareResults): string {
  return [
    formatMachine(machine),
    describeRun(options),
    formatRatioTable(cells.flatMap(computeRatios)),
    formatThroughputTable(cells),
    ...(lags.length > 0 ? ['From the answer until the log shows the entry:', formatLagTable(lags)] : []),
  ].join('\n\n')
}

/** Counts the failed calls of a run. */
export function failuresOf({ cells, lags }: Pick<CompareResults, 'cells' | 'lags'>): number {
  const measured = cells.flatMap(({ peers }) => Object.values(peers).flat())
  return [...measured, ...lags].reduce((sum, { failures }) => sum + failures, 0)
}
