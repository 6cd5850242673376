import { type Command, Option } from 'commander'
import { commandsIn, companyOption } from '../terminal/options.ts'

const oneCompany = () => companyOption().makeOptionMandatory(false)

/** Adds `projections …`. */
export function addProjectionCommands(program: Command) {
  const group = program.command('projections').description('the read models')
  const projections = commandsIn(group, () => import('./projections.ts'))
  projections('list', 'show the progress of each projection, parked companies, and running rebuilds', 'listProjections')
  projections('resume', 'resume the projection of a parked company', 'resumeProjection')
    .argument('<projection>', 'the name of the projection')
    .addOption(companyOption())
  projections(
    'rebuild',
    'rebuild a projection in new tables and switch to them, or rebuild one company in place',
    'rebuildProjection',
  )
    .argument('<projection>', 'the name of the projection')
    .addOption(oneCompany())
    .addOption(new Option('--restart', 'discard an interrupted rebuild instead of continuing it').conflicts('company'))
  projections(
    'verify',
    'build a projection in temporary tables and compare them with the live ones; exit code 1 if they differ',
    'verifyProjections',
  )
    .argument('[projection]', 'the name of the projection (default: all)')
    .addOption(oneCompany())
    .option('--show-values', 'show the contents of rows that differ; they contain personal data')
  projections(
    'prune',
    'drop the tables of older versions; first stop all processes of those versions',
    'pruneProjections',
  )
}
