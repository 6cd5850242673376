import { requestsInWindow } from '../domain/company.ts'
import type { Problem } from '../domain/errors.ts'
import { problem } from '../domain/errors.ts'
import type { FoundKey } from '../accounts/api-keys/key-access.ts'
import { quotaExceeded } from './decide-call.ts'

/** Why new calls of a key are refused now, or null. Only a hint: the ledger decides again under its lock. */
export function refusalOfKey({ key, usage, nowMs }: FoundKey): Problem | null {
  if (!key.isEnabled) return problem('key_disabled', 'The API key is disabled')
  return requestsInWindow(usage, key.refreshPeriod, nowMs) >= key.quotaLimit ? quotaExceeded(key) : null
}
