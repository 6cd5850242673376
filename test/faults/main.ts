import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CITUS_BIN } from './citus/machines.ts'
import { FAULTS, SPOILS, STAGES } from './faults.ts'
import { findings } from './oracle/finding.ts'
import type { Outcome } from './run.ts'
import { runFault } from './run.ts'
import type { Stage, StageSettings } from './stage.ts'
import { canMount, openStage } from './stage.ts'
import { tableOf } from './table.ts'

/*
 * `npm run faults -- --runs N --seed S [--only PART]… [--times T] [--busy] [--out FILE]`: N runs of faults under load,
 * each reproducible from its own seed and T, which is how often the fault happens in a run. `--busy` leaves out the
 * checks of times, and makes less load. Prints a line per run and a table at the end; exit code 1 when anything was
 * wrong. FILE gets the results as JSON after each run. `npm run faults -- --table FILE…` prints the table of such files.
 */

/** A stage grows with its data, so a new one is opened after this many runs. */
const RUNS_PER_STAGE = 25
/** On a busy machine, the load must leave the processor to the processes that start. */
const BUSY_REST_MS = 500
/** The calls of a whole run are kept in memory for the oracle. */
const TIMES_AT_MOST = 100

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: String(Object.keys(FAULTS).length - 1) },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    times: { type: 'string' },
    busy: { type: 'boolean', default: false },
    out: { type: 'string' },
    table: { type: 'string' },
  },
})
const print = (text: string) => void process.stdout.write(`${text}\n`)
if (values.table !== undefined) {
  print(tableOf([values.table, ...positionals].flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Outcome[])))
  process.exit()
}

const [runs, firstSeed] = [Number(values.runs), Number(values.seed)]
const times = values.times === undefined ? undefined : Number(values.times)
if (times !== undefined && !(Number.isInteger(times) && times >= 1 && times <= TIMES_AT_MOST))
  throw new Error(`--times is a number from 1 to ${TIMES_AT_MOST}`)
const names = Object.keys(FAULTS)
  .filter((name) => name !== 'nothing')
  .filter((name) => values.only.length === 0 || values.only.some((part) => name.includes(part)))
if (names.length === 0 || !Number.isInteger(runs) || !Number.isInteger(firstSeed))
  throw new Error(`the faults are: ${Object.keys(FAULTS).join(', ')}`)

const outcomes: Outcome[] = []
const USUAL: StageSettings = {}
for (const [settings, kinds] of Map.groupBy(names, (name) => STAGES[name] ?? USUAL)) {
  if (settings.isCitus && CITUS_BIN === undefined) print(`not run, without CITUS_BIN: ${kinds.join(', ')}`)
  else if (settings.smallDisk && !canMount())
    print(`not run, since this user cannot make a small disk: ${kinds.join(', ')}`)
  else await runAll(kinds, settings)
}

/** A failed run is reported, and the next one starts on a fresh stage. */
async function runAll(kinds: string[], settings: StageSettings): Promise<void> {
  let [stage, runsOnStage] = [null as Stage | null, 0]
  const share = Math.floor((runs * kinds.length) / names.length) || Math.min(kinds.length, runs)
  for (let run = 0; run < share; run += 1) {
    const [fault, seed] = [kinds[run % kinds.length]!, firstSeed + run]
    const startedAt = performance.now()
    let outcome: Outcome
    try {
      stage ??= await openStage(settings)
      outcome = await runFault(stage, fault, seed, {
        looksAtTimes: !values.busy,
        restMs: values.busy ? BUSY_REST_MS : 0,
        ...(times === undefined ? {} : { times }),
      })
    } catch (error) {
      outcome = failed(fault, seed, error)
    }
    report(outcome, performance.now() - startedAt, `${run + 1}/${share}`)
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
    messages: 0,
    repeated: 0,
    troubles: 0,
    wrong,
  }
}

function report(outcome: Outcome, tookMs: number, at: string): void {
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
  const { messages, repeated, troubles } = outcome
  const verdict = wrong.length === 0 ? 'all is well' : 'WRONG'
  print(
    `${at} ${fault} (seed ${seed}): ${times} times, ${calls} calls, ${acknowledged} acknowledged, ${unknown} tries without answer, ${unresolved} unresolved, outage ${outageMs} ms, recovery ${recoveryMs} ms, lag over after ${lagMs} ms, ${foldsFromMemory === null ? '' : `${foldsFromMemory} folds from memory, `}${messages} messages, ${repeated} repeated, receivers in trouble ${troubles} times, ${Math.round(tookMs / 100) / 10} s, ${verdict}`,
  )
  if (note !== undefined) print(`  ${note}`)
  for (const { kind, text } of wrong) print(`  ${kind}: ${text}`)
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(outcomes, null, 1)}\n`)
}

print(`\n${tableOf(outcomes)}`)
process.exit(outcomes.some(({ wrong }) => wrong.length > 0) ? 1 : 0)
