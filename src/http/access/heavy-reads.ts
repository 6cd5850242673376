import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooMany } from './rate-limits.ts'
import { openSlots, type Slots } from '../../admission/slots.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request may read much of what its company has: a search, an export, or a look back in time. */
    isHeavyRead?: (request: FastifyRequest) => boolean
  }
}

const RETRY_AFTER_SECONDS = 1

/** For routes that always read much. */
export const ALWAYS = () => true

/** For routes that read much where one of these parameters of the query is given. */
export function whenGiven(...names: string[]) {
  return ({ query }: FastifyRequest): boolean =>
    names.some((name) => ((query as Record<string, unknown>)[name] ?? '') !== '')
}

/**
 * Lets each company have so many heavy reads at once in this process, of all routes together; one more is a 429. So
 * connections remain for other companies. Call it before the routes are registered.
 */
export function limitHeavyReads(app: FastifyInstance, perCompany: number): void {
  const slots = openSlots(perCompany)
  app.decorateRequest('streamed', null)
  app.addHook('onRoute', (route) => {
    const { isHeavyRead } = route.config ?? {}
    if (!isHeavyRead) return
    const { handler } = route
    route.handler = async function limited(request, reply) {
      if (!isHeavyRead(request)) return handler.call(this, request, reply)
      const release = takeSlot(slots, perCompany, request, reply)
      try {
        // An answer that is streamed is over when the client has taken it, or is gone.
        return await handler.call(this, request, reply)
      } finally {
        // A client that goes away leaves a query behind, which still has its connection.
        if (request.streamed && !request.streamed.closed) request.streamed.once('close', release)
        else release()
      }
    }
  })
}

function takeSlot(slots: Slots, perCompany: number, request: FastifyRequest, reply: FastifyReply): () => void {
  const { companyId } = (request.caller ?? request.user ?? request.viewer)!
  const release = slots.take(companyId)
  if (release) return release
  const detail = `A company can run at most ${perCompany} searches and exports at once; wait and try again`
  throw tooMany(reply, 'heavy-reads', RETRY_AFTER_SECONDS, detail)
}
