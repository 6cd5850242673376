import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readUntil } from '../../postgres/abandoned-reads.ts'
import { tooMany } from './rate-limits.ts'
import type { Budget } from '../../admission/budget.ts'
import { openBudget } from '../../admission/budget.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a request may take long: it reads much of its company's data (a search, an export, or a look back in
     * time), or waits for a receiver.
     */
    isHeavyRead?: (request: FastifyRequest) => boolean
  }
}

const RETRY_AFTER_SECONDS = 1

/** For routes that are always heavy. */
export const ALWAYS = () => true

/** For routes that are heavy if one of these query parameters is given. */
export function whenGiven(...names: string[]) {
  return ({ query }: FastifyRequest): boolean =>
    names.some((name) => ((query as Record<string, unknown>)[name] ?? '') !== '')
}

/**
 * Limits the heavy reads that a company may run at once in this process, across all routes, so that connections remain
 * for other companies. Further ones get 429. Call it before registering routes.
 */
export function limitHeavyReads(app: FastifyInstance, perCompany: number): void {
  const places = openBudget({ share: perCompany })
  app.decorateRequest('streamed', null)
  app.addHook('onRoute', (route) => {
    const { isHeavyRead } = route.config ?? {}
    if (!isHeavyRead) return
    const { handler } = route
    route.handler = async function limited(request, reply) {
      if (!isHeavyRead(request)) return handler.call(this, request, reply)
      const release = takePlace(places, perCompany, request, reply)
      const left = new AbortController()
      reply.raw.once('close', () => reply.raw.writableFinished || left.abort())
      try {
        // What changes something is done even if nobody waits for the answer.
        if (request.method !== 'GET') return await handler.call(this, request, reply)
        return await readUntil(left.signal, () => handler.call(this, request, reply))
      } catch (error) {
        if (!left.signal.aborted) throw error
        request.log.info('the client left before the answer')
        return await reply.hijack()
      } finally {
        // A streamed answer ends when the client has read it or has gone away; until then its query holds a connection.
        if (request.streamed && !request.streamed.closed) request.streamed.once('close', release)
        else release()
      }
    }
  })
}

function takePlace(places: Budget, perCompany: number, request: FastifyRequest, reply: FastifyReply): () => void {
  const { companyId } = (request.caller ?? request.user ?? request.viewer)!
  const release = places.tryAcquire(companyId, 1)
  if (release) return release
  const detail = `A company can run at most ${perCompany} searches, exports, erasures, and test messages at once; wait and try again`
  throw tooMany(reply, 'heavy-reads', RETRY_AFTER_SECONDS, detail)
}
