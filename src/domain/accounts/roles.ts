/**
 * What a company's user may do, those with the most rights first. Bulk User Logs and keys: admin alone. Event stream:
 * admin and auditor.
 */
export const ROLES = ['admin', 'auditor', 'member'] as const
export type Role = (typeof ROLES)[number]

/** How a session was begun. */
export type SessionMethod = 'password' | 'passkey' | 'provider'

/** The scopes that can restrict a user's token, for a program. All but `audit` are for administrators. */
export const TOKEN_SCOPES = ['logs:read', 'uploads:write', 'people:read', 'audit'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** The scopes of a token; null if it allows everything that its user may do. */
export type TokenScopes = readonly TokenScope[] | null

/** The one scope that version 1.1.0 knows: `audit`, if it is the only one of a token, and null otherwise. */
export function findSoleScope(scopes: TokenScopes): 'audit' | null {
  return scopes?.join() === 'audit' ? 'audit' : null
}

/** What a user signs in with. A recovery code comes after the password. */
export type SignInMethod = 'password' | 'passkey' | 'recovery_code' | 'provider'

/** What a sign-in can fail with. Whoever fails at the identity provider is unknown here. */
export const FAILING_METHODS = ['password', 'passkey', 'recovery_code'] as const satisfies readonly SignInMethod[]
export type FailingMethod = (typeof FAILING_METHODS)[number]

/** How often signing in failed, by what was wrong. Absent is never. */
export type FailedAttempts = Partial<Record<FailingMethod, number>>

/** Why sessions ended that their user did not sign out of. */
export type SessionEndReason =
  /** The user ended them on the account page. */
  | 'ended_by_user'
  /** The browser signed in again. */
  | 'signed_in_again'
  | 'password_set'
  | 'password_reset'
  | 'passkey_removed'
  | 'identity_unlinked'
  | 'user_removed'
  | 'provider_off'
  | 'provider_required'
  /** The identity provider said that they had ended there. */
  | 'ended_at_provider'
