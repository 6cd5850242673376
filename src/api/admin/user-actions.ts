import type { Action } from '#http/openapi/actions'

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
