import type { KeyScope } from '../../../domain/accounts/api-key.ts'

/** Formats what calls with a key may do. */
export function formatScopes(scopes: readonly KeyScope[]): string {
  if (scopes.length > 1) return 'read and write'
  return scopes.includes('employees:read') ? 'read only' : 'write only'
}
