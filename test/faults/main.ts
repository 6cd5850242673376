import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FAULTS, ON_A_SMALL_DISK } from './faults.ts'
import type { Outcome } from './run.ts'
import { runFault } from './run.ts'
import { canMount, openStage } from './stage.ts'

/*
 * `npm run faults -- --runs N --seed S [--only PART]… [--out FILE]`: N runs of faults under load, each with a seed of its
 * own from which it can be repeated. Prints a line for each run and a table at the end; exit code 1 when anything was
 * wrong.
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: String(Object.keys(FAULTS).length) },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
})
const [runs, firstSeed] = [Number(values.runs), Number(values.seed)]
const names = Object.keys(FAULTS).filter((name) => name !== 'nothing').filter((name) => values.only.length === 0 || values.only.some((part) => name.includes(part)))
if (names.length === 0 || !Number.isInteger(runs) || !Number.isInteger(firstSeed)) throw new Error(`the faults are: ${Object.keys(FAULTS).join(', ')}`)

const outcomes: Outcome[] = []
await runAll(names.filter((name) => !ON_A_SMALL_DISK.has(name)), {})
const onSmallDisk = names.filter((name) => ON_A_SMALL_DISK.has(name))
if (onSmallDisk.length > 0 && !canMount()) process.stdout.write(`not run, since this user cannot make a small disk: ${onSmallDisk.join(', ')}\n`)
else await runAll(onSmallDisk, { smallDisk: true })

async function runAll(kinds: string[], settings: { smallDisk?: boolean }): Promise<void> {
  if (kinds.length === 0) return
  const stage = await openStage(settings)
  try {
    const share = Math.ceil((runs * kinds.length) / names.length)
    for (let run = 0; run < share; run += 1) tell(await runFault(stage, kinds[run % kinds.length]!, firstSeed + run))
  } finally {
    await stage.cleanup.run()
  }
}

function tell(outcome: Outcome): void {
  outcomes.push(outcome)
  const { fault, seed, calls, unknown, unresolved, outageMs, wrong } = outcome
  const verdict = wrong.length === 0 ? 'all is well' : 'WRONG'
  process.stdout.write(`${fault} (seed ${seed}): ${calls} calls, ${unknown} tries without answer, ${unresolved} unresolved, outage ${outageMs} ms, ${verdict}\n`)
  for (const line of wrong) process.stdout.write(`  ${line}\n`)
}

const table = names.map((name) => {
  const of = outcomes.filter(({ fault }) => fault === name)
  const sum = (value: (outcome: Outcome) => number) => of.reduce((total, outcome) => total + value(outcome), 0)
  const longest = Math.max(0, ...of.map(({ outageMs }) => outageMs))
  const seeds = of.length === 0 ? '' : `${of[0]!.seed}–${of.at(-1)!.seed}`
  return `| ${name} | ${of.length} | ${sum(({ calls }) => calls)} | ${sum(({ unknown }) => unknown)} | ${sum(({ unresolved }) => unresolved)} | ${sum(({ wrong }) => wrong.length)} | ${longest} | ${seeds} |`
})
const text = ['| fault | runs | calls | tries without answer | unresolved | wrong | longest outage, ms | seeds |', '|---|---|---|---|---|---|---|---|', ...table].join('\n')
process.stdout.write(`\n${text}\n`)
if (values.out !== undefined) writeFileSync(values.out, `${text}\n`)
process.exitCode = outcomes.some(({ wrong }) => wrong.length > 0) ? 1 : 0
