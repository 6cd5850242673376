/** The text of a problem code's page. */
export interface ProblemText {
  /** When a call is refused with this code. */
  when: string
  /** What the client can do. */
  remedy: string
  /** Set if the refused call has an entry in Bulk User Logs, or the first one does. Only writing calls have entries. */
  entry?: 'yes' | 'of the first call'
}

/** The texts about users and the identity provider of their company. */
export const USER_PROBLEM_TEXTS = {
  user_exists: {
    when: 'The company already has a user with this email address.',
    remedy: 'Change that user, or invite another address.',
  },
  user_removed: {
    when: 'The user has been removed from the company.',
    remedy: 'Invite the person again.',
  },
  user_not_removed: {
    when: 'Only users who have been removed can be erased.',
    remedy: 'Remove the user first, then erase the user.',
  },
  last_admin: {
    when: 'The change would leave the company without an administrator.',
    remedy: 'Make another user an administrator first.',
  },
  break_glass_user: {
    when: 'The user is the administrator who may use a password although the company requires its identity provider.',
    remedy: 'Name another break-glass administrator, or stop requiring the identity provider.',
  },
  only_way_in: {
    when: 'Without this account at the identity provider, or this passkey, the user could not sign in.',
    remedy: 'Add a passkey or set a password first; an administrator can make a one-time link for a password.',
  },
  own_password: {
    when: 'A reset shows a one-time link, with which a stolen session or token could take over its own user.',
    remedy: 'Change your password on the account page, or ask another administrator or the operator for a reset.',
  },
  session_required: {
    when: 'A token was sent, but no token may do this, so that nothing that it makes outlives it.',
    remedy: 'Sign in with a browser, and do it on the account page.',
  },
  reauthentication_required: {
    when:
      'The password did not come with the request, or was wrong. Or the user has no password, and signed in more than ' +
      'ten minutes ago.',
    remedy: 'Send your current password, or sign in again with your passkey or through the identity provider.',
  },
  provider_required: {
    when: 'The company has replaced passwords with its identity provider.',
    remedy: "Sign in through the identity provider, at the company's own sign-in page.",
  },
  provider_in_use: {
    when: 'Users sign in through the identity provider, so it cannot be removed or replaced by another.',
    remedy: 'Turn the provider off first.',
  },
  provider_unproven: {
    when: "No administrator is linked to an account at the provider's issuer, so the provider cannot be required yet.",
    remedy: 'Make the provider optional, and sign in through it.',
  },
} as const satisfies Record<string, ProblemText>
