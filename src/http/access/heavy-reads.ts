import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooMany } from './rate-limits.ts'
import { openBudget } from '../../admission/budget.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a request may take long: it reads much of its company's data (a search, an export, or a look back in
     * time), or waits for a receiver.
     */
    isHeavyRead?: (request: FastifyRequest) => boolean
  }
  interface FastifyRequest {
    /** Of a heavy read: aborts when its client leaves. */
    left: AbortSignal | undefined
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

/** What reads a company may run at once in this process. */
export interface ReadLimits {
  /** All but heavy reads and streams. Further ones wait in the company's line. */
  atOnce: number
  /** Heavy reads. Further ones get 429. */
  heavyAtOnce: number
}

const MAX_WAITING = 1_000
const MAX_WAIT_MS = 10_000

/**
 * Limits the reads that a company may run at once in this process, across all routes, so that connections remain for
 * other companies. Throws NoTurnError if a read waits for 10 seconds, or if too many wait. Call it before registering
 * routes.
 */
export function limitReads(app: FastifyInstance, { atOnce, heavyAtOnce }: ReadLimits): void {
  const heavy = openBudget({ share: heavyAtOnce })
  const others = openBudget({ share: atOnce, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })
  const limitedHandlers = new WeakSet<object>()
  app.decorateRequest('streamed', null)
  app.decorateRequest('left', undefined)
  app.addHook('onRoute', (route) => {
    const { isHeavyRead } = route.config ?? {}
    const { handler } = route
    const isRead = [route.method].flat().includes('GET') && route.sse === undefined
    // The HEAD route of a GET route has its handler.
    if ((!isHeavyRead && !isRead) || limitedHandlers.has(handler)) return
    route.handler = async function limited(request, reply) {
      const companyId = findCompany(request)
      if (companyId === null) return handler.call(this, request, reply)
      if (!isHeavyRead?.(request))
        return isRead
          ? others.hold(companyId, 1, undefined, async () => handler.call(this, request, reply))
          : handler.call(this, request, reply)
      const release = heavy.tryAcquire(companyId, 1)
      if (!release) throw refuseHeavyRead(reply, heavyAtOnce)
      // What changes something is done even if nobody waits for the answer.
      const left = isRead ? followClient(request, reply) : undefined
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        if (!left?.aborted) throw error
        request.log.info('the client left before the answer')
        return await reply.hijack()
      } finally {
        // A streamed answer ends when the client has read it or has gone away; until then its query holds a connection.
        if (request.streamed && !request.streamed.closed) request.streamed.once('close', release)
        else release()
      }
    }
    limitedHandlers.add(route.handler)
  })
}

/** Makes a signal that aborts when the client leaves before it has the whole answer. */
function followClient(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || left.abort())
  request.left = left.signal
  return left.signal
}

/** Finds the company whose data a request reads; null if it is not authenticated. */
function findCompany({ caller, user, viewer }: FastifyRequest): string | null {
  return (caller ?? user ?? viewer)?.companyId ?? null
}

function refuseHeavyRead(reply: FastifyReply, atOnce: number): Error {
  const detail = `A company can run at most ${atOnce} searches, exports, erasures, and test messages at once; wait and try again`
  return tooMany(reply, 'heavy-reads', RETRY_AFTER_SECONDS, detail)
}
