import { setTimeout as pause } from 'node:timers/promises'
import { changeApiKey, issueApiKey } from '../../../src/accounts/api-keys/api-keys.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import type { Stage } from '../stage.ts'

/* API keys whose expiry date makes a problem begin and end. */

/** A key has this problem in a month that is its last. */
export const SOON_MS = 7 * 86_400_000
export const LATE_MS = 365 * 86_400_000

const TRIES = 300
const TRIES_EVERY_MS = 200

export interface ExpiringKey {
  id: string
  name: string
}

/** Issues keys without a problem. */
export function issueExpiringKeys(
  { withServices }: Pick<Stage, 'withServices'>,
  companyId: string,
  count: number,
): Promise<ExpiringKey[]> {
  return withServices(async (services) => {
    const keys: ExpiringKey[] = []
    for (let at = 1; at <= count; at += 1) {
      const name = `expiring ${at}`
      const expiresAt = new Date(Date.now() + LATE_MS).toISOString()
      const wanted = { companyId, name, quotaLimit: 10, refreshPeriod: 'monthly', expiresAt } as const
      keys.push({ id: (await issueApiKey(services, wanted)).api_id, name })
    }
    return keys
  })
}

/** Lets a key expire so many milliseconds from now, even if PostgreSQL is away for a while. */
export async function setExpiry(
  { withServices }: Pick<Stage, 'withServices'>,
  companyId: string,
  keyId: string,
  inMs: number,
): Promise<void> {
  const expiresAt = new Date(Date.now() + inMs).toISOString()
  await untilDone(() =>
    withServices((services) =>
      changeApiKey(services, { companyId, actor: OPERATOR }, keyId, { change: 'edit', expiresAt }),
    ),
  )
}

/** Repeats a step until it succeeds: PostgreSQL may be away. */
export async function untilDone(step: () => Promise<unknown>): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      await step()
      return
    } catch (error) {
      if (left === 0) throw error
      await pause(TRIES_EVERY_MS)
    }
  }
}
