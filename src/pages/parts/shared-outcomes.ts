import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'

/** A double click repeats a form within moments, and so does somebody who reloads the answer. */
const REMEMBERED_MS = 60_000
const MAX_REMEMBERED = 1_000

/** The outcomes of forms that show a secret once. */
interface SharedOutcomes<Outcome> {
  /**
   * Runs a form, or returns the outcome that the same form is getting now or got in the last minute: of two answers, a
   * browser shows only the last. A form that was refused is run again.
   */
  share(form: unknown, run: () => Promise<Outcome>): Promise<Outcome>
}

/** Keeps outcomes in the memory of this process. In another process, a repeated form is refused as outdated. */
export function createSharedOutcomes<Outcome>(ttl = REMEMBERED_MS): SharedOutcomes<Outcome> {
  // Outcomes have secrets, so they go in time.
  const outcomes = new LRUCache<string, Promise<Outcome>>({ ...upTo(MAX_REMEMBERED), ttl, ttlAutopurge: true })
  return {
    share(form, run) {
      // The form may hold a password.
      const key = createHash('sha256').update(JSON.stringify(form)).digest('base64')
      const known = outcomes.get(key)
      if (known) return known
      const outcome = run()
      outcomes.set(key, outcome)
      outcome.catch(() => outcomes.delete(key))
      return outcome
    },
  }
}
