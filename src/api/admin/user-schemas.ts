import { Type } from '@sinclair/typebox'
import { MAX_EMAIL_CHARACTERS } from '#domain/attributes'
import { findSoleScope, ROLES, TOKEN_SCOPES, type TokenScope } from '#domain/accounts/roles'
import {
  DEFAULT_TOKEN_DAYS,
  MAX_PASSWORD_CHARACTERS,
  MAX_TOKEN_DAYS,
  MIN_PASSWORD_CHARACTERS,
} from '#domain/accounts/user-lifecycle'
import { getUserStatus, USER_STATUSES, type UserRecord, type TokenRecord } from '#accounts/users/users'
import {
  LastFour,
  makeListSchema,
  mergePatch,
  Name,
  namedObject,
  nullable,
  oneOf,
  optionalString,
  Page,
  requireOnly,
  strictObject,
  Time,
  TimeOrNull,
  render,
  type Action,
  flag,
  text,
} from '#http/openapi/schema-parts'

const Email = { maxLength: MAX_EMAIL_CHARACTERS, description: 'Stored in lower case and Unicode NFKC.' }
const UserRole = oneOf(ROLES)

const userFields = {
  id: Type.String(),
  email: Type.String({ ...Email, description: `${Email.description} Empty after the user is erased, like the name.` }),
  name: Type.String(),
  role: UserRole,
  status: oneOf(USER_STATUSES, 'A pending user has no way to sign in yet.'),
  invitation_expires_at: { ...TimeOrNull, description: 'When the unused one-time token expires or expired.' },
  last_sign_in_at: {
    ...TimeOrNull,
    description: 'Null if the user has never signed in, or only before version 1.1.0. Tokens do not count.',
  },
  created_at: Time,
  removed_at: TimeOrNull,
}

export const ShownUser = namedObject('User', userFields)
export const InvitedUser = namedObject('InvitedUser', {
  ...userFields,
  invitation: Type.Object({
    token: text('Sets a password, once. It is shown only once.'),
    expires_at: Time,
    emailed: flag(
      'Whether a message with the link is on its way to the user. False where the service sends no email, and ' +
        'after too many messages in an hour: pass the token on yourself.',
    ),
  }),
})
export const UserList = makeListSchema(ShownUser)
export const UserListQuery = strictObject({
  ...Page,
  status: Type.Optional(oneOf(USER_STATUSES, 'Default: all users who are not removed.')),
})

export const InviteBody = strictObject({ email: Type.String(Email), name: Name, role: UserRole })
export const RoleBody = strictObject({ role: UserRole })
export const ChangeUserBody = mergePatch({ role: UserRole })
const NewPassword = Type.String({ minLength: MIN_PASSWORD_CHARACTERS, maxLength: MAX_PASSWORD_CHARACTERS })
export const OwnPasswordBody = strictObject({
  current: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_CHARACTERS }),
  password: NewPassword,
})
export const AcceptBody = strictObject({
  token: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The one-time token of an invitation or a reset.',
  }),
  password: NewPassword,
})

/** Renders a user for a response. */
export function renderUser(user: UserRecord) {
  return render(ShownUser, { ...user, status: getUserStatus(user), invitationExpiresAt: user.linkExpiresAt })
}

const TOKEN_STATUSES = ['active', 'expired', 'revoked'] as const

const SCOPES =
  'Restrict the token to reading Bulk User Logs, refusals, and usage (`logs:read`), to uploading files ' +
  '(`uploads:write`), to downloading the employees (`people:read`), and to the audit endpoints (`audit`), as far ' +
  'as the role of its user allows. Only administrators can have scopes other than `audit`.'
const SCOPE_ALONE = 'The scope, if `audit` is the only one.'

const tokenFields = {
  id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  secret_last_four: LastFour,
  scopes: Type.Unsafe<TokenScope[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', enum: [...TOKEN_SCOPES] },
    description: `${SCOPES} Null: everything that the user may do.`,
  }),
  scope: { ...nullable(oneOf(['audit'])), description: `${SCOPE_ALONE} Use \`scopes\`.` },
  status: oneOf(TOKEN_STATUSES),
  created_at: Time,
  expires_at: Time,
  last_used: { ...TimeOrNull, description: 'Accurate to the minute. Null if the token was never used.' },
  revoked_at: TimeOrNull,
}

export const ShownToken = namedObject('UserToken', tokenFields)
export const TokenWithSecret = namedObject('UserTokenWithSecret', {
  ...tokenFields,
  token: text('The token, sent as `Authorization: Bearer`. It is shown only once.'),
})
export const TokenList = makeListSchema(ShownToken)
export const TokenListQuery = strictObject({
  ...Page,
  user: optionalString({ minLength: 1, maxLength: 64, description: "A user's id. Default: your own." }),
})
export const IssueTokenBody = requireOnly(['name'], {
  name: Name,
  expires_in_days: Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS, default: DEFAULT_TOKEN_DAYS }),
  scopes: Type.Optional(
    Type.Unsafe<TokenScope[]>({
      type: 'array',
      items: { type: 'string', enum: [...TOKEN_SCOPES] },
      minItems: 1,
      uniqueItems: true,
      description: `${SCOPES} Default: everything that you may do.`,
    }),
  ),
  scope: Type.Optional(oneOf(['audit'], `${SCOPE_ALONE} Use \`scopes\`.`)),
  current_password: optionalString({
    maxLength: MAX_PASSWORD_CHARACTERS,
    description:
      'Your password. Users who have none, or whose company requires its identity provider, leave it out and must ' +
      'have signed in within the last 10 minutes.',
  }),
})

/** Renders a token for a response. `now` is RFC 3339 UTC. */
export function renderToken({ token, now }: { token: TokenRecord; now: string }) {
  const [scope, status] = [findSoleScope(token.scopes), getTokenStatus(token, now)]
  return render(ShownToken, { ...token, scope, secretLastFour: token.lastFour, status })
}

/** Returns the status of a token. `now` is RFC 3339 UTC. */
export function getTokenStatus({ revokedAt, expiresAt }: TokenRecord, now: string): (typeof TOKEN_STATUSES)[number] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt > now ? 'active' : 'expired'
}

/** What ends a user. */
export const USER_ACTIONS = {
  remove: {
    operationId: 'removeUser',
    summary: 'Remove a user',
    description:
      'Their password, passkeys, recovery codes, sessions and tokens stop working immediately. A company always ' +
      'keeps an administrator.',
    problems: ['user_not_found', 'last_admin', 'break_glass_user'],
    button: 'Remove user',
    done: 'removed',
    notice: 'User removed. The password, link, sessions and tokens no longer work.',
  },
  erase: {
    operationId: 'eraseUser',
    summary: 'Erase a removed user: name, email address, tokens and linked account',
    description:
      'The removal has deleted passkeys and recovery codes. Actions recorded under the user id remain. This ' +
      'cannot be undone. Erasing a user again has no effect.',
    problems: ['user_not_found', 'user_not_removed'],
    button: 'Erase user',
    done: 'erased',
    notice: "User erased. This can't be undone.",
  },
} as const satisfies Record<string, Action>

/** What can be done with a token of a user. */
export const TOKEN_ACTIONS = {
  revoke: {
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'It stops working immediately. You can revoke your own tokens; administrators can revoke any token.',
    problems: ['token_not_found'],
    button: 'Revoke token',
    done: 'revoked',
    notice: 'Token revoked.',
  },
} as const satisfies Record<string, Action>
