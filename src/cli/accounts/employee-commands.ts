import { Option, type Command } from 'commander'
import { companyCommandsOf, idOption, loadOnRun, outOption, parseText, yesOption } from '../terminal/options.ts'

const MAX_NAME_CHARACTERS = 1_000

const load = () => import('./employee.ts')

/** Adds `employee …`. */
export function addEmployeeCommands(program: Command): void {
  const employee = companyCommandsOf(program, 'employee', 'employees of a company')
  addIdentifiers(
    employee('report', 'write what is held about a person, as a page or as JSON; finds them as an erasure does'),
  )
    .addOption(outOption())
    .action(loadOnRun(load, 'reportPerson'))
  addIdentifiers(
    employee(
      'erase',
      'erase a person permanently; identify them by id, email address, or external id; also finds people who appear only in refused records',
    ),
  )
    .addOption(yesOption())
    .action(loadOnRun(load, 'erasePerson'))
}

/** Adds the options that identify a person. */
function addIdentifiers(command: Command): Command {
  const textOption = (flags: string, what: string) => new Option(flags, what).argParser(parseText(MAX_NAME_CHARACTERS))
  return command
    .addOption(
      idOption('id', 'emp', 'the id of the employee').makeOptionMandatory(false).conflicts(['email', 'externalId']),
    )
    .addOption(textOption('--email <email>', 'the email address').conflicts(['id', 'externalId']))
    .addOption(textOption('--external-id <external-id>', 'the external id').conflicts(['id', 'email']))
}
