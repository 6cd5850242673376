import type { Action } from '../../http/openapi/actions.ts'

/** What can be done with a key, besides editing and rotation. */
export const KEY_ACTIONS = {
  disable: {
    operationId: 'disableApiKey',
    summary: 'Disable an API key',
    description: 'Its calls are refused until the key is enabled.',
    problems: ['key_not_found', 'key_revoked'],
    button: 'Disable',
    question: 'Calls with this key are refused immediately, until you enable it again.',
    done: 'disabled',
    notice: 'Key disabled. Its calls are refused until you enable it.',
  },
  enable: {
    operationId: 'enableApiKey',
    summary: 'Enable a disabled API key',
    description: 'Its calls are accepted again.',
    problems: ['key_not_found', 'key_revoked'],
    button: 'Enable',
    done: 'enabled',
    notice: 'Key enabled.',
  },
  revoke: {
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key permanently',
    description: 'Its calls are refused from now on. The key stays in the list, and can never be used again.',
    problems: ['key_not_found'],
    button: 'Revoke key',
    done: 'revoked',
    notice: "Key revoked. This can't be undone.",
  },
} as const satisfies Record<string, Action>
