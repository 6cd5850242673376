import type { FastifyReply, FastifyRequest } from 'fastify'
import { quotaExceeded } from '../commands/decide-call.ts'
import { standingOf } from '../commands/key-standing.ts'
import { rateLimitHeaders, secondsToReset } from '../commands/rate-limit-headers.ts'
import type { ApiKey } from '../domain/company.ts'
import { problem } from '../domain/errors.ts'
import type { KeyUsageCounter, UsedKey } from '../ledger/key-access.ts'
import { callerOf } from './authenticate.ts'
import { invalidCredentials, ProblemError } from './problem.ts'

/** Admits a reading call: its key must be enabled and its quota not used up. Writing calls are admitted by the ledger. */
export async function admit(request: FastifyRequest, reply: FastifyReply, keyUsage: KeyUsageCounter): Promise<void> {
  if (!callerOf(request).key.isEnabled) throw new ProblemError(problem('key_disabled', 'the API key is disabled'))
  const { key, after, isAdmitted, nowMs } = await useKeyOf(request, keyUsage, 1)
  void reply.headers(rateLimitHeaders(key, after, nowMs))
  if (isAdmitted) return
  reply.metLimit = 'quota'
  void reply.header('retry-after', String(secondsToReset(key, nowMs)))
  throw new ProblemError(quotaExceeded(key))
}

/** Counts a reading call, if the secret that it came with is still good at that moment; else throws as for any other. */
export async function useKeyOf(request: FastifyRequest, keyUsage: KeyUsageCounter, cost: number): Promise<UsedKey> {
  const { companyId, key, secretHash } = callerOf(request)
  const isGood = (now: ApiKey, nowMs: number) => standingOf(now, secretHash, nowMs) !== 'refused'
  const used = await keyUsage.submit({ companyId, apiId: key.id, cost, isGood })
  if (!used) throw invalidCredentials()
  return used
}
