import { migrateDatabase, planDatabase } from '../bootstrap/maintenance.ts'
import { collectSteps } from './terminal/collect-steps.ts'
import { say } from './terminal/print.ts'
import { readSettings } from './terminal/settings.ts'
import { withDatabase } from './terminal/with-store.ts'

/** `migrate`: updates the database schema to this version; with `--dry-run` it only prints the steps. */
export async function runMigrate({ dryRun, json }: { dryRun?: boolean; json?: boolean }) {
  const { steps, onStep } = collectSteps(json)
  await withDatabase(readSettings(), async ({ urls }) => {
    if (dryRun) (await planDatabase(urls)).forEach((line) => onStep(line))
    else await migrateDatabase(urls, onStep)
  })
  const isCurrent = !dryRun || steps.length === 0
  const result = { current: isCurrent, [dryRun ? 'would_do' : 'done']: steps }
  return say(result, isCurrent ? 'the database is up to date\n' : 'dry run: nothing was changed\n')
}
