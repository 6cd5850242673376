/** What a company's user may do. Bulk User Logs and keys: admin alone. Event stream: admin and auditor. */
export type Role = 'admin' | 'auditor' | 'member'

/** Those with the most rights first. */
export const ROLES: readonly Role[] = ['admin', 'auditor', 'member']

/** How a session was begun. */
export type SessionMethod = 'password' | 'passkey' | 'provider'

/** The scopes that can restrict a user's token: the audit endpoint only. */
export type TokenScope = 'audit'

export const TOKEN_SCOPES: readonly TokenScope[] = ['audit']
