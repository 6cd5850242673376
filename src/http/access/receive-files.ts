import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Budget } from '../../admission/budget.ts'
import { problem } from '../../domain/errors.ts'
import { announcedBytes } from '../server/read-body.ts'
import { ProblemError } from '../server/problem.ts'

/**
 * Keeps the files that are being received within a memory budget. A request reserves its bytes before any of its body is
 * read, and returns them with its answer. Beyond the budget a request waits, and gets 503 if it waits too long.
 */
export function budgetFiles(
  app: FastifyInstance,
  { received, maxBytes, companyOf }: { received: Budget; maxBytes: number; companyOf(request: FastifyRequest): string },
): void {
  app.addHook('preParsing', async (request, reply) => {
    if (request.method !== 'POST') return
    const announced = announcedBytes(request) ?? maxBytes
    if (announced > maxBytes)
      throw new ProblemError(problem('payload_too_large', `A file must have at most ${maxBytes} bytes`))
    const release = await received.acquire(companyOf(request), announced)
    if (reply.raw.closed) release()
    else reply.raw.once('close', release)
  })
}
