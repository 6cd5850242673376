import type { Command } from 'commander'
import { Option } from 'commander'
import { ROLES } from '../domain/company.ts'
import { companyOption, email, idOption, json, loaded, text, yesOption } from './options.ts'

const userOption = () => idOption('user', 'usr', 'the id of the user')
const roleOption = () => new Option('--role <role>', 'what the user may do').choices(ROLES).makeOptionMandatory()

/** Adds `user …` and `token …`: the lives of users and of their tokens. */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users of a company')
  user
    .command('add')
    .description('add a user with a password and a token, which are shown once')
    .addOption(companyOption())
    .requiredOption('--email <email>', 'e-mail address', email)
    .requiredOption('--name <name>', 'name', text(120))
    .addOption(roleOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).addCompanyUser))
  user
    .command('invite')
    .description('invite a user, who sets a password with a one-time token that is shown once')
    .addOption(companyOption())
    .requiredOption('--email <email>', 'e-mail address', email)
    .requiredOption('--name <name>', 'name', text(120))
    .addOption(roleOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).inviteUser))
  user
    .command('list')
    .description('list the users, newest first')
    .addOption(companyOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).listCompanyUsers))
  user
    .command('role')
    .description('give a user another role')
    .addOption(companyOption())
    .addOption(userOption())
    .addOption(roleOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).changeRole))
  user
    .command('reset')
    .description('end a password; a new one is set with a one-time token that is shown once')
    .addOption(companyOption())
    .addOption(userOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).resetUser))
  user
    .command('remove')
    .description('remove a user, whose password and tokens end at once')
    .addOption(companyOption())
    .addOption(userOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).removeCompanyUser))
  user
    .command('erase')
    .description('forget a removed user for ever: name, e-mail address and tokens')
    .addOption(companyOption())
    .addOption(userOption())
    .addOption(yesOption())
    .addOption(json())
    .action(loaded(async () => (await import('./user.ts')).eraseCompanyUser))
  program
    .command('token')
    .description("users' tokens")
    .command('revoke')
    .description('end a token')
    .addOption(companyOption())
    .addOption(idOption('token', 'tok', 'the id of the token'))
    .action(loaded(async () => (await import('./user.ts')).revokeToken))
}
