import { Argument, Command } from 'commander'
import settings from '../../package.json' with { type: 'json' }
import { addAuditCommands } from './audit/audit-commands.ts'
import { addExamples, RUN_AS } from './examples.ts'
import { addCompanyCommands } from './accounts/company-commands.ts'
import { addEmployeeCommands } from './accounts/employee-commands.ts'
import { SHELLS, writeCompletion } from './completion.ts'
import { addLogCommands } from './log/log-commands.ts'
import { addKeyCommands } from './accounts/key-commands.ts'
import { addJsonOptions, commandsIn, dryRunOption, exitWrongUsage, shardsOption } from './terminal/options.ts'
import { addProviderCommands } from './accounts/provider-commands.ts'
import { addProjectionCommands } from './projections/projection-commands.ts'
import { addSecretsCommands } from './secrets/secrets-commands.ts'
import { addUserCommands } from './accounts/user-commands.ts'
import { addWebhookCommands } from './accounts/webhook-commands.ts'

/** Builds the command line. */
export function buildProgram(): Command {
  const program = new Command(RUN_AS)
    .description(
      'An Employee Public API with an append-only ledger, and a log entry for every call that creates or updates ' +
        'employees',
    )
    .version(settings.version)
    .showHelpAfterError('(use --help for usage)')
    .exitOverride(exitWrongUsage)
  const run = commandsIn(program, () => import('./run.ts'))
  run('start', 'run everything in one process: migrate, serve the API, run the workers', 'start').option(
    '--demo',
    'create a demo company, also on your own database',
  )
  run('serve', 'run an API process', 'serve')
  run('work', 'run a worker, which keeps the read models up to date', 'work')
  const migrate = commandsIn(program, () => import('./migrate.ts'))
  migrate('migrate', 'set up the database, or update it to this version', 'runMigrate').addOption(dryRunOption())
  const distribute = commandsIn(program, () => import('./distribute.ts'))
  distribute(
    'distribute',
    'distribute the tables over a Citus cluster by company; stop the service first',
    'distributeTables',
  )
    .addOption(shardsOption())
    .addOption(dryRunOption())
  const doctor = commandsIn(program, () => import('./doctor/doctor.ts'))
  doctor(
    'doctor',
    'check the installation and suggest fixes; exit code 0 no problems, 1 failed checks, 2 wrong usage, 3 ' +
      'warnings only',
    'runDoctor',
  )

  addCompanyCommands(program)
  addUserCommands(program)
  addLogCommands(program)
  addKeyCommands(program)
  addWebhookCommands(program)
  addProviderCommands(program)
  addAuditCommands(program)
  addEmployeeCommands(program)

  addProjectionCommands(program)
  addSecretsCommands(program)

  const demo = commandsIn(program.command('demo').description('the demo company'), () => import('./demo/demo-seed.ts'))
  demo('seed', 'fill the demo company with employees and calls of every kind', 'seedDemo')
  program
    .command('completion')
    .description('print a script that defines the command `employee-ledger` in a shell, with completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: string) => void process.stdout.write(writeCompletion(program, shell)))
  addJsonOptions(program)
  addExamples(program)
  return program
}
