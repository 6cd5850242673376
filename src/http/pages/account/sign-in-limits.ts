import type { SignInSettings } from '../parts/page-services.ts'
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FailureCounts } from '../../access/failure-counts.ts'
import { openFailureCounts } from '../../access/failure-counts.ts'
import { networkOf } from '../../access/network-of.ts'
import { tooMany } from '../../access/rate-limits.ts'
import { openSlots } from '../../../admission/slots.ts'

/** What came of a try with a password. */
export interface Tried<Outcome> {
  outcome: Outcome
  /** Whether the password was wrong. */
  hasFailed: boolean
}

export interface SignInLimits {
  /**
   * Lets `check` look at the password of somebody, named by an e-mail address or, once signed in, by a user's id. Only
   * failures count, and each try counts as one while it runs: guesses that arrive together do not pass a limit. Throws a
   * problem with `rate_limited`, before a password is looked at, when there have been too many.
   */
  attempt<Outcome>(
    request: FastifyRequest,
    reply: FastifyReply,
    whose: string,
    check: () => Promise<Tried<Outcome>>,
  ): Promise<Outcome>
}

const WINDOW_MS = 15 * 60_000
/** Failures with one person's password from everywhere, for each that one network has. */
const NETWORKS = 10
/** Failures of an IPv6 network of 48 bits, for each that one of its networks of 64 bits has. */
const SUBNETS = 10
/** Keys of each limit that are remembered. */
const KEPT = 10_000
/** Tries of one network at once: a small part of those that may wait for their password to be hashed. */
const AT_ONCE = 10

/** Limits failures to sign in, counted in this process. */
export function openSignInLimits({ perPerson, perAddress }: SignInSettings): SignInLimits {
  const checks = openSlots(AT_ONCE)
  const limits: { counts: FailureCounts; keyOf(address: string, whose: string): string }[] = []
  const limit = (max: number, keyOf: (address: string, whose: string) => string) => {
    if (max > 0) limits.push({ counts: openFailureCounts({ max, windowMs: WINDOW_MS, kept: KEPT }), keyOf })
  }
  // By 48 bits: who has so many addresses must not lock somebody out everywhere by trying from ten of them.
  limit(perPerson, (address, whose) => `${networkOf(address, 48)} ${whose}`)
  limit(perPerson * NETWORKS, (_address, whose) => whose)
  limit(perAddress, (address) => networkOf(address, 64))
  limit(perAddress * SUBNETS, (address) => networkOf(address, 48))

  return {
    async attempt(request, reply, whose, check) {
      const named = hash('sha256', whose)
      const keyed = limits.map(({ counts, keyOf }) => ({ counts, key: keyOf(request.ip, named) }))
      const seconds = keyed.reduce((most, { counts, key }) => Math.max(most, counts.secondsToWait(key)), 0)
      if (seconds > 0)
        throw tooMany(
          reply,
          'sign-in',
          seconds,
          `too many failed tries with a password: try again in ${formatWait(seconds)}`,
        )
      const release = checks.take(networkOf(request.ip, 48))
      if (!release)
        throw tooMany(reply, 'sign-in', 1, 'too many people sign in at once from your network: try again in a moment')
      const ends = keyed.map(({ counts, key }) => counts.begin(key))
      let hasFailed = false
      try {
        const tried = await check()
        hasFailed = tried.hasFailed
        return tried.outcome
      } finally {
        release()
        for (const end of ends) end(hasFailed)
      }
    },
  }
}

/** A time to wait, rounded up, as people say it. */
function formatWait(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
