import {
  type FailedAttempts,
  type FailingMethod,
  type SessionEndReason,
  type SignInMethod,
  FAILING_METHODS,
} from '#domain/accounts/roles'
import { formatNumber } from '#wording/numbers'

/** With what someone signed in. */
export const SIGNED_IN_WITH: Readonly<Record<SignInMethod, string>> = {
  password: 'with a password',
  passkey: 'with a passkey',
  recovery_code: 'with a password and a recovery code',
  provider: 'at the identity provider',
}

/** How someone ended sessions, in words that follow them. */
export const ENDED_BY: Readonly<Record<SessionEndReason, string>> = {
  ended_by_user: 'on the account page',
  signed_in_again: 'by signing in again',
  password_set: 'by setting a password',
  password_reset: 'by resetting the password',
  passkey_removed: 'by removing a passkey',
  identity_unlinked: 'by unlinking the account at the identity provider',
  user_removed: 'by removing the user',
  provider_off: 'by turning the identity provider off',
  provider_required: 'by requiring the identity provider',
  ended_at_provider: 'that had ended there',
}

const FAILED_WITH: Readonly<Record<FailingMethod, string>> = {
  password: 'a wrong password',
  passkey: 'an invalid passkey',
  recovery_code: 'a wrong recovery code',
}

/** Formats how often signing in failed, and with what: `12 times with a wrong password`. */
export function formatAttempts(attempts: FailedAttempts) {
  const parts = FAILING_METHODS.flatMap((method) => {
    const count = attempts[method] ?? 0
    return count === 0 ? [] : [`${count === 1 ? 'once' : `${formatNumber(count)} times`} with ${FAILED_WITH[method]}`]
  })
  return parts.join(', ')
}
