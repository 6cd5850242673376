import { Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD, REFRESH_PERIODS, ROLES } from '../domain/company.ts'
import { isId } from '../domain/ids.ts'
import { createCompany, listCompanies } from './company.ts'
import { seedDemo } from './demo-seed.ts'
import { issueKey } from './key.ts'
import { runMigrations } from './migrate.ts'
import { listProjections, resumeProjection } from './projections.ts'
import { serve, start, work } from './run.ts'
import { addCompanyUser } from './user.ts'

/** The command line. Each command is a function of a file beside this one. */
export function buildProgram(): Command {
  const program = new Command('employee-ledger')
    .description('An Employee Public API whose every creating or updating call is events in a ledger and one log entry')
    .showHelpAfterError('(--help shows what there is)')

  program
    .command('start', { isDefault: true })
    .description('migrate, serve the API and project, all in one process')
    .option('--demo', 'make a demo company, also on a database of your own')
    .action(start)
  program.command('serve').description('serve the API alone').action(serve)
  program.command('work').description('project alone: keep the read models current').action(work)
  program.command('migrate').description('bring the database to what this version needs').action(runMigrations)

  const company = program.command('company').description('companies')
  company
    .command('create')
    .description('register a company and its first administrator')
    .requiredOption('--name <name>', 'its name', text(120))
    .requiredOption('--admin-email <email>', "the administrator's e-mail address", email)
    .option('--admin-name <name>', "the administrator's name", text(120), 'Administrator')
    .addOption(json())
    .action(createCompany)
  company.command('list').description('list the companies').addOption(json()).action(listCompanies)

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
    .action(addCompanyUser)

  program
    .command('key')
    .description('API keys of a company')
    .command('issue')
    .description('issue an API key; its secret is shown once')
    .addOption(companyOption())
    .requiredOption('--name <name>', 'what it is for', text(120))
    .option('--quota-limit <n>', 'requests in each period', wholeNumber, DEFAULT_QUOTA_LIMIT)
    .addOption(new Option('--refresh-period <period>', 'when the quota begins anew').choices(REFRESH_PERIODS).default(DEFAULT_REFRESH_PERIOD))
    .addOption(json())
    .action(issueKey)

  const projections = program.command('projections').description('the read models')
  projections.command('list').description('how far each projection is').addOption(json()).action(listProjections)
  projections
    .command('resume')
    .description('let a parked company go on')
    .argument('<projection>', 'its name')
    .addOption(companyOption())
    .action(resumeProjection)

  program
    .command('demo')
    .description('the demo company')
    .command('seed')
    .description('fill the demo company with employees and calls of every kind')
    .action(seedDemo)
  return program
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
  if (/^[^\s@]+@[^\s@]+$/.test(value) && value.length <= 254) return value
  throw new InvalidArgumentError('It must be an e-mail address.')
}

const LARGEST_QUOTA = 2_147_483_647

function wholeNumber(value: string): number {
  if (/^[0-9]{1,10}$/.test(value) && Number(value) <= LARGEST_QUOTA) return Number(value)
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${LARGEST_QUOTA}.`)
}
