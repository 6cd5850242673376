import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooMany } from '../rate-limits.ts'

export interface SignInLimits {
  /**
   * Counts a try with the password of somebody, named by an e-mail address or, once signed in, by a user's id. Throws a
   * problem with `rate_limited` when there have been too many.
   */
  admit(request: FastifyRequest, reply: FastifyReply, whose: string): Promise<void>
}

const WINDOW_MS = 15 * 60_000
/** Tries with one person's password from everywhere, for each that one network address has. */
const ADDRESSES = 10

/**
 * Tries to sign in are counted before a password is looked at: with one e-mail address from one network address, so that
 * nobody elsewhere is held up, and with one e-mail address from everywhere. Counted in this process; 0 is no limit.
 */
export function openSignInLimits(app: FastifyInstance, limit: number): SignInLimits {
  if (limit === 0) return { admit: async () => undefined }
  const named = new WeakMap<FastifyRequest, string>()
  const keyOf = (request: FastifyRequest) => hash('sha256', named.get(request) ?? '')
  const near = app.createRateLimit({ max: limit, timeWindow: WINDOW_MS, keyGenerator: (request) => `${request.ip} ${keyOf(request)}` })
  const everywhere = app.createRateLimit({ max: limit * ADDRESSES, timeWindow: WINDOW_MS, keyGenerator: keyOf })
  return {
    async admit(request, reply, whose) {
      named.set(request, whose)
      for (const tries of [near, everywhere]) {
        const standing = await tries(request)
        if (!standing.isAllowed && standing.isExceeded) throw tooMany(reply, 'sign-in', standing.ttlInSeconds)
      }
    },
  }
}
