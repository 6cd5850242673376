import { Command } from 'commander'
import { addAuditCommands } from './audit/audit-commands.ts'
import { addExamples } from './examples.ts'
import { addCompanyCommands } from './accounts/company-commands.ts'
import { addEmployeeCommands } from './accounts/employee-commands.ts'
import { addKeyCommands } from './accounts/key-commands.ts'
import { addJsonOptions, commandsIn, commandsOf, loadOnRun, shardsOption, USAGE_ERROR } from './terminal/options.ts'
import { addProviderCommands } from './accounts/provider-commands.ts'
import { addProjectionCommands } from './projections/projection-commands.ts'
import { addSecretsCommands } from './secrets/secrets-commands.ts'
import { addUserCommands } from './accounts/user-commands.ts'
import { addWebhookCommands } from './accounts/webhook-commands.ts'

const loadRun = () => import('./run.ts')

/** Builds the command line. */
export function buildProgram(): Command {
  const program = new Command('employee-ledger')
    .description(
      'An Employee Public API with an append-only ledger, and a log entry for every call that creates or updates employees',
    )
    .showHelpAfterError('(use --help for usage)')
  const command = commandsIn(program)

  command('start', 'run everything in one process: migrate, serve the API, run the workers')
    .option('--demo', 'create a demo company, also on your own database')
    .action(loadOnRun(loadRun, 'start'))
  command('serve', 'run an API process').action(loadOnRun(loadRun, 'serve'))
  command('work', 'run a worker, which keeps the read models up to date').action(loadOnRun(loadRun, 'work'))
  command('migrate', 'set up the database, or update it to this version')
    .option('--dry-run', 'print what would be done, and do nothing')
    .action(loadOnRun(() => import('./migrate.ts'), 'runMigrate'))
  command('distribute', 'distribute the tables over a Citus cluster by company; stop the service first')
    .addOption(shardsOption())
    .option('--dry-run', 'print what would be done, and do nothing')
    .action(loadOnRun(() => import('./distribute.ts'), 'distributeTables'))
  command(
    'doctor',
    'check the installation and suggest fixes; exit code 0 no problems, 1 failed checks, 2 wrong usage, 3 warnings only',
  )
    .action(loadOnRun(() => import('./doctor/doctor.ts'), 'runDoctor'))
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR))

  addCompanyCommands(program)
  addUserCommands(program)
  addKeyCommands(program)
  addWebhookCommands(program)
  addProviderCommands(program)
  addAuditCommands(program)
  addEmployeeCommands(program)

  addProjectionCommands(program)
  addSecretsCommands(program)

  const demo = commandsOf(program, 'demo', 'the demo company')
  demo('seed', 'fill the demo company with employees and calls of every kind').action(
    loadOnRun(() => import('./demo/demo-seed.ts'), 'seedDemo'),
  )
  addJsonOptions(program)
  addExamples(program)
  return program
}
