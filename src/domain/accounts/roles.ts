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
