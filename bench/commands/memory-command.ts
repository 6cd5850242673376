import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, parsePositive, printProgress, recordsOption } from '../compare/command-options.ts'
import { describeMachine, readResidentBytes } from '../processes/machine.ts'
import { plotLines } from '../report/line-plot.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import type { Ours } from '../peers/ours-peer.ts'
import { openOurs } from '../peers/ours-peer.ts'
import type { Work } from '../load/peer.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { fitSlope } from '../report/statistics.ts'

interface Options extends RunOptions {
  minutes: number
  callers: number
  records: number
}

/** The resident memory of the service at a time of the run. */
interface Sample {
  hours: number
  mebibytes: number
}

const COMPANIES = 64
/** Milliseconds between two samples. */
const SAMPLE_MS = 5_000
/** The kinds of calls that take turns, and the number of calls per turn. */
const TURNS: [Work, number][] = [
  ['single-create', 1000],
  ['single-patch', 1000],
  ['verify', 500],
  ['bulk-create', 4],
  ['bulk-patch', 4],
]
/** The share of the run that the slope leaves out, because memory still grows to its working size. */
const WARM_UP_SHARE = 0.2

/** `bench memory`: the resident memory of the service under load, and whether it grows. */
export function addMemoryCommand(program: Command): void {
  const command = program
    .command('memory')
    .description('measure the resident memory of the service under load')
    .option('--minutes <n>', 'duration of the run', parsePositive, 60)
    .option('--callers <n>', 'concurrent callers', parseCount, 32)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run({ minutes, callers, records, out, dataDir }: Options): Promise<void> {
  const { machine, samples, calls } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    const ours = await openOurs(await server.createDatabase('bench_memory'), { companies: [COMPANIES], records })
    const measured = await watch(ours, { seconds: minutes * 60, callers })
    await ours.stop()
    return { machine, ...measured }
  })
  const steady = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  const { slope, standardError } = fitSlope(steady.map(({ hours, mebibytes }) => ({ x: hours, y: mebibytes })))
  const held = steady.map(({ mebibytes }) => mebibytes)
  const row = [
    calls,
    steady.length,
    formatNumber(held[0]!),
    formatNumber(Math.max(...held)),
    formatNumber(held.at(-1)!),
    `${slope.toFixed(1)} ± ${standardError.toFixed(1)}`,
  ]
  const names = ['calls', 'samples', 'first MiB', 'most MiB', 'last MiB', 'slope, MiB an hour (± standard error)']
  const markdown = [
    formatMachine(machine),
    `${minutes} minutes, ${callers} callers, the first fifth left out.`,
    formatTable(names, [row]),
  ].join('\n\n')
  const json = { machine, calls, slope, standardError, samples }
  await publishResults(out, 'memory', { json, markdown, svg: plotMemory(samples) })
}

/** Plots memory over the minutes of the run. */
function plotMemory(samples: Sample[]): string {
  const points = samples.map(({ hours, mebibytes }) => ({ x: hours * 60, y: mebibytes }))
  const marks = [points[0]!, points[Math.floor(points.length / 2)]!, points.at(-1)!].map(({ x }) => ({
    x,
    label: String(Math.round(x)),
  }))
  return plotLines([{ name: 'resident', points }], { x: 'minutes', y: 'MiB', marks }, 'Resident memory under load')
}

/** Keeps the service busy and samples its memory. */
async function watch(
  ours: Ours,
  { seconds, callers }: { seconds: number; callers: number },
): Promise<{ samples: Sample[]; calls: number }> {
  const samples: Sample[] = []
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1000
  let calls = 0
  async function look(): Promise<void> {
    while (elapsed() < seconds) {
      samples.push({ hours: elapsed() / 3600, mebibytes: (await readResidentBytes(ours.server.pid)) / 2 ** 20 })
      printProgress(`${(elapsed() / 60).toFixed(1)} min, ${calls} calls, ${samples.at(-1)!.mebibytes.toFixed(0)} MiB`)
      await pause(SAMPLE_MS)
    }
  }
  const looking = look()
  for (let turn = 0; elapsed() < seconds; turn += 1) {
    const [work, count] = TURNS[turn % TURNS.length]!
    assertNoFailures(work, await runCalls(ours.prepare({ work, companies: COMPANIES }, count), callers))
    calls += count
  }
  await looking
  return { samples, calls }
}
