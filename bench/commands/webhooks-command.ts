import type { Command } from 'commander'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, parseNames, printProgress } from '../compare/command-options.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { describeMachine } from '../processes/machine.ts'
import type { BenchServer } from '../processes/postgres.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { median } from '../report/statistics.ts'
import type { ReplayResult, WebhookFleet, WebhookLag } from './webhooks.ts'
import { measureReplay, measureWebhookLag } from './webhooks.ts'

interface Sizes {
  fleets: number[]
  deliveries: number
  rounds: number
  seconds: number
  callsPerSecond: number
}

const FLEETS: Record<number, WebhookFleet> = {
  1: { webhooks: 1, companies: 1 },
  100: { webhooks: 100, companies: 25 },
  1000: { webhooks: 1_000, companies: 100 },
}
const SIZES = Object.keys(FLEETS)
const CONCURRENCIES = [1, 4, 16]
const USUAL = [4]
const SILENT = [0, 0.1, 0.5]

/** `bench webhooks`: deliveries per second, and what receivers that never answer cost the others. */
export function addWebhooksCommand(program: Command): void {
  const command = program
    .command('webhooks')
    .description('measure deliveries to 1, 100 and 1000 webhooks, also beside receivers that never answer')
    .option('--fleets <list>', 'of 1, 100 and 1000 webhooks', parseFleets, SIZES.map(Number))
    .option('--deliveries <n>', 'messages of a replay, of all webhooks together', parseCount, 20_000)
    .option('--rounds <n>', 'rounds of each measurement', parseCount, 3)
    .option('--seconds <n>', 'how long the load for the lag lasts', parseCount, 30)
    .option('--calls-per-second <n>', 'its rate', parseCount, 10)
  addRunOptions(command).action(run)
}

function parseFleets(text: string): number[] {
  return parseNames(SIZES)(text).map(Number)
}

async function run({ out, dataDir, ...sizes }: Sizes & RunOptions): Promise<void> {
  const { machine, replays, lags } = await withThrowawayServer(dataDir, {}, async (server, folder) => {
    const machine = await describeMachine(server, folder)
    return { machine, ...(await measureWebhooks(server, sizes)) }
  })
  const markdown = [formatMachine(machine), formatReplays(replays), formatLags(lags)].join('\n\n')
  await publishResults(out, 'webhooks', { json: { machine, replays, lags }, markdown })
}

/** Measures each fleet. Returns the result of each round. */
export async function measureWebhooks(
  server: BenchServer,
  { fleets, deliveries, rounds, seconds, callsPerSecond }: Sizes,
): Promise<{ replays: ReplayResult[]; lags: WebhookLag[] }> {
  const stage = { server, onProgress: printProgress }
  const [replays, lags]: [ReplayResult[], WebhookLag[]] = [[], []]
  for (const size of fleets) {
    const fleet = FLEETS[size]!
    const concurrencies = size === 1 ? CONCURRENCIES : USUAL
    replays.push(...(await measureReplay(stage, fleet, { deliveries, concurrencies, rounds })))
    for (let round = 0; round < rounds; round += 1)
      for (const silent of size === 1 ? [0] : SILENT)
        lags.push(await measureWebhookLag(stage, fleet, { silent, callsPerSecond, seconds }))
  }
  return { replays, lags }
}

export function formatReplays(replays: ReplayResult[]): string {
  const groups = Map.groupBy(replays, ({ webhooks, concurrency }) => `${webhooks} at ${concurrency}`)
  const rows = [...groups.values()].map((rounds) => {
    const { webhooks, companies, concurrency, deliveries } = rounds[0]!
    const perSecond = median(rounds.map(({ seconds }) => deliveries / seconds))
    const cpuMs = median(rounds.map(({ cpuSeconds }) => (cpuSeconds * 1_000) / deliveries))
    return [webhooks, companies, concurrency, deliveries, formatNumber(perSecond), formatNumber(cpuMs)]
  })
  return formatTable(
    ['webhooks', 'companies', 'concurrency of each', 'deliveries', 'deliveries/s', 'service, CPU ms a delivery'],
    rows,
  )
}

export function formatLags(lags: WebhookLag[]): string {
  const groups = Map.groupBy(lags, ({ webhooks, silent }) => `${webhooks} with ${silent}`)
  const rows = [...groups.values()].map((rounds) => {
    const { webhooks, companies, silent, callsPerSecond, deliveries } = rounds[0]!
    const of = (pick: (lag: WebhookLag) => number) => formatNumber(median(rounds.map(pick)))
    return [
      webhooks,
      companies,
      `${silent * 100} %`,
      callsPerSecond,
      deliveries,
      of(({ p50Ms }) => p50Ms),
      of(({ p99Ms }) => p99Ms),
      of(({ firstSeconds }) => firstSeconds),
    ]
  })
  return formatTable(
    [
      'webhooks',
      'companies',
      'never answer',
      'calls/s',
      'messages to the others',
      'p50 ms',
      'p99 ms',
      'first message to all of them, s',
    ],
    rows,
  )
}
