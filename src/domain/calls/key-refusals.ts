import { type ApiKey, type KeyScope, requestsInWindow, type KeyUsage } from '#domain/accounts/api-key'
import { problem, type Problem, type ProblemCode } from '#domain/errors'
import { isInNetworks, readAddress } from '#domain/networks'
import { explainFailure, type FailedCondition, type Preconditions } from '#domain/employees/entity-tag'

/* Why a call is refused although its secret is right. Where several reasons apply, the first of this file counts. */

const KEY_DISABLED = problem('key_disabled', 'The API key is disabled')

/** Why a key may not be used from an address, or null. */
export function addressRefusal({ allowedNetworks }: ApiKey, sentFrom: string): Problem | null {
  if (allowedNetworks === null) return null
  const address = readAddress(sentFrom)
  if (address === null) return problem('address_not_allowed', "The client's address could not be read")
  if (isInNetworks(address, allowedNetworks)) return null
  return problem('address_not_allowed', "The API key may not be used from the client's address")
}

/** Why a key may not be used from an address for a call that needs a scope, or null. */
export function accessRefusal(key: ApiKey, sentFrom: string, scope: KeyScope): Problem | null {
  if (!key.isEnabled) return KEY_DISABLED
  const refusal = addressRefusal(key, sentFrom)
  if (refusal || key.scopes.includes(scope)) return refusal
  return problem('scope_missing', `The API key does not have the scope ${scope}`)
}

/** The problem of a call over the quota, the same for reading and writing calls. */
export function quotaExceeded({ quotaLimit, refreshPeriod }: ApiKey): Problem {
  return problem('quota_exceeded', `The quota of ${quotaLimit} requests (${refreshPeriod}) is used up`)
}

/** Why a key's quota does not allow a writing call, or null. */
export function quotaRefusal(key: ApiKey, usage: KeyUsage, nowMs: number): Problem | null {
  return requestsInWindow(usage, key.refreshPeriod, nowMs) >= key.quotaLimit ? quotaExceeded(key) : null
}

/** How a protocol words refusals: as they are stored, they are answered. */
export interface RefusalWording {
  /** Its names for fields. Absent ones are those of the attributes. */
  fieldNames?: Readonly<Record<string, string>>
  /** The HTTP statuses of problems that it answers with others. */
  statuses?: Partial<Readonly<Record<ProblemCode, number>>>
  /** Whether its calls have one record: then what is wrong with the record says why the call is refused. */
  hasOneRecord?: boolean
}

const OTHERWISE = {
  'If-Match': 'The employee has changed since the version in If-Match',
  'If-None-Match': 'The employee has a version that If-None-Match excludes',
}

/** The refusal of an update whose condition does not hold. */
export function refuseCondition(failed: FailedCondition, preconditions: Preconditions): Problem {
  return problem('precondition_failed', explainFailure(failed, preconditions, OTHERWISE[failed]))
}
