import type { Command } from 'commander'
import { commandsIn, companyOption, parseCountry, parseEmail, parseText, parseTimeZone } from '../terminal/options.ts'

/** Adds the commands of `company`. */
export function addCompanyCommands(program: Command) {
  const company = commandsIn(program.command('company').description('companies'), () => import('./company.ts'))
  company('create', 'register a company and its first administrator', 'createCompany')
    .requiredOption('--name <name>', 'the name of the company', parseText(120))
    .requiredOption('--admin-email <email>', "the administrator's email address", parseEmail)
    .option('--admin-name <name>', "the administrator's name", parseText(120), 'Administrator')
  company('list', 'list the companies', 'listCompanies')
  company('show', 'show a company, and its id as the database stores it', 'showCompany').addOption(companyOption())
  company('rename', 'give a company another name', 'rename')
    .argument('<name>', 'the name', parseText(120))
    .addOption(companyOption())
  company('set-time-zone', "set the time zone in which a company's pages show times", 'setTimeZone')
    .argument('<time-zone>', 'an IANA name, such as Europe/Berlin', parseTimeZone)
    .addOption(companyOption())
  company('set-country', 'set the country whose phone numbers need no country code', 'setCountry')
    .argument('<country>', 'an ISO 3166-1 alpha-2 code, such as DE; or none', parseCountry)
    .addOption(companyOption())
}
