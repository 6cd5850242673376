import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FailureCounts } from './failure-counts.ts'
import { createFailureCounts } from './failure-counts.ts'
import { networkOf } from '../../domain/networks.ts'
import { tooMany } from './rate-limits.ts'
import { createBudget } from '../../admission/budget.ts'

/** The result of checking what someone claims to be. */
interface Tried<Outcome> {
  outcome: Outcome
  hasFailed: boolean
}

export interface SignInLimits {
  /**
   * Runs `check`, which checks a password of the person `whose`: an email address or, once signed in, a user id. Null
   * counts for the network alone, where failures must not keep a person out. Only failures count, but an attempt counts
   * as a failure while it runs, so that simultaneous guesses stay within the limit. Throws a problem with
   * `rate_limited`, before anything is checked, after too many failures.
   */
  attempt<Outcome>(
    request: FastifyRequest,
    reply: FastifyReply,
    whose: string | null,
    check: () => Promise<Tried<Outcome>>,
  ): Promise<Outcome>
  /** Counts a question about where an email signs in. Throws a problem with `rate_limited` after too many. */
  countQuestion(request: FastifyRequest, reply: FastifyReply): void
  /** Counts a request for a new password of the person `whose`, like a failed sign-in. Throws the same problem. */
  countReset(request: FastifyRequest, reply: FastifyReply, whose: string): void
}

const WINDOW_MS = 15 * 60_000
/** Factor from the limit per person and network to the limit per person. */
const NETWORKS = 10
/** Factor from the limit of an IPv6 /64 network to that of its /48 network. */
const SUBNETS = 10
/** Keys that each limit remembers. */
const KEPT = 10_000
/** Factor from the limit of failures to that of questions, which everybody asks before signing in. */
const QUESTIONS = 20
/** Simultaneous attempts of one network: a small part of the attempts that may wait for password hashing. */
const AT_ONCE = 10

/** Failed attempts in 15 minutes; 0 is no limit. */
export interface SignInSettings {
  /** With one email address from one network: an IPv4 address, or an IPv6 network of 48 bits. */
  perPerson: number
  /** From one network address: an IPv4 address, or an IPv6 network of 64 bits. */
  perAddress: number
}

interface Limit {
  counts: FailureCounts
  /** Null if the limit does not apply, because nobody is named. */
  keyOf(address: string, whose: string | null): string | null
}

/** Opens the limits of failed sign-ins, counted in this process. */
export function createSignInLimits({ perPerson, perAddress }: SignInSettings): SignInLimits {
  const checks = createBudget({ share: AT_ONCE })
  const limit = (max: number, keyOf: Limit['keyOf']): Limit[] =>
    max > 0 ? [{ counts: createFailureCounts({ max, windowMs: WINDOW_MS, kept: KEPT }), keyOf }] : []
  const limitNetworks = (max: number) => [
    ...limit(max, (address) => networkOf(address, 64)),
    ...limit(max * SUBNETS, (address) => networkOf(address, 48)),
  ]
  const failures = [
    // By /48: the owner of many addresses must not lock a person out everywhere by failing from ten of them.
    ...limit(perPerson, (address, whose) => whose && `${networkOf(address, 48)} ${whose}`),
    ...limit(perPerson * NETWORKS, (_address, whose) => whose),
    ...limitNetworks(perAddress),
  ]
  const questions = limitNetworks(perAddress * QUESTIONS)

  return {
    async attempt(request, reply, whose, check) {
      const ends = begin(failures, request, reply, whose)
      // Answers of providers can be slow, and passwords must not wait for them.
      const release = checks.tryAcquire(`${whose === null ? 'provider ' : ''}${networkOf(request.ip, 48)}`, 1)
      let hasFailed = false
      try {
        if (!release)
          throw tooMany(reply, 'sign-in', 1, 'Too many simultaneous sign-ins from your network. Try again in a moment')
        const tried = await check()
        hasFailed = tried.hasFailed
        return tried.outcome
      } finally {
        release?.()
        for (const end of ends) end(hasFailed)
      }
    },
    countQuestion(request, reply) {
      for (const end of begin(questions, request, reply, null)) end(true)
    },
    countReset(request, reply, whose) {
      // The person can still sign in: somebody else may have asked.
      for (const end of begin(failures, request, reply, `reset ${whose}`)) end(true)
    },
  }
}

/** Begins an attempt under all limits. Throws a problem if one of them is met. */
function begin(limits: Limit[], request: FastifyRequest, reply: FastifyReply, whose: string | null) {
  const named = whose === null ? null : hash('sha256', whose)
  const keyed = limits.flatMap(({ counts, keyOf }) => {
    const key = keyOf(request.ip, named)
    return key === null ? [] : [{ counts, key }]
  })
  const seconds = keyed.reduce((most, { counts, key }) => Math.max(most, counts.secondsToWait(key)), 0)
  if (seconds > 0) throw tooMany(reply, 'sign-in', seconds, `Too many attempts. Try again in ${formatWait(seconds)}`)
  return keyed.map(({ counts, key }) => counts.begin(key))
}

/** Formats a wait, rounded up: `40 seconds`, `3 minutes`. */
function formatWait(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
