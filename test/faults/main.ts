import { readFileSync, writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { countOption, outOption, seedOption } from '../support/command-line.ts'
import { CITUS_BIN } from './citus/machines.ts'
import { FAULTS, planRuns, SPOILS, stageOf, UPGRADE } from './faults.ts'
import { findings } from './oracle/finding.ts'
import type { Outcome } from './run.ts'
import { runFault } from './run.ts'
import type { Stage, StageSettings } from './stage.ts'
import { canMount, openStage } from './stage.ts'
import { tableOf } from './table.ts'

/*
 * `npm run faults -- --help`: runs of faults under load. Each is reproducible from its own seed and `--times`, which is
 * how often the fault happens in a run. Prints a line per run and a table at the end; exit code 1 when anything was
 * wrong.
 */

/** A stage grows with its data, so a new one is opened after this many runs. */
const RUNS_PER_STAGE = 25
/** On a busy machine, the load must leave the processor to the processes that start. */
const BUSY_REST_MS = 500
/** There, a process takes half a minute to start, and may be killed several times before it answers. */
const BUSY_RESOLVES_WITHIN_MS = 600_000
/** The calls of a whole run are kept in memory for the oracle. */
const TIMES_AT_MOST = 100
const RUNS_AT_MOST = 1_000_000
const NAMES = Object.keys(FAULTS).filter((name) => name !== 'nothing')

interface Options {
  runs?: number
  seed: number
  only?: string[]
  times?: number
  busy?: boolean
  out?: string
  table?: Outcome[]
}

const program = new Command('npm run faults --')
  .description('Run faults under load, and check every guarantee of the service after each (docs/reliability.md).')
  .addOption(countOption('runs', RUNS_AT_MOST, 'how many runs, of each fault in turn (default: one of each)'))
  .addOption(seedOption('seed of the first run; the next has the next one'))
  .option('--only <part>', 'only faults with this in their name; several add up', addPart)
  .addOption(countOption('times', TIMES_AT_MOST, 'how often the fault happens in a run (default: depends on it)'))
  .option('--busy', 'for a busy machine: less load, and no checks of times')
  .addOption(outOption('write the results as JSON after each run'))
  .addOption(
    new Option('--table <files...>', 'only print the table of the results in these files')
      .argParser(addResults)
      .conflicts(['runs', 'seed', 'only', 'times', 'busy', 'out']),
  )
  .addHelpText('after', `\nThe faults:\n  ${NAMES.join('\n  ')}`)
const options = program.parse().opts<Options>()

const print = (text: string) => void process.stdout.write(`${text}\n`)
if (options.table !== undefined) {
  print(tableOf(options.table))
  process.exit()
}

const names = pickRunnable(NAMES.filter((name) => options.only?.some((part) => name.includes(part)) ?? true))
if (names.length === 0) program.error('error: none of these faults can run here')
const runs = options.runs ?? names.length
const outcomes: Outcome[] = []
for (const [settings, planned] of planRuns(names, runs, options.seed)) await runAll(planned, settings)

function addPart(part: string, before: string[] = []): string[] {
  if (NAMES.some((name) => name.includes(part))) return [...before, part]
  throw new InvalidArgumentError(`It must be a part of one of these names: ${NAMES.join(', ')}.`)
}

function addResults(file: string, before: Outcome[] = []): Outcome[] {
  try {
    const results = JSON.parse(readFileSync(file, 'utf8')) as Outcome[]
    if (results.every(({ wrong }) => Array.isArray(wrong))) return [...before, ...results]
  } catch {
    // What it has instead doesn't matter.
  }
  throw new InvalidArgumentError('It must be a file that --out has written.')
}

/** The faults that can run here. Prints the others. */
function pickRunnable(faults: string[]): string[] {
  const byObstacle = Map.groupBy(faults, (fault) => obstacleOf(fault, stageOf(fault)))
  for (const [obstacle, left] of byObstacle) if (obstacle !== null) print(`not run, ${obstacle}: ${left.join(', ')}`)
  return byObstacle.get(null) ?? []
}

function obstacleOf(fault: string, { isCitus, smallDisk, release }: StageSettings): string | null {
  if (fault === UPGRADE && release === undefined) return 'without PREVIOUS_RELEASE'
  if (isCitus && CITUS_BIN === undefined) return 'without CITUS_BIN'
  if (smallDisk && !canMount()) return 'since this user cannot make a small disk'
  return null
}

/** A failed run is reported, and the next one starts on a fresh stage. */
async function runAll(planned: { fault: string; seed: number }[], settings: StageSettings): Promise<void> {
  const { busy = false, times } = options
  let [stage, runsOnStage] = [null as Stage | null, 0]
  for (const { fault, seed } of planned) {
    const startedAt = performance.now()
    let outcome: Outcome
    try {
      stage ??= await openStage(settings)
      outcome = await runFault(stage, fault, seed, {
        looksAtTimes: !busy,
        ...(busy ? { restMs: BUSY_REST_MS, resolveWithinMs: BUSY_RESOLVES_WITHIN_MS } : {}),
        ...(times === undefined ? {} : { times }),
      })
    } catch (error) {
      outcome = failed(fault, seed, error)
    }
    report(outcome, performance.now() - startedAt)
    runsOnStage += 1
    if (outcome.wrong.length === 0 && runsOnStage < RUNS_PER_STAGE && !SPOILS.has(fault)) continue
    await close(stage)
    ;[stage, runsOnStage] = [null, 0]
  }
  await close(stage)
}

async function close(stage: Stage | null): Promise<void> {
  await stage?.cleanup.run().catch((error: unknown) => print(`a stage could not be cleaned up: ${String(error)}`))
}

function failed(fault: string, seed: number, error: unknown): Outcome {
  const wrong = findings('no run', [
    `the run could not be made: ${error instanceof Error ? error.stack : String(error)}`,
  ])
  return {
    fault,
    seed,
    times: 0,
    calls: 0,
    acknowledged: 0,
    unknown: 0,
    unresolved: 0,
    outageMs: 0,
    slowestMs: 0,
    recoveryMs: 0,
    lagMs: 0,
    foldsFromMemory: null,
    parts: 0,
    messages: 0,
    repeated: 0,
    troubles: 0,
    wrong,
  }
}

function report(outcome: Outcome, tookMs: number): void {
  outcomes.push(outcome)
  const {
    fault,
    seed,
    times,
    calls,
    acknowledged,
    unknown,
    unresolved,
    outageMs,
    recoveryMs,
    lagMs,
    foldsFromMemory,
    note,
    wrong,
  } = outcome
  const { parts, messages, repeated, troubles } = outcome
  const verdict = wrong.length === 0 ? 'all is well' : 'WRONG'
  print(
    `${outcomes.length}/${runs} ${fault} (seed ${seed}): ${times} times, ${calls} calls, ${acknowledged} acknowledged, ${unknown} tries without answer, ${unresolved} unresolved, outage ${outageMs} ms, recovery ${recoveryMs} ms, lag over after ${lagMs} ms, ${foldsFromMemory === null ? '' : `${foldsFromMemory} folds from memory, `}${parts} parts of files, ${messages} messages, ${repeated} repeated, receivers in trouble ${troubles} times, ${Math.round(tookMs / 100) / 10} s, ${verdict}`,
  )
  if (note !== undefined) print(`  ${note}`)
  for (const { kind, text } of wrong) print(`  ${kind}: ${text}`)
  if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(outcomes, null, 1)}\n`)
}

print(`\n${tableOf(outcomes)}`)
process.exit(outcomes.some(({ wrong }) => wrong.length > 0) ? 1 : 0)
