import type { Limit } from '../server/access-log.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressRefusal } from '../../domain/calls/key-refusals.ts'
import { problem } from '../../domain/errors.ts'
import { callerOf } from './authenticate.ts'
import { ProblemError } from '../server/problem.ts'

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

declare module 'fastify' {
  interface FastifyReply {
    /** The limit that refused the request; null if none did. */
    metLimit: Limit | null
  }
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/**
 * Answers 429 instead of 401 to an address (IPv6: a /64) with more than `perMinute` failed authentications within a
 * minute, per process; 0 means no limit. Valid credentials are never refused for failures of others behind the same
 * address: a 256-bit secret cannot be guessed.
 */
export function limitFailures(app: FastifyInstance, perMinute: number, authenticate: Hook): Hook {
  if (perMinute === 0) return authenticate
  const failures = app.createRateLimit({ max: perMinute, timeWindow: MINUTE_MS })
  return async (request, reply) => {
    try {
      await authenticate(request, reply)
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error
      const standing = await failures(request)
      throw !standing.isAllowed && standing.isExceeded ? tooMany(reply, 'credentials', standing.ttlInSeconds) : error
    }
  }
}

/**
 * Allows `perSecond` calls per second for each API key, per process. 0 means no limit. Calls from outside a key's networks
 * are counted apart, so that whoever stole the key cannot use up the limit of its owner.
 */
export function limitBursts(app: FastifyInstance, perSecond: number): Hook {
  if (perSecond === 0) return async () => undefined
  const keyGenerator = (request: FastifyRequest) => {
    const { key, sentFrom } = callerOf(request)
    return addressRefusal(key, sentFrom) ? `${key.id} outside` : key.id
  }
  const calls = app.createRateLimit({ max: perSecond, timeWindow: SECOND_MS, keyGenerator })
  return async (request, reply) => {
    const standing = await calls(request)
    if (!standing.isAllowed && standing.isExceeded) throw tooMany(reply, 'burst', standing.ttlInSeconds)
  }
}

const TOO_MANY = 'Too many requests; wait and try again'

/** A 429 problem; also sets `Retry-After`, in seconds. */
export function tooMany(reply: FastifyReply, limit: Limit, seconds: number, detail = TOO_MANY): ProblemError {
  reply.metLimit = limit
  void reply.header('retry-after', String(Math.max(1, seconds)))
  return new ProblemError(problem('rate_limited', detail))
}
