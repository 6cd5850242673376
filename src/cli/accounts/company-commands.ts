import type { Command } from 'commander'
import {
  commandsOf,
  companyOption,
  loadOnRun,
  parseCountry,
  parseEmail,
  parseText,
  parseTimeZone,
} from '../terminal/options.ts'

const load = () => import('./company.ts')

/** Adds the commands of `company`. */
export function addCompanyCommands(program: Command): void {
  const company = commandsOf(program, 'company', 'companies')
  company('create', 'register a company and its first administrator')
    .requiredOption('--name <name>', 'the name of the company', parseText(120))
    .requiredOption('--admin-email <email>', "the administrator's email address", parseEmail)
    .option('--admin-name <name>', "the administrator's name", parseText(120), 'Administrator')
    .action(loadOnRun(load, 'createCompany'))
  company('list', 'list the companies').action(loadOnRun(load, 'listCompanies'))
  company('show', 'show a company, and its id as the database stores it')
    .addOption(companyOption())
    .action(loadOnRun(load, 'showCompany'))
  company('set-time-zone', "set the time zone in which a company's pages show times")
    .argument('<time-zone>', 'an IANA name, such as Europe/Berlin', parseTimeZone)
    .addOption(companyOption())
    .action(loadOnRun(load, 'setTimeZone'))
  company('set-country', 'set the country whose phone numbers need no country code')
    .argument('<country>', 'an ISO 3166-1 alpha-2 code, such as DE; or none', parseCountry)
    .addOption(companyOption())
    .action(loadOnRun(load, 'setCountry'))
}
