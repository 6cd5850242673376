import { Type } from '@sinclair/typebox'
import type { TokenScope } from '../../domain/company.ts'
import { ROLES, TOKEN_SCOPES } from '../../domain/company.ts'
import {
  DEFAULT_TOKEN_DAYS,
  MAX_PASSWORD_CHARACTERS,
  MAX_TOKEN_DAYS,
  MIN_PASSWORD_CHARACTERS,
} from '../../domain/accounts/user-lifecycle.ts'
import type { TokenRecord } from '../../accounts/users/read-user-tokens.ts'
import type { UserRecord, UserStatus } from '../../accounts/users/users.ts'
import { listOf, Name, oneOf, Page, STRICT, Time, TimeOrNull } from '../openapi/schema-parts.ts'

export const USER_STATUSES: readonly UserStatus[] = ['pending', 'active', 'removed']

const Email = { maxLength: 254, description: 'Kept in lower case, as Unicode NFKC.' }
const UserRole = oneOf(ROLES)

const userFields = {
  id: Type.String(),
  email: Type.String({ ...Email, description: `${Email.description} Empty once the user is erased, as is the name.` }),
  name: Type.String(),
  role: UserRole,
  status: oneOf(USER_STATUSES, 'A pending user has yet to set a password by the one-time token.'),
  invitation_expires_at: Type.Unsafe<string | null>({
    ...{ type: ['string', 'null'], format: 'date-time' },
    description: 'When the one-time token that waits to be used ends, or ended.',
  }),
  created_at: Time,
  removed_at: TimeOrNull,
}

export const ShownUser = Type.Object(userFields, { $id: 'User', ...STRICT })
export const InvitedUser = Type.Object(
  {
    ...userFields,
    invitation: Type.Object({
      token: Type.String({ description: 'Sets the password, once. Shown this once; only its digest is kept.' }),
      expires_at: Time,
    }),
  },
  { $id: 'InvitedUser', ...STRICT },
)
export const UserList = listOf(ShownUser)
export const UserListQuery = Type.Object(
  { ...Page, status: Type.Optional(oneOf(USER_STATUSES, 'Without it, all but the removed users.')) },
  STRICT,
)

export const InviteBody = Type.Object({ email: Type.String(Email), name: Name, role: UserRole }, STRICT)
export const RoleBody = Type.Object({ role: UserRole }, STRICT)
export const ChangeUserBody = Type.Partial(Type.Object({ role: UserRole }), {
  ...STRICT,
  description: 'A merge patch.',
})
const NewPassword = Type.String({ minLength: MIN_PASSWORD_CHARACTERS, maxLength: MAX_PASSWORD_CHARACTERS })
export const OwnPasswordBody = Type.Object(
  { current: Type.String({ minLength: 1, maxLength: MAX_PASSWORD_CHARACTERS }), password: NewPassword },
  STRICT,
)
export const AcceptBody = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The one-time token of an invitation or a reset.',
    }),
    password: NewPassword,
  },
  STRICT,
)

/** A user as it is answered. */
export function showUser(user: UserRecord) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: userStatus(user),
    invitation_expires_at: user.linkExpiresAt,
    created_at: user.createdAt,
    removed_at: user.removedAt,
  }
}

/** How a user stands. */
export function userStatus({ isRemoved, hasPassword }: UserRecord): UserStatus {
  if (isRemoved) return 'removed'
  return hasPassword ? 'active' : 'pending'
}

const TOKEN_STATUSES = ['active', 'expired', 'revoked'] as const

const SCOPE =
  'What the token is narrowed to: `audit` opens the audit endpoint, for a user whose role does, and nothing else.'

const tokenFields = {
  id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  scope: Type.Unsafe<TokenScope | null>({
    ...{ type: ['string', 'null'], enum: [...TOKEN_SCOPES, null] },
    description: `${SCOPE} Null: all that its user may do.`,
  }),
  status: oneOf(TOKEN_STATUSES),
  created_at: Time,
  expires_at: Time,
  last_used: Type.Unsafe<string | null>({
    ...{ type: ['string', 'null'], format: 'date-time' },
    description: 'To the minute; null when it never was.',
  }),
  revoked_at: TimeOrNull,
}

export const ShownToken = Type.Object(tokenFields, { $id: 'UserToken', ...STRICT })
export const TokenWithSecret = Type.Object(
  {
    ...tokenFields,
    token: Type.String({ description: 'Sent as `Authorization: Bearer`. Shown this once; only its digest is kept.' }),
  },
  { $id: 'UserTokenWithSecret', ...STRICT },
)
export const TokenList = listOf(ShownToken)
export const TokenListQuery = Type.Object(
  {
    ...Page,
    user: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "A user's id; without it, the tokens are your own." }),
    ),
  },
  STRICT,
)
export const IssueTokenBody = Type.Object(
  {
    name: Name,
    expires_in_days: Type.Integer({ minimum: 1, maximum: MAX_TOKEN_DAYS, default: DEFAULT_TOKEN_DAYS }),
    scope: Type.Optional(oneOf(TOKEN_SCOPES, SCOPE)),
  },
  // What has a default need not be sent.
  { ...STRICT, required: ['name'] },
)

/** A token as it is answered at an instant, RFC 3339 UTC. */
export function showToken({ token, now }: { token: TokenRecord; now: string }) {
  return {
    id: token.id,
    user_id: token.userId,
    name: token.name,
    scope: token.scope,
    status: tokenStatus(token, now),
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    last_used: token.lastUsed,
    revoked_at: token.revokedAt,
  }
}

/** How a token stands at an instant, RFC 3339 UTC. */
export function tokenStatus({ revokedAt, expiresAt }: TokenRecord, now: string): (typeof TOKEN_STATUSES)[number] {
  if (revokedAt !== null) return 'revoked'
  return expiresAt > now ? 'active' : 'expired'
}
