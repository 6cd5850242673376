import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createBudget, type Budget } from '#admission/budget'
import { problem } from '#domain/errors'
import type { BodyBudget } from './body-budget.ts'
import { announcedBytes } from '../server/read-body.ts'
import { CutOffError, ProblemError } from '../server/problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request with a file: aborts when nobody needs its answer, or when the server stops. */
    reading: AbortSignal | null
  }
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Requests with files that may wait for memory. */
const MAX_WAITING = 1_000

/** Creates the memory for files that are being received, which companies share. */
export function createFileBudget({ bytes, waitMs }: BodyBudget): Budget {
  return createBudget({ total: bytes, maxWaiting: MAX_WAITING, maxWaitMs: waitMs })
}

/**
 * Keeps the files that are being received within a memory budget. A request reserves its bytes before any of its body is
 * read, and returns them with its answer. Beyond the budget a request waits, and gets 503 if it waits too long. Reading a
 * file ends when its client leaves, with CutOffError, and when the server stops, with 503.
 */
export function budgetFiles(
  app: FastifyInstance,
  {
    fileBudget,
    maxBytes,
    companyOf,
  }: { fileBudget: Budget; maxBytes: number; companyOf(request: FastifyRequest): string },
): void {
  const stopping = new AbortController()
  app.decorateRequest('reading', null)
  app.addHook('preClose', async () =>
    stopping.abort(new ProblemError(problem('unavailable', 'The service is stopping; try again'))),
  )
  app.addHook('preParsing', async (request, reply) => {
    if (SAFE.has(request.method)) return
    const announced = announcedBytes(request) ?? maxBytes
    if (announced > maxBytes)
      throw new ProblemError(problem('payload_too_large', `A file must have at most ${maxBytes} bytes`))
    const release = await fileBudget.acquire(companyOf(request), announced)
    const left = new AbortController()
    request.reading = AbortSignal.any([left.signal, stopping.signal])
    const end = () => {
      release()
      if (!reply.raw.writableFinished) left.abort(new CutOffError())
    }
    if (reply.raw.closed) end()
    else reply.raw.once('close', end)
  })
}
