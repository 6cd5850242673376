import { problem, fieldError, invalidFields } from '../errors.ts'
import type { NewEvent } from '../events.ts'
import type { Decided } from './key-lifecycle.ts'

/** The most passkeys of a user. */
export const MAX_PASSKEYS = 10
export const MAX_PASSKEY_NAME_CHARACTERS = 60
/** How many recovery codes a user gets at once. */
export const RECOVERY_CODES = 10

/** A change of a user's passkeys or recovery codes. */
export type PasskeyChange =
  /** `held`: how many passkeys the user has. */
  | { change: 'add_passkey'; passkeyId: string; name: string; held: number }
  /** `isLastWayIn`: the user could not sign in without this passkey. */
  | { change: 'remove_passkey'; passkeyId: string; isLastWayIn: boolean }
  | { change: 'issue_recovery_codes' }
  /** `remaining`: how many codes are left after this one. */
  | { change: 'use_recovery_code'; remaining: number }

type PasskeyEvent = Extract<NewEvent, { type: `UserPasskey${string}` | `UserRecoveryCode${string}` }>

/** Decides a change of the passkeys of a user who is not removed. `place`: where the event goes. */
export function decidePasskeyChange(
  place: Pick<PasskeyEvent, 'stream' | 'version' | 'index'>,
  change: PasskeyChange,
): Decided<PasskeyEvent> {
  switch (change.change) {
    case 'add_passkey': {
      const { passkeyId, name, held } = change
      if (held >= MAX_PASSKEYS) return { problem: TOO_MANY }
      return { events: [{ ...place, type: 'UserPasskeyAdded', data: { passkey_id: passkeyId, name } }] }
    }
    case 'remove_passkey':
      if (change.isLastWayIn) return { problem: ONLY_WAY_IN }
      return { events: [{ ...place, type: 'UserPasskeyRemoved', data: { passkey_id: change.passkeyId } }] }
    case 'issue_recovery_codes':
      return { events: [{ ...place, type: 'UserRecoveryCodesIssued', data: { count: RECOVERY_CODES } }] }
    case 'use_recovery_code':
      return { events: [{ ...place, type: 'UserRecoveryCodeUsed', data: { remaining: change.remaining } }] }
  }
}

const ONLY_WAY_IN = problem('only_way_in', 'Without this passkey you could not sign in; add another one first')

const TOO_MANY = invalidFields([
  fieldError('', 'invalid_value', `You have ${MAX_PASSKEYS} passkeys, the most allowed. Remove one first`),
])
