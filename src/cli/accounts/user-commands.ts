import { Option, type Command } from 'commander'
import { ROLES, TOKEN_SCOPES } from '#domain/accounts/roles'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '#domain/accounts/user-lifecycle'
import {
  companyCommandsIn,
  idOption,
  outOption,
  parseEmail,
  parseText,
  parseWholeNumber,
  yesOption,
} from '../terminal/options.ts'

const userOption = () => idOption('user', 'usr', 'the id of the user')
const roleOption = () => new Option('--role <role>', "the user's role").choices(ROLES).makeOptionMandatory()

/** Adds `user …` and `token …`. */
export function addUserCommands(program: Command) {
  const user = companyCommandsIn(program.command('user').description('users of a company'), () => import('./user.ts'))
  const add = user('add', 'add a user with a password and a token, and show both once', 'addCompanyUser')
  const invite = user(
    'invite',
    'invite a user; shows once, and emails, the one-time token to set a password or link an account',
    'inviteUser',
  )
  for (const command of [add, invite]) {
    command
      .requiredOption('--email <email>', 'email address', parseEmail)
      .requiredOption('--name <name>', 'name', parseText(120))
      .addOption(roleOption())
  }
  user('list', 'list the users, newest first', 'listCompanyUsers')
  user('role', "change a user's role", 'changeRole').addOption(userOption()).addOption(roleOption())
  user(
    'reset',
    'reset password, passkeys, and linked account; shows once, and emails, a one-time token',
    'resetUser',
  ).addOption(userOption())
  user(
    'remove',
    'remove a user; their password, passkeys and tokens stop working immediately',
    'removeCompanyUser',
  ).addOption(userOption())
  user('report', 'write what is held about a user, as a page or as JSON', 'reportCompanyUser')
    .addOption(userOption())
    .addOption(outOption())
  user('erase', 'erase a removed user permanently: name, email address, and tokens', 'eraseCompanyUser')
    .addOption(userOption())
    .addOption(yesOption())
  addTokenCommands(program)
}

function addTokenCommands(program: Command) {
  const tokens = program.command('token').description('access tokens of users')
  const token = companyCommandsIn(tokens, () => import('./user.ts'))
  token('issue', 'issue an access token to a user and show it once; scopes limit its access', 'issueToken')
    .addOption(userOption())
    .requiredOption('--name <name>', 'name', parseText(120))
    .option(
      '--days <n>',
      `days until it expires, 1 to ${MAX_TOKEN_DAYS}`,
      parseWholeNumber(MAX_TOKEN_DAYS, 1),
      DEFAULT_TOKEN_DAYS,
    )
    .addOption(
      new Option('--scope <scope...>', 'limit the token to this access (default: full access)').choices(TOKEN_SCOPES),
    )
  token('revoke', 'revoke a token', 'revokeToken').addOption(idOption('token', 'tok', 'the id of the token'))
}
