import type { Command } from 'commander'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { LAST_RELEASE, withCheckout } from '../against/checkout.ts'
import { addRunOptions, parseCount, printProgress, type RunOptions } from '../compare/command-options.ts'
import { formatTable } from '../compare/markdown.ts'
import { withThrowawayServer } from '../processes/postgres.ts'
import { publishResults } from '../report/results.ts'
import { Comparison, type DifferenceKind } from './compare-plays.ts'
import { drawCalls } from './draw-calls.ts'
import { openPlayer, type Player } from './play-calls.ts'

interface PlayOptions {
  calls: number
  companies: number
  seed: number
  /** Without employees in memory. */
  cold?: boolean
  dataDir: string
}

type Options = RunOptions & PlayOptions

const ROOT = path.resolve(import.meta.dirname, '../..')
/** No call waits for a disk: what is stored is the same. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', shared_buffers: '256MB' }

/** Companies that are played at once. */
const AT_ONCE = 5

/** `bench record`: plays the same random calls on this version and on another one, and lists what is different. */
export function addRecordCommand(program: Command): void {
  const command = program
    .command('record')
    .description('play random calls on this version and on another one, and list every difference by kind')
    .argument('<revision>', `a revision of git, or ${LAST_RELEASE}`)
    .option('--calls <n>', 'calls in all', parseCount, 10_000)
    .option('--companies <n>', 'companies that share the calls', parseCount, 5)
    .option('--seed <n>', 'of the random calls', parseCount, 1)
    .option('--cold', 'without employees in memory')
  addRunOptions(command).action(run)
}

async function run(revision: string, options: Options): Promise<void> {
  const { out, dataDir } = options
  const { commit, comparison } = await withCheckout(revision, dataDir, async ({ commit, folder }) => ({
    commit,
    comparison: await comparePlays(folder, options),
  }))
  const { calls, equal } = comparison
  const kinds = [...comparison.kinds.values()].toSorted(
    (one, other) => other.first - one.first || other.count - one.count,
  )
  const outcomes = [...comparison.outcomes].toSorted(([, one], [, other]) => other - one)
  const markdown = [
    `${calls} calls on ${commit} and on this version, of which ${equal} are equal to the byte.`,
    formatTable(['outcome', 'calls'], outcomes),
    formatKinds(kinds),
  ].join('\n\n')
  await publishResults(out, 'record', { json: { commit, calls, equal, outcomes, kinds }, markdown })
  process.exitCode = Number(kinds.length > 0)
}

/** Plays random calls on the version in a folder and on this one. */
export async function comparePlays(
  folder: string,
  { calls, companies, seed, dataDir, cold }: PlayOptions,
): Promise<Comparison> {
  const settings: Record<string, string> = cold ? { EMPLOYEE_CACHE: '0' } : {}
  const comparison = new Comparison()
  await withPlayer(folder, dataDir, settings, (before) =>
    withPlayer(ROOT, dataDir, settings, async (after) => {
      const isKnown = (word: string) => before.document.includes(`"${word}"`)
      let next = 0
      const playNext = async () => {
        for (let at = next++; at < companies; at = next++) {
          const drawn = drawCalls(seed * 1_000 + at, Math.ceil(calls / companies), isKnown)
          comparison.add(at, drawn, ...(await Promise.all([before.play(drawn), after.play(drawn)])))
          printProgress(`${comparison.calls} calls, ${comparison.equal} equal, ${comparison.kinds.size} kinds`)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, playNext))
    }),
  )
  return comparison
}

/** Runs a task with a version on a server of its own. */
async function withPlayer(
  folder: string,
  parentDir: string,
  settings: Record<string, string>,
  task: (player: Player) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(path.join(parentDir, 'employee-ledger-record-'))
  try {
    await withThrowawayServer(parentDir, SETTINGS, async (server) => {
      const player = await openPlayer(server, { folder, dataDir, settings })
      try {
        await task(player)
      } finally {
        await player.close()
      }
    })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

function formatKinds(kinds: DifferenceKind[]): string {
  const rows = kinds.map(({ kind, places, count, first, example }) => {
    const { company, call, request } = example
    const told = request ? `${company}.${call} ${request.method} ${request.path}` : `${company}`
    return [kind.replaceAll('|', '\\|'), places.join('; '), count, first, told]
  })
  return formatTable(['difference', 'where', 'calls', 'not after another one', 'example'], rows)
}
