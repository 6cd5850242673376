import { migrateDatabase, planDatabase } from '../bootstrap.ts'
import { print } from './terminal/print.ts'
import { readSettings } from './terminal/settings.ts'
import { withDatabase } from './terminal/with-store.ts'

/** `migrate`: brings the database to what this version needs; with `--dry-run` it only tells what would be done. */
export async function runMigrations({ dryRun, json }: { dryRun?: boolean; json?: boolean }) {
  const steps: string[] = []
  await withDatabase(readSettings(), async ({ urls }) => {
    const onStep = (line: string) => {
      steps.push(line)
      if (!json) process.stdout.write(`${line}\n`)
    }
    if (dryRun) (await planDatabase(urls)).forEach((line) => onStep(line))
    else await migrateDatabase(urls, onStep)
  })
  const isCurrent = !dryRun || steps.length === 0
  if (json) print({ current: isCurrent, [dryRun ? 'would_do' : 'done']: steps }, true)
  else process.stdout.write(isCurrent ? 'the database is current\n' : 'nothing was done\n')
}
