import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Budget } from '../../admission/budget.ts'
import { createBudget } from '../../admission/budget.ts'
import { problem } from '../../domain/errors.ts'
import type { BodyBudget } from './body-budget.ts'
import { announcedBytes } from '../server/read-body.ts'
import { ProblemError } from '../server/problem.ts'

/** Requests with files that may wait for memory. */
const MAX_WAITING = 1_000

/** Creates the memory for files that are being received, which companies share. */
export function createFileBudget({ bytes, waitMs }: BodyBudget): Budget {
  return createBudget({ total: bytes, maxWaiting: MAX_WAITING, maxWaitMs: waitMs })
}

/**
 * Keeps the files that are being received within a memory budget. A request reserves its bytes before any of its body is
 * read, and returns them with its answer. Beyond the budget a request waits, and gets 503 if it waits too long.
 */
export function budgetFiles(
  app: FastifyInstance,
  {
    fileBudget,
    maxBytes,
    companyOf,
  }: { fileBudget: Budget; maxBytes: number; companyOf(request: FastifyRequest): string },
): void {
  app.addHook('preParsing', async (request, reply) => {
    if (request.method !== 'POST') return
    const announced = announcedBytes(request) ?? maxBytes
    if (announced > maxBytes)
      throw new ProblemError(problem('payload_too_large', `A file must have at most ${maxBytes} bytes`))
    const release = await fileBudget.acquire(companyOf(request), announced)
    if (reply.raw.closed) release()
    else reply.raw.once('close', release)
  })
}
