import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { networkOf } from '#domain/networks'
import { tooMany, createWindowCounts, type WindowCounts } from './rate-limits.ts'
import { createBudget } from '#admission/budget'

/** What kind of attempt it is. Failures of one kind do not count for the others. */
type AttemptKind = 'sign-in' | 'proof in a session' | 'answer of a provider'

/** What counts each time: asking where an email signs in, and asking for a link to set a new password. */
type CountedKind = 'question' | 'password reset'

interface Attempt<Outcome, Known> {
  kind: AttemptKind
  /**
   * Whose secret is checked, such as an email address or a user id. Null counts for the network alone, where failures
   * must not keep a person out.
   */
  whose: string | null
  /** Finds out whether the browser is known, when a limit is met. Null if not. */
  recognize?(): Promise<(Known & { key: string }) | null>
  /** Checks the secret. In a browser that is `known` although a limit is met, only for those who are known there. */
  check(known: Known | null): Promise<Outcome>
  /** Whether it was not the right secret. One that throws has not failed. Default: never. */
  hasFailed?(outcome: Outcome): boolean
}

export interface SignInLimits {
  /**
   * Runs `check`. Only failures count, but an attempt counts as a failure while it runs, so that simultaneous guesses
   * stay within the limit. Where a limit is met, an attempt in a known browser counts for that browser instead. Throws a
   * problem with `rate_limited`, before anything is checked, after too many failures.
   */
  attempt<Outcome, Known = never>(reply: FastifyReply, attempt: Attempt<Outcome, Known>): Promise<Outcome>
  /** Counts something, for the network alone if `whose` is null. Throws the same problem after too many. */
  count(reply: FastifyReply, kind: CountedKind, whose: string | null): void
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
  counts: WindowCounts
  /** Null if the limit does not apply, because nobody is named. */
  keyOf(address: string, whose: string | null): string | null
}

/** Opens the limits of failed sign-ins, counted in this process. */
export function createSignInLimits({ perPerson, perAddress }: SignInSettings): SignInLimits {
  const checks = createBudget({ share: AT_ONCE })
  const limit = (max: number, keyOf: Limit['keyOf']): Limit[] =>
    max > 0 ? [{ counts: createWindowCounts({ max, windowMs: WINDOW_MS, kept: KEPT }), keyOf }] : []
  const limitPeople = () => [
    // By /48: the owner of many addresses must not lock a person out everywhere by failing from ten of them.
    ...limit(perPerson, (address, whose) => whose && `${networkOf(address, 48)} ${whose}`),
    ...limit(perPerson * NETWORKS, (_address, whose) => whose),
  ]
  const limitNetworks = (max: number) => [
    ...limit(max, (address) => networkOf(address, 64)),
    ...limit(max * SUBNETS, (address) => networkOf(address, 48)),
  ]
  const ofKind: Record<AttemptKind | CountedKind, Limit[]> = {
    'sign-in': [...limitPeople(), ...limitNetworks(perAddress)],
    // Others in the network have no session of this user, so their failures don't count.
    'proof in a session': limitPeople(),
    'answer of a provider': limitNetworks(perAddress),
    question: limitNetworks(perAddress * QUESTIONS),
    'password reset': [...limitPeople(), ...limitNetworks(perAddress)],
  }
  const ofBrowsers = limit(perPerson, (_address, browser) => browser)

  return {
    async attempt(reply, { kind, whose, recognize, check, hasFailed }) {
      const isFull = secondsToWait(ofKind[kind], reply, whose) > 0
      const known = isFull ? ((await recognize?.()) ?? null) : null
      const ends = known ? begin(ofBrowsers, reply, known.key) : begin(ofKind[kind], reply, whose)
      // Answers of providers can be slow, and passwords must not wait for them.
      const release = checks.tryAcquire(known?.key ?? `${kind} ${networkOf(reply.request.ip, 48)}`, 1)
      let isFailure = false
      try {
        if (!release)
          throw tooMany(reply, 'sign-in', 1, 'Too many simultaneous sign-ins from your network. Try again in a moment')
        const outcome = await check(known)
        isFailure = hasFailed?.(outcome) ?? false
        return outcome
      } finally {
        release?.()
        for (const end of ends) end(isFailure)
      }
    },
    count(reply, kind, whose) {
      for (const end of begin(ofKind[kind], reply, whose)) end(true)
    },
  }
}

/** Begins an attempt under all limits. Throws a problem if one of them is met. */
function begin(limits: Limit[], reply: FastifyReply, whose: string | null) {
  const seconds = secondsToWait(limits, reply, whose)
  if (seconds > 0) throw tooMany(reply, 'sign-in', seconds, `Too many attempts. Try again in ${formatWait(seconds)}`)
  return keysOf(limits, reply, whose).map(({ counts, key }) => counts.begin(key))
}

/** Seconds until all limits allow an attempt; 0 if they do now. */
function secondsToWait(limits: Limit[], reply: FastifyReply, whose: string | null) {
  const keyed = keysOf(limits, reply, whose)
  return keyed.reduce((most, { counts, key }) => Math.max(most, counts.secondsToWait(key)), 0)
}

function keysOf(limits: Limit[], { request }: FastifyReply, whose: string | null) {
  const named = whose === null ? null : hash('sha256', whose)
  return limits.flatMap(({ counts, keyOf }) => {
    const key = keyOf(request.ip, named)
    return key === null ? [] : [{ counts, key }]
  })
}

/** Formats a wait, rounded up: `40 seconds`, `3 minutes`. */
function formatWait(seconds: number) {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}
