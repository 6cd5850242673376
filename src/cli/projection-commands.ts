import type { Command } from 'commander'
import { companyOption, json, loaded } from './options.ts'

const oneCompany = () => companyOption().makeOptionMandatory(false)

/** Adds `projections …`: the read models. */
export function addProjectionCommands(program: Command): void {
  const projections = program.command('projections').description('the read models')
  projections
    .command('list')
    .description('how far each projection is, and what is parked or being rebuilt')
    .addOption(json())
    .action(loaded(async () => (await import('./projections.ts')).listProjections))
  projections
    .command('resume')
    .description('let a parked company go on')
    .argument('<projection>', 'its name')
    .addOption(companyOption())
    .addOption(json())
    .action(loaded(async () => (await import('./projections.ts')).resumeProjection))
  projections
    .command('rebuild')
    .description('fill a projection anew beside the live tables, and switch; or make the rows of one company right')
    .argument('<projection>', 'its name')
    .addOption(oneCompany())
    .option('--restart', 'throw away what an earlier rebuild left off, instead of going on with it')
    .addOption(json())
    .action(loaded(async () => (await import('./rebuild-projection.ts')).rebuildProjection))
  projections
    .command('verify')
    .description('fill a projection into scratch tables and compare them with the live ones; exit code 1 when they differ')
    .argument('[projection]', 'its name; otherwise all')
    .addOption(oneCompany())
    .option('--show-values', 'show what stands in the rows that differ; it is personal')
    .addOption(json())
    .action(loaded(async () => (await import('./verify-projections.ts')).verifyProjections))
  projections
    .command('prune')
    .description('drop the tables of older versions, once no process of such a version runs')
    .addOption(json())
    .action(loaded(async () => (await import('./projections.ts')).pruneProjections))
}
