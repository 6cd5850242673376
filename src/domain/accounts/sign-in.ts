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
