import { requestsInWindow } from '../domain/company.ts'
import type { Problem } from '../domain/errors.ts'
import { problem } from '../domain/errors.ts'
import type { FoundKey } from '../accounts/api-keys/key-access.ts'
import { quotaExceeded } from './decide-call.ts'

/** Why every new call of a key is refused at this moment; null when it is not. The ledger has the last word. */
export function refusalOfKey({ key, usage, nowMs }: FoundKey): Problem | null {
  if (!key.isEnabled) return problem('key_disabled', 'The API key is disabled')
  return requestsInWindow(usage, key.refreshPeriod, nowMs) >= key.quotaLimit ? quotaExceeded(key) : null
}
