import type { Command } from 'commander'
import path from 'node:path'
import type { RunOptions } from '../compare/command-options.ts'
import { addRunOptions, parseCount, parsePositive, printProgress, recordsOption } from '../compare/command-options.ts'
import { formatMachine, formatNumber, formatTable } from '../compare/markdown.ts'
import { describeMachine } from '../processes/machine.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { cpuRatio, measureAgainst, medianOf, SIDES, type AgainstOptions, type AgainstResult } from './against.ts'
import { LAST_RELEASE, withCheckout } from './checkout.ts'
import type { Used } from './version.ts'

interface Options extends RunOptions, Omit<AgainstOptions, 'folders' | 'share'> {
  quick?: boolean
  atMost?: number
}

const ROOT = path.resolve(import.meta.dirname, '../..')
/** Without autovacuum and checkpoints at any time, neither version pays for what another one has left to do. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  autovacuum: 'off',
  checkpoint_timeout: '1d',
}
const QUICK = { rounds: 3, share: 1 / 3 }
/** A kind that exceeds its limit is measured so many times before it counts. */
const REPETITIONS = 3

/** `bench against`: compares this version with another one. */
export function addAgainstCommand(program: Command): void {
  const command = program
    .command('against')
    .description('compare this version with another one, in turns')
    .argument('<revision>', `a revision of git, or ${LAST_RELEASE}`)
    .option('--rounds <n>', 'rounds; each measures both versions', parseCount, 5)
    .option('--only <parts>', 'kinds of calls whose names contain one of these parts', (text) => text.split(','), [])
    .option('--at-most <ratio>', 'fail if a kind needs more than this times the processor time, thrice', parsePositive)
    .option('--quick', `${QUICK.rounds} rounds of a third of the calls`)
    .addOption(recordsOption())
  addRunOptions(command).action(run)
}

async function run(revision: string, given: Options): Promise<void> {
  const { out, dataDir, atMost, quick: _, ...rest } = { share: 1, ...given, ...(given.quick ? QUICK : {}) }
  const { machine, commit, results, over } = await withCheckout(revision, dataDir, ({ commit, folder }) =>
    withThrowawayServer(dataDir, SETTINGS, async (server, dataFolder) => {
      const machine = await describeMachine(server, dataFolder)
      await server.run('create extension pg_stat_statements')
      const options = { ...rest, folders: { before: folder, after: ROOT } }
      const results = await measureAgainst(server, options, printProgress)
      let over = atMost === undefined ? [] : listOver(results, atMost)
      for (let time = 1; time < REPETITIONS && over.length > 0; time += 1) {
        printProgress(`once more: ${over.join(', ')}`)
        over = listOver(await measureAgainst(server, { ...options, only: over }, printProgress), atMost!)
      }
      return { machine, commit, results, over }
    }),
  )
  const title = `This version against ${commit}: medians of ${rest.rounds} rounds, ${rest.records} records in a bulk call.`
  const markdown = [formatMachine(machine), title, formatAgainst(results)].join('\n\n')
  await publishResults(out, 'against', { json: { machine, commit, results }, markdown })
  if (over.length === 0) return
  printProgress(`more than ${atMost} times the processor time of ${commit}: ${over.join(', ')}`)
  process.exitCode = 1
}

/** The names of the kinds that need more processor time than they may. */
function listOver(results: AgainstResult[], atMost: number): string[] {
  return results.filter((result) => cpuRatio(result).median > atMost).map(({ name }) => name)
}

const perCall = (name: keyof Used) => (used: Used) => used[name] / used.calls
const serviceMs = (used: Used) => perCall('serviceSeconds')(used) * 1_000
const postgresMs = (used: Used) => perCall('postgresSeconds')(used) * 1_000

/** Formats what each kind of call uses in both versions. */
export function formatAgainst(results: AgainstResult[]): string {
  const rows = results.map((result) => {
    const { name, callers, isCold, rounds } = result
    const { median, min, max } = cpuRatio(result)
    const both = (of: (used: Used) => number) =>
      SIDES.map((side) => formatNumber(medianOf(rounds[side], of))).join(' → ')
    return [
      isCold ? `${name}, cold` : name,
      callers,
      ...[both(serviceMs), cpuRatio(result, serviceMs).median.toFixed(2), both(postgresMs)],
      `**${median.toFixed(2)}** (${min.toFixed(2)}–${max.toFixed(2)})`,
      ...[both(perCall('statements')), both(perCall('rows')), both((used) => perCall('walBytes')(used) / 1_000)],
    ]
  })
  const columns = ['service, CPU ms', 'ratio', 'PostgreSQL, CPU ms', 'ratio of both', 'statements', 'rows', 'log, kB']
  return formatTable(['for each call', 'callers', ...columns], rows)
}
