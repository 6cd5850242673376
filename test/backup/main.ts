import { Command } from 'commander'
import { countOption, seedOption } from '../support/command-line.ts'

/*
 * `npm run drill`: loses a server under load and restores it in each way in the runbook (docs/operations.md). Prints
 * the results; exit code 1 when anything deviates from the runbook.
 */

const COMPANIES_AT_MOST = 100
const CALLS_AT_MOST = 1_000_000

const { companies, calls, seed } = new Command('npm run drill --')
  .description('Lose a server under load, and restore it in each way in the runbook (docs/operations.md).')
  .addOption(countOption('companies', COMPANIES_AT_MOST, 'how many companies the load has').default(3))
  .addOption(countOption('calls', CALLS_AT_MOST, 'how many calls are answered at least').default(2_000))
  .addOption(seedOption('seed of the load'))
  .parse()
  .opts<{ companies: number; calls: number; seed: number }>()
// Loaded only now, so that help and usage errors are fast.
const { runDrill } = await import('./drill.ts')
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
