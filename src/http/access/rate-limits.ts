import type { Limit } from '#http/server/access-log'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressRefusal } from '#domain/calls/key-refusals'
import { networkOf } from '#domain/networks'
import { callerOf } from './authenticate.ts'
import { ProblemError, problemError } from '#http/server/problem'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

declare module 'fastify' {
  interface FastifyReply {
    /** The limit that refused the request; null if none did. */
    metLimit: Limit | null
  }
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** Addresses or keys that each limit remembers. */
const KEPT = 10_000

/**
 * Answers 429 instead of 401 to an address (IPv6: a /64) with more than `perMinute` failed authentications within a
 * minute, per process; 0 means no limit. Valid credentials are never refused for failures of others behind the same
 * address: a 256-bit secret cannot be guessed.
 */
export function limitFailures(perMinute: number, authenticate: Hook): Hook {
  if (perMinute === 0) return authenticate
  const count = countUpTo('credentials', perMinute, MINUTE_MS)
  return async (request, reply) => {
    try {
      await authenticate(request, reply)
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status === 401) count(reply, networkOf(request.ip, 64))
      throw error
    }
  }
}

/**
 * Allows `perSecond` calls per second for each API key, per process. 0 means no limit. Calls from outside a key's networks
 * are counted apart, so that whoever stole the key cannot use up the limit of its owner.
 */
export function limitBursts(perSecond: number): Hook {
  if (perSecond === 0) return async () => undefined
  const count = countUpTo('burst', perSecond, SECOND_MS)
  return async (request, reply) => {
    const { key, sentFrom } = callerOf(request)
    count(reply, addressRefusal(key, sentFrom) ? `${key.id} outside` : key.id)
  }
}

/** Makes a function that counts what has a key, and throws a 429 for more than `max` in a window. */
function countUpTo(limit: Limit, max: number, windowMs: number) {
  const counts = createWindowCounts({ max, windowMs, kept: KEPT })
  return (reply: FastifyReply, key: string) => {
    const seconds = counts.secondsToWait(key)
    if (seconds > 0) throw tooMany(reply, limit, seconds)
    counts.begin(key)(true)
  }
}

const TOO_MANY = 'Too many requests; wait and try again'

/** A 429 problem; also sets `Retry-After`, in seconds. */
export function tooMany(reply: FastifyReply, limit: Limit, seconds: number, detail = TOO_MANY) {
  reply.metLimit = limit
  void reply.header('retry-after', String(Math.max(1, seconds)))
  return problemError('rate_limited', detail)
}

/** Counts by key, such as calls, or wrong passwords for an email address, in windows of fixed length. */
export interface WindowCounts {
  /** Seconds until another attempt with a key is allowed, at least 1; 0 if it is allowed now. */
  secondsToWait(key: string): number
  /** Begins an attempt, which counts as a failure until it ends. Returns a function that ends it; call it once. */
  begin(key: string): (hasFailed: boolean) => void
}

interface Window {
  failures: number
  running: number
  endsAt: number
}

/**
 * Allows at most `max` failures per key in a window that starts with the first attempt. At most `kept` windows are
 * stored; beyond that, the oldest is dropped. Keys without failures are not stored. `now` returns milliseconds.
 */
export function createWindowCounts(options: {
  max: number
  windowMs: number
  kept: number
  now?: () => number
}): WindowCounts {
  const { max, windowMs, kept, now = () => performance.now() } = options
  // Ordered by end time.
  const windows = new Map<string, Window>()

  function find(key: string) {
    const window = windows.get(key)
    if (!window || window.endsAt > now()) return window
    windows.delete(key)
    return window.running > 0 ? open(key, window.running) : undefined
  }

  function open(key: string, running: number): Window {
    const opened = { failures: 0, running, endsAt: now() + windowMs }
    windows.set(key, opened)
    if (windows.size > kept) windows.delete(windows.keys().next().value!)
    return opened
  }

  return {
    secondsToWait(key) {
      const { failures, running, endsAt } = find(key) ?? { failures: 0, running: 0, endsAt: 0 }
      if (failures >= max) return Math.max(1, Math.ceil((endsAt - now()) / 1_000))
      // Running attempts will end shortly.
      return failures + running >= max ? 1 : 0
    },
    begin(key) {
      const begun = find(key) ?? open(key, 0)
      begun.running += 1
      return (hasFailed) => {
        // The window may have ended or been dropped since the attempt began.
        const current = find(key) ?? (hasFailed ? open(key, 1) : undefined)
        if (!current) return
        current.running = Math.max(0, current.running - 1)
        if (hasFailed) current.failures += 1
        else if (current.failures + current.running === 0) windows.delete(key)
      }
    },
  }
}
