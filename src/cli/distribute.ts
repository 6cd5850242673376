import { distribute } from '#migration/distribute'
import { StartupError } from '#postgres/startup-error'
import { collectSteps, say } from './terminal/print.ts'
import { readSettings } from './terminal/settings.ts'
import { withDatabase } from './terminal/with-store.ts'

/** `distribute`: distributes the tables on Citus; with `--dry-run` it only prints the steps. */
export async function distributeTables({ shards, dryRun, json }: { shards: number; dryRun?: boolean; json?: boolean }) {
  const config = readSettings()
  if (config.DATABASE_URL === undefined)
    throw new StartupError('the embedded database has no Citus; set DATABASE_URL and MIGRATE_DATABASE_URL')
  const { steps, onStep } = collectSteps(json)
  await withDatabase(config, async ({ urls }) => {
    await distribute(urls, { shards, isDryRun: dryRun ?? false, onStep })
  })
  const isDistributed = !dryRun || steps.length === 0
  const result = { distributed: isDistributed, [dryRun ? 'would_do' : 'done']: steps }
  return say(result, isDistributed ? 'the tables are distributed\n' : 'dry run: nothing was changed\n')
}
