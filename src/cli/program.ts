import { Command, InvalidArgumentError, Option } from 'commander'
import { readAttribute } from '../domain/attributes.ts'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD, REFRESH_PERIODS, ROLES } from '../domain/company.ts'
import { isId } from '../domain/ids.ts'

const MAX_EMAIL_CHARACTERS = 254
const LARGEST_QUOTA = 2_147_483_647

/** The command line. Each command is a function of a file beside this one. */
export function buildProgram(): Command {
  const program = new Command('employee-ledger')
    .description('An Employee Public API whose every creating or updating call is events in a ledger and one log entry')
    .showHelpAfterError('(--help shows what can be given)')

  program
    .command('start')
    .description('migrate, serve the API and project, all in one process')
    .option('--demo', 'make a demo company, also on a database of your own')
    .action(loaded(async () => (await import('./run.ts')).start))
  program
    .command('serve')
    .description('serve the API alone')
    .action(loaded(async () => (await import('./run.ts')).serve))
  program
    .command('work')
    .description('project alone: keep the read models current')
    .action(loaded(async () => (await import('./run.ts')).work))
  program
    .command('migrate')
    .description('bring the database to what this version needs')
    .action(loaded(async () => (await import('./migrate.ts')).runMigrations))

  const company = program.command('company').description('companies')
  company
    .command('create')
    .description('register a company and its first administrator')
    .requiredOption('--name <name>', 'its name', text(120))
    .requiredOption('--admin-email <email>', "the administrator's e-mail address", email)
    .option('--admin-name <name>', "the administrator's name", text(120), 'Administrator')
    .addOption(json())
    .action(loaded(async () => (await import('./company.ts')).createCompany))
  company
    .command('list')
    .description('list the companies')
    .addOption(json())
    .action(loaded(async () => (await import('./company.ts')).listCompanies))

  program
    .command('user')
    .description('users of a company')
    .command('add')
    .description('add a user with a password and a token, which are shown once')
    .addOption(companyOption())
    .requiredOption('--email <email>', 'e-mail address', email)
    .requiredOption('--name <name>', 'name', text(120))
    .addOption(new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).addCompanyUser))

  program
    .command('key')
    .description('API keys of a company')
    .command('issue')
    .description('issue an API key; its secret is shown once')
    .addOption(companyOption())
    .requiredOption('--name <name>', 'what it is for', text(120))
    .option('--quota-limit <n>', 'requests in each period', wholeNumber, DEFAULT_QUOTA_LIMIT)
    .addOption(
      new Option('--refresh-period <period>', 'when the quota begins anew').choices(REFRESH_PERIODS).default(DEFAULT_REFRESH_PERIOD),
    )
    .addOption(json())
    .action(loaded(async () => (await import('./key.ts')).issueKey))

  const projections = program.command('projections').description('the read models')
  projections
    .command('list')
    .description('how far each projection is')
    .addOption(json())
    .action(loaded(async () => (await import('./projections.ts')).listProjections))
  projections
    .command('resume')
    .description('let a parked company go on')
    .argument('<projection>', 'its name')
    .addOption(companyOption())
    .action(loaded(async () => (await import('./projections.ts')).resumeProjection))

  program
    .command('demo')
    .description('the demo company')
    .command('seed')
    .description('fill the demo company with employees and calls of every kind')
    .action(loaded(async () => (await import('./demo-seed.ts')).seedDemo))
  return program
}

/** A command is loaded when it runs: help, and what was mistyped, are answered without it. */
function loaded<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<unknown>>) {
  return async (...given: Given): Promise<void> => {
    const run = await load()
    await run(...given)
  }
}

function json(): Option {
  return new Option('--json', 'print JSON')
}

function companyOption(): Option {
  return new Option('--company <id>', 'the id of the company').makeOptionMandatory().argParser((value) => {
    if (!isId('com', value)) throw new InvalidArgumentError('It must be a company id, com_…')
    return value
  })
}

function text(max: number): (value: string) => string {
  return (value) => {
    const trimmed = value.trim()
    if (trimmed.length > 0 && trimmed.length <= max) return trimmed
    throw new InvalidArgumentError(`It must have 1 to ${max} characters.`)
  }
}

function email(value: string): string {
  const { value: address, faults } = readAttribute('email', value.trim(), false)
  if (!faults) return address as string
  throw new InvalidArgumentError(`It must be an e-mail address of at most ${MAX_EMAIL_CHARACTERS} characters.`)
}

function wholeNumber(value: string): number {
  if (/^[0-9]{1,10}$/.test(value) && Number(value) <= LARGEST_QUOTA) return Number(value)
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${LARGEST_QUOTA}.`)
}
