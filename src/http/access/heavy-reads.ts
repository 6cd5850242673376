import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooMany } from './rate-limits.ts'
import { openSlots, type Slots } from '../../admission/slots.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request may read much of the company's data: a search, an export, or a past state. */
    isHeavyRead?: (request: FastifyRequest) => boolean
  }
}

const RETRY_AFTER_SECONDS = 1

/** For routes that are always heavy reads. */
export const ALWAYS = () => true

/** For routes that are heavy reads if one of these query parameters is given. */
export function whenGiven(...names: string[]) {
  return ({ query }: FastifyRequest): boolean =>
    names.some((name) => ((query as Record<string, unknown>)[name] ?? '') !== '')
}

/**
 * Limits the concurrent heavy reads of each company in this process, across all routes, so that connections remain for
 * other companies. Answers 429 beyond that. Call it before the routes are registered.
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
        // A streamed response ends when the client has received it or disconnected.
        return await handler.call(this, request, reply)
      } finally {
        // After a disconnect, the query may still run and hold its connection.
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
