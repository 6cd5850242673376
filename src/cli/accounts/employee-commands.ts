import { Option, type Command } from 'commander'
import { companyCommandsIn, idOption, outOption, parseText, yesOption } from '../terminal/options.ts'

const MAX_NAME_CHARACTERS = 1_000

/** Adds `employee …`. */
export function addEmployeeCommands(program: Command) {
  const employee = companyCommandsIn(
    program.command('employee').description('employees of a company'),
    () => import('./employee.ts'),
  )
  addIdentifiers(
    employee(
      'report',
      'write what is held about a person, as a page or as JSON; finds them as an erasure does',
      'reportPerson',
    ),
  ).addOption(outOption())
  addIdentifiers(
    employee(
      'erase',
      'erase a person permanently; identify them by id, email address, external id, or user name; also finds ' +
        'people who appear only in refused records',
      'erasePerson',
    ),
  ).addOption(yesOption())
}

/** Adds the options that identify a person. */
function addIdentifiers(command: Command) {
  const textOption = (flags: string, what: string) => new Option(flags, what).argParser(parseText(MAX_NAME_CHARACTERS))
  return command
    .addOption(
      idOption('id', 'emp', 'the id of the employee')
        .makeOptionMandatory(false)
        .conflicts(['email', 'externalId', 'userName']),
    )
    .addOption(textOption('--email <email>', 'the email address').conflicts(['id', 'externalId', 'userName']))
    .addOption(textOption('--external-id <external-id>', 'the external id').conflicts(['id', 'email', 'userName']))
    .addOption(textOption('--user-name <user-name>', 'the user name').conflicts(['id', 'email', 'externalId']))
}
