/**
 * What a company's user may do, those with the most rights first. Bulk User Logs and keys: admin alone. Event stream:
 * admin and auditor.
 */
export const ROLES = ['admin', 'auditor', 'member'] as const
export type Role = (typeof ROLES)[number]

/** How a session was begun. */
export type SessionMethod = 'password' | 'passkey' | 'provider'

/** The scopes that can restrict a user's token: the audit endpoint only. */
export const TOKEN_SCOPES = ['audit'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]
