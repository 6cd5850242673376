import type { Command } from 'commander'
import { Option } from 'commander'
import { companyOption, idOption, json, loaded, text, yesOption } from '../terminal/options.ts'

const MAX_NAME_CHARACTERS = 1_000

/** Adds `employee …`: what only the operator does with employees. */
export function addEmployeeCommands(program: Command): void {
  const named = (flags: string, what: string) => new Option(flags, what).argParser(text(MAX_NAME_CHARACTERS))
  program
    .command('employee')
    .description('employees of a company')
    .command('erase')
    .description(
      'erase a person permanently, also one who appears only in refused records; name them by one of the three',
    )
    .addOption(companyOption())
    .addOption(
      idOption('id', 'emp', 'the id of the employee').makeOptionMandatory(false).conflicts(['email', 'externalId']),
    )
    .addOption(named('--email <email>', 'the e-mail address').conflicts(['id', 'externalId']))
    .addOption(named('--external-id <external-id>', 'the external id').conflicts(['id', 'email']))
    .addOption(yesOption())
    .addOption(json())
    .action(loaded(async () => (await import('./employee.ts')).erasePerson))
}
