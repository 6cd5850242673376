import type { FastifyReply, FastifyRequest } from 'fastify'
import { quotaExceeded } from '../commands/decide-call.ts'
import { rateLimitHeaders, secondsToReset } from '../commands/rate-limit-headers.ts'
import { problem } from '../domain/errors.ts'
import type { KeyUsageCounter } from '../ledger/key-access.ts'
import { callerOf } from './authenticate.ts'
import { invalidCredentials, ProblemError } from './problem.ts'

/** Admits a reading call: its key must be enabled and its quota not used up. Writing calls are admitted by the ledger. */
export async function admit(request: FastifyRequest, reply: FastifyReply, keyUsage: KeyUsageCounter): Promise<void> {
  const { companyId, key: found } = callerOf(request)
  if (!found.isEnabled) throw new ProblemError(problem('key_disabled', 'the API key is disabled'))
  const { key, after, isAdmitted, nowMs } = await keyUsage.submit({ companyId, apiId: found.id, cost: 1 })
  void reply.headers(rateLimitHeaders(key, after, nowMs))
  // It may have ended since the call was authenticated.
  if (key.isRevoked) throw invalidCredentials()
  if (isAdmitted) return
  reply.metLimit = 'quota'
  void reply.header('retry-after', String(secondsToReset(key, nowMs)))
  throw new ProblemError(quotaExceeded(key))
}
