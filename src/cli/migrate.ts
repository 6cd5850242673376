import { isNewer, migrateDatabase, planDatabase } from '#bootstrap/store'
import { collectSteps, say } from './terminal/print.ts'
import { readSettings } from './terminal/settings.ts'
import { withDatabase } from './terminal/with-store.ts'

/** `migrate`: updates the database schema to this version; with `--dry-run` it only prints the steps. */
export async function runMigrate({ dryRun, json }: { dryRun?: boolean; json?: boolean }) {
  const { steps, onStep } = collectSteps(json)
  const isOfNewer = await withDatabase(readSettings(), async ({ urls }) => {
    if (dryRun) (await planDatabase(urls)).forEach((line) => onStep(line))
    else await migrateDatabase(urls, onStep)
    return isNewer(urls)
  })
  const isCurrent = !dryRun || steps.length === 0
  const result = { current: isCurrent, ...(isOfNewer && { newer: true }), [dryRun ? 'would_do' : 'done']: steps }
  const found = isOfNewer
    ? 'a newer version has migrated the database, which has all that this version needs\n'
    : 'the database is up to date\n'
  return say(result, isCurrent ? found : 'dry run: nothing was changed\n')
}
