import type { SignInSettings } from '../parts/page-services.ts'
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FailureCounts } from '../../access/failure-counts.ts'
import { openFailureCounts } from '../../access/failure-counts.ts'
import { networkOf } from '../../access/network-of.ts'
import { tooMany } from '../../access/rate-limits.ts'
import { openBudget } from '../../../admission/budget.ts'

/** The result of checking a password. */
interface Tried<Outcome> {
  outcome: Outcome
  /** Whether the password was wrong. */
  hasFailed: boolean
}

export interface SignInLimits {
  /**
   * Runs `check`, which checks a password of the person `whose`: an email address or, once signed in, a user id. Only
   * failures count, but an attempt counts as a failure while it runs, so that simultaneous guesses stay within the limit.
   * Throws a problem with `rate_limited`, before the password is checked, after too many failures.
   */
  attempt<Outcome>(
    request: FastifyRequest,
    reply: FastifyReply,
    whose: string,
    check: () => Promise<Tried<Outcome>>,
  ): Promise<Outcome>
}

const WINDOW_MS = 15 * 60_000
/** Factor from the limit per person and network to the limit per person. */
const NETWORKS = 10
/** Factor from the limit of an IPv6 /64 network to that of its /48 network. */
const SUBNETS = 10
/** Keys that each limit remembers. */
const KEPT = 10_000
/** Simultaneous attempts of one network: a small part of the attempts that may wait for password hashing. */
const AT_ONCE = 10

/** Opens the limits of failed sign-ins, counted in this process. */
export function openSignInLimits({ perPerson, perAddress }: SignInSettings): SignInLimits {
  const checks = openBudget({ share: AT_ONCE })
  const limits: { counts: FailureCounts; keyOf(address: string, whose: string): string }[] = []
  const limit = (max: number, keyOf: (address: string, whose: string) => string) => {
    if (max > 0) limits.push({ counts: openFailureCounts({ max, windowMs: WINDOW_MS, kept: KEPT }), keyOf })
  }
  // By /48: the owner of many addresses must not lock a person out everywhere by failing from ten of them.
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
          `Too many failed password attempts. Try again in ${formatWait(seconds)}`,
        )
      const release = checks.tryAcquire(networkOf(request.ip, 48), 1)
      if (!release)
        throw tooMany(reply, 'sign-in', 1, 'Too many simultaneous sign-ins from your network. Try again in a moment')
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

/** Formats a wait, rounded up: `40 seconds`, `3 minutes`. */
function formatWait(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
