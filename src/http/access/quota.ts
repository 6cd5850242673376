import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { accessRefusal, quotaExceeded } from '#domain/calls/key-refusals'
import { rateLimitHeaders, secondsToReset, isSecretValid, type ApiKey, type KeyScope } from '#domain/accounts/api-key'
import type { Problem } from '#domain/errors'
import type { KeyUsageCounter, UsedKey } from '#accounts/api-keys/key-access'
import { callerOf } from './authenticate.ts'
import { idsOf } from '../server/access-log.ts'
import { invalidCredentials, ProblemError, toProblem } from '../server/problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The quota charged to a reading call; null before it is charged, and for other calls. */
    charged: UsedKey | null
  }
}

/**
 * Route options for a reading call, which needs a scope and costs one unit of its key's quota even if
 * it is refused with 400. The unit is charged before validation, so that a quota is never exceeded, and refunded if the
 * answer is a 429 or a 5xx. The ledger charges writing calls. The key is checked where the unit is charged.
 */
export function chargedReading(
  keyUsage: KeyUsageCounter,
  config: FastifyContextConfig = {},
  scope: KeyScope = 'employees:read',
) {
  return {
    config: { ...config, checksKeyItself: true } as const,
    preValidation: (request: FastifyRequest, reply: FastifyReply) => admit(request, reply, keyUsage, scope),
    errorHandler: async (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { status } = toProblem(error, 0)
      if (status === 429 || status >= 500) await refund(request, reply, keyUsage)
      // Answered as the errors of other routes are.
      throw error
    },
  }
}

async function admit(request: FastifyRequest, reply: FastifyReply, keyUsage: KeyUsageCounter, scope: KeyScope) {
  const used = await useKeyOf(request, keyUsage, 1, (key, sentFrom) => accessRefusal(key, sentFrom, scope))
  const { key, after, isAdmitted, nowMs } = used
  void reply.headers(rateLimitHeaders(key, after, nowMs))
  if (isAdmitted) {
    request.charged = used
    return
  }
  reply.metLimit = 'quota'
  void reply.header('retry-after', String(secondsToReset(key, nowMs)))
  throw new ProblemError(quotaExceeded(key))
}

/** Refunds the unit of a call in its own window. If that fails, the unit is lost and the answer stays the same. */
async function refund(request: FastifyRequest, reply: FastifyReply, keyUsage: KeyUsageCounter) {
  const { charged } = request
  if (!charged) return
  request.charged = null
  const { companyId } = callerOf(request)
  const cost = { giveBack: charged.after.windowStartMs }
  try {
    const used = await keyUsage.submit({ companyId, apiId: charged.key.id, cost, refusalOf: () => null })
    if (!('refusal' in used)) void reply.headers(rateLimitHeaders(used.key, used.after, used.nowMs))
  } catch (error) {
    request.log.warn({ err: error, ...idsOf(request) }, 'could not refund a unit of quota')
  }
}

/**
 * Counts a call if its secret is still valid and its key allows it at that moment. Otherwise throws
 * `invalid_credentials`, or the refusal of the key.
 */
export async function useKeyOf(
  request: FastifyRequest,
  keyUsage: KeyUsageCounter,
  cost: number,
  refusalFor: (key: ApiKey, sentFrom: string) => Problem | null,
): Promise<UsedKey> {
  const { companyId, key, secretHash, sentFrom } = callerOf(request)
  const refusalOf = (now: ApiKey, nowMs: number) =>
    isSecretValid(now, secretHash, nowMs) ? refusalFor(now, sentFrom) : invalidCredentials().problem
  const used = await keyUsage.submit({ companyId, apiId: key.id, cost, refusalOf })
  if ('refusal' in used) throw new ProblemError(used.refusal)
  return used
}
