import type { Command } from 'commander'
import { companyOption, jsonOption, loadOnRun } from '../terminal/options.ts'

const oneCompany = () => companyOption().makeOptionMandatory(false)

/** Adds `projections …`: the read models. */
export function addProjectionCommands(program: Command): void {
  const projections = program.command('projections').description('the read models')
  projections
    .command('list')
    .description('show how far each projection is, and what is parked or being rebuilt')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./projections.ts')).listProjections))
  projections
    .command('resume')
    .description('resume a parked company')
    .argument('<projection>', 'its name')
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./projections.ts')).resumeProjection))
  projections
    .command('rebuild')
    .description('rebuild a projection beside the live tables and switch to it, or correct the rows of one company')
    .argument('<projection>', 'its name')
    .addOption(oneCompany())
    .option('--restart', 'discard an interrupted rebuild instead of continuing it')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./rebuild-projection.ts')).rebuildProjection))
  projections
    .command('verify')
    .description(
      'build a projection in temporary tables and compare them with the live ones; exit code 1 if they differ',
    )
    .argument('[projection]', 'its name (default: all)')
    .addOption(oneCompany())
    .option('--show-values', 'show the contents of rows that differ; they are personal data')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./verify-projections.ts')).verifyProjections))
  projections
    .command('prune')
    .description('drop the tables of older versions; run it when no process of such a version is left')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./projections.ts')).pruneProjections))
}
