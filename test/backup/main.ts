import { parseArgs } from 'node:util'
import { runDrill } from './drill.ts'

/*
 * `npm run drill -- [--companies N] [--calls N] [--seed S]`: loses a server under load and restores it in each way in
 * the runbook (docs/operations.md). Prints the results; exit code 1 when anything deviates from the runbook.
 */

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '3' },
    calls: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
})
const [companies, calls, seed] = [Number(values.companies), Number(values.calls), Number(values.seed)]
const reports = await runDrill({
  companies,
  seed,
  callsPerPart: Math.ceil(calls / 3),
  restMs: 0,
  print: (line) => process.stdout.write(`${line}\n`),
})

process.stdout.write(
  '\n| restored from | calls answered | lost | audit verify | checkpoints refused | wrong |\n|---|---|---|---|---|---|\n',
)
for (const { way, answered, lost, verdicts, refused, wrong } of reports) {
  process.stdout.write(
    `| ${way} | ${answered} | ${lost} | ${[...new Set(verdicts)].join()} | ${refused ? 'until the operator acts' : 'no'} | ${wrong.length} |\n`,
  )
}
for (const { way, wrong } of reports) for (const line of wrong) process.stdout.write(`${way}: ${line}\n`)
process.exitCode = reports.some(({ wrong }) => wrong.length > 0) ? 1 : 0
