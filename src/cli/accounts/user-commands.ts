import { Option, type Command } from 'commander'
import { ROLES, TOKEN_SCOPES } from '../../domain/accounts/roles.ts'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '../../domain/accounts/user-lifecycle.ts'
import {
  companyCommandsOf,
  idOption,
  loadOnRun,
  outOption,
  parseEmail,
  parseText,
  parseWholeNumber,
  yesOption,
} from '../terminal/options.ts'

const userOption = () => idOption('user', 'usr', 'the id of the user')
const roleOption = () => new Option('--role <role>', "the user's role").choices(ROLES).makeOptionMandatory()

const load = () => import('./user.ts')

/** Adds `user …` and `token …`. */
export function addUserCommands(program: Command): void {
  const user = companyCommandsOf(program, 'user', 'users of a company')
  const add = user('add', 'add a user with a password and a token, and show both once').action(
    loadOnRun(load, 'addCompanyUser'),
  )
  const invite = user(
    'invite',
    'invite a user; shows once, and emails, the one-time token to set a password or link an account',
  ).action(loadOnRun(load, 'inviteUser'))
  for (const command of [add, invite]) {
    command
      .requiredOption('--email <email>', 'email address', parseEmail)
      .requiredOption('--name <name>', 'name', parseText(120))
      .addOption(roleOption())
  }
  user('list', 'list the users, newest first').action(loadOnRun(load, 'listCompanyUsers'))
  user('role', "change a user's role")
    .addOption(userOption())
    .addOption(roleOption())
    .action(loadOnRun(load, 'changeRole'))
  user('reset', 'reset password, passkeys, and linked account; shows once, and emails, a one-time token')
    .addOption(userOption())
    .action(loadOnRun(load, 'resetUser'))
  user('remove', 'remove a user; their password, passkeys and tokens stop working immediately')
    .addOption(userOption())
    .action(loadOnRun(load, 'removeCompanyUser'))
  user('report', 'write what is held about a user, as a page or as JSON')
    .addOption(userOption())
    .addOption(outOption())
    .action(loadOnRun(() => import('./report.ts'), 'writeUserReport'))
  user('erase', 'erase a removed user permanently: name, email address, and tokens')
    .addOption(userOption())
    .addOption(yesOption())
    .action(loadOnRun(load, 'eraseCompanyUser'))
  addTokenCommands(program)
}

function addTokenCommands(program: Command): void {
  const token = companyCommandsOf(program, 'token', 'access tokens of users')
  token('issue', 'issue an access token to a user and show it once; a scope limits its access')
    .addOption(userOption())
    .requiredOption('--name <name>', 'name', parseText(120))
    .option(
      '--days <n>',
      `days until it expires, 1 to ${MAX_TOKEN_DAYS}`,
      parseWholeNumber(MAX_TOKEN_DAYS, 1),
      DEFAULT_TOKEN_DAYS,
    )
    .addOption(
      new Option('--scope <scope>', 'limit the token to this access (default: full access)').choices(TOKEN_SCOPES),
    )
    .action(loadOnRun(load, 'issueToken'))
  token('revoke', 'revoke a token')
    .addOption(idOption('token', 'tok', 'the id of the token'))
    .action(loadOnRun(load, 'revokeToken'))
}
