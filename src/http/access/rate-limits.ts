import type { Limit } from '../server/access-log.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressRefusal } from '#domain/calls/key-refusals'
import { problem } from '#domain/errors'
import { networkOf } from '#domain/networks'
import { callerOf } from './authenticate.ts'
import { ProblemError } from '../server/problem.ts'
import { createWindowCounts } from './window-counts.ts'

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
  return (reply: FastifyReply, key: string): void => {
    const seconds = counts.secondsToWait(key)
    if (seconds > 0) throw tooMany(reply, limit, seconds)
    counts.begin(key)(true)
  }
}

const TOO_MANY = 'Too many requests; wait and try again'

/** A 429 problem; also sets `Retry-After`, in seconds. */
export function tooMany(reply: FastifyReply, limit: Limit, seconds: number, detail = TOO_MANY): ProblemError {
  reply.metLimit = limit
  void reply.header('retry-after', String(Math.max(1, seconds)))
  return new ProblemError(problem('rate_limited', detail))
}
