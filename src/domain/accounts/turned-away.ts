/** Why a secret that once was a key's did not let a call in. */
export const TURNED_AWAY_REASONS = ['former_secret', 'expired', 'revoked'] as const
export type TurnedAwayReason = (typeof TURNED_AWAY_REASONS)[number]
