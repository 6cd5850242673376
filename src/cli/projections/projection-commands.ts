import type { Command } from 'commander'
import { commandsOf, companyOption, loadOnRun } from '../terminal/options.ts'

const oneCompany = () => companyOption().makeOptionMandatory(false)

const load = () => import('./projections.ts')

/** Adds `projections …`. */
export function addProjectionCommands(program: Command): void {
  const projections = commandsOf(program, 'projections', 'the read models')
  projections('list', 'show the progress of each projection, parked companies, and running rebuilds').action(
    loadOnRun(load, 'listProjections'),
  )
  projections('resume', 'resume the projection of a parked company')
    .argument('<projection>', 'the name of the projection')
    .addOption(companyOption())
    .action(loadOnRun(load, 'resumeProjection'))
  projections('rebuild', 'rebuild a projection in new tables and switch to them, or rebuild one company in place')
    .argument('<projection>', 'the name of the projection')
    .addOption(oneCompany())
    .option('--restart', 'discard an interrupted rebuild instead of continuing it')
    .action(loadOnRun(() => import('./rebuild-projection.ts'), 'rebuildProjection'))
  projections(
    'verify',
    'build a projection in temporary tables and compare them with the live ones; exit code 1 if they differ',
  )
    .argument('[projection]', 'the name of the projection (default: all)')
    .addOption(oneCompany())
    .option('--show-values', 'show the contents of rows that differ; they contain personal data')
    .action(loadOnRun(() => import('./verify-projections.ts'), 'verifyProjections'))
  projections('prune', 'drop the tables of older versions; first stop all processes of those versions').action(
    loadOnRun(load, 'pruneProjections'),
  )
}
