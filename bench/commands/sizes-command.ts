import type { Command } from 'commander'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCounts, parsePositive, printProgress, recordsOption } from '../compare/command-options.ts'
import { fillLedger } from './fill-ledger.ts'
import type { Machine } from '../processes/machine.ts'
import { describeMachine } from '../processes/machine.ts'
import { plotLines } from '../report/line-plot.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { openOurs } from '../peers/ours-peer.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import type { SizeResult } from './sizes.ts'
import { measureSize } from './sizes.ts'

interface Options extends RunOptions {
  events: number[]
  seconds: number
  records: number
}

const COMPANIES = 1
/** Calls of each kind at each size. */
const CALLS = 1_000

/** `bench sizes`: the latencies of the service on small and large ledgers. */
export function addSizesCommand(program: Command): void {
  const command = program
    .command('sizes')
    .description('measure the service on ledgers of different sizes')
    .option('--events <numbers>', 'sizes of the ledger', parseCounts, [10_000, 1_000_000])
    .option('--seconds <n>', 'duration of the lag measurement', parsePositive, 10)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run({ events, seconds, records, out, dataDir }: Options): Promise<void> {
  const { machine, sizes } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    const database = 'bench_sizes'
    const ours = await openOurs(await server.createDatabase(database), { companies: [COMPANIES], records })
    const samples = { employeeIds: [], logIds: [] }
    const sizes: SizeResult[] = []
    for (const size of events.toSorted((a, b) => a - b)) {
      await fillLedger(ours, COMPANIES, size, records, samples, printProgress)
      // In a ledger that grows over months, autovacuum does this.
      await server.run('vacuum (analyze)', database)
      await server.run('checkpoint')
      printProgress(`measuring at ${size} events`)
      sizes.push(await measureSize(ours, samples, { companies: COMPANIES, calls: CALLS, seconds, records }))
    }
    await ours.stop()
    return { machine, sizes }
  })
  const markdown = formatSizes(machine, sizes)
  await publishResults(out, 'sizes', { json: { machine, sizes }, markdown, svg: plotSizes(sizes) })
}

function formatSizes(machine: Machine, sizes: SizeResult[]): string {
  const smallest = sizes[0]!
  const row = (name: string, pick: (size: SizeResult) => { p50Ms: number; p99Ms: number }) => [
    name,
    ...sizes.map((size) => `${formatNumber(pick(size).p50Ms)} / ${formatNumber(pick(size).p99Ms)}`),
    ratio(pick(sizes.at(-1)!).p50Ms, pick(smallest).p50Ms),
    ratio(pick(sizes.at(-1)!).p99Ms, pick(smallest).p99Ms),
  ]
  const names = [
    'p50 / p99 in ms',
    ...sizes.map(({ events }) => `${events} events`),
    'p50 last / first',
    'p99 last / first',
  ]
  const rows = Object.keys(smallest.results).map((name) => row(name, ({ results }) => results[name]!))
  return [formatMachine(machine), formatTable(names, [...rows, row('lag at half of the peak', ({ lag }) => lag)])].join(
    '\n\n',
  )
}

/** Plots the 99th percentile of each kind of call over the sizes. */
function plotSizes(sizes: Pick<SizeResult, 'events' | 'results'>[]): string {
  const lines = Object.keys(sizes[0]!.results).map((name) => ({
    name,
    points: sizes.map(({ events, results }) => ({ x: events, y: results[name]!.p99Ms })),
  }))
  const marks = sizes.map(({ events }) => ({ x: events, label: events.toLocaleString('en') }))
  return plotLines(
    lines,
    { x: 'events of the ledger', y: 'ms, 99th percentile', marks, isLogarithmic: true },
    'What calls take, by size',
  )
}

function ratio(last: number, first: number): string {
  return `${(last / first).toFixed(2)} ×`
}
