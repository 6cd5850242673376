import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tooMany } from './rate-limits.ts'
import { disconnectReader } from './unread-answers.ts'
import { createBudget, quarterOf } from '#admission/budget'
import type { Pool } from 'pg'
import { currentCompany } from '#postgres/company-scope'
import { LendingPool } from '#postgres/lending-pool'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether a request may take long: it reads much of its company's data, such as a search or an export, or waits for
     * another server.
     */
    isHeavyRead?: boolean | ((request: FastifyRequest) => boolean)
  }
  interface FastifyRequest {
    /** Of a heavy read: aborts when its client leaves. What changes something is done even if nobody waits for it. */
    left: AbortSignal | undefined
  }
}

const RETRY_AFTER_SECONDS = 1

/** For routes that stream an answer. HEAD would read everything that GET does, only to discard it. */
export const STREAMED_ROUTE = { exposeHeadRoute: false, config: { isHeavyRead: true } }

/** For routes that are heavy if one of these query parameters is given. */
export function whenGiven(names: readonly string[]) {
  return ({ query }: FastifyRequest) => names.some((name) => ((query as Record<string, unknown>)[name] ?? '') !== '')
}

/** How many heavy reads a company may run at once: its share of the pool leaves a connection for what else it does. */
export function boundHeavyReads(most: number, poolSize: number): number {
  return Math.max(1, Math.min(most, quarterOf(poolSize) - 1))
}

/**
 * Limits the heavy reads that a company may run at once in this process, across all routes, so that it has connections
 * left for the rest. Further ones get 429. Whoever reads nothing of a streamed answer for `stillMs` to twice as long is
 * disconnected, and makes room. Call it before registering routes.
 */
export function limitHeavyReads(app: FastifyInstance, atOnce: number, stillMs: number) {
  const places = createBudget({ share: atOnce })
  app.decorateRequest('streamed', null)
  app.decorateRequest('left', undefined)
  app.addHook('onRoute', (route) => {
    const { isHeavyRead } = route.config ?? {}
    const { handler } = route
    if (!isHeavyRead) return
    route.handler = async function limited(request, reply) {
      if (typeof isHeavyRead === 'function' && !isHeavyRead(request)) return handler.call(this, request, reply)
      const release = places.tryAcquire(findCompany(request), 1)
      if (!release) throw refuseHeavyRead(reply, atOnce)
      const left = followClient(request, reply)
      // Before the handler, because one that returns its reply is over only once the answer is.
      reply.raw.setTimeout(stillMs, () => disconnectReader(request.raw.socket))
      try {
        return await handler.call(this, request, reply)
      } catch (error) {
        if (error !== left.reason) throw error
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

/** Makes a signal that aborts when the client leaves before it has the whole answer. */
function followClient(request: FastifyRequest, reply: FastifyReply) {
  const left = new AbortController()
  reply.raw.once('close', () => reply.raw.writableFinished || left.abort())
  request.left = left.signal
  return left.signal
}

/** Finds the company whose data an authenticated request reads. */
function findCompany({ caller, user, viewer }: FastifyRequest) {
  return (caller ?? user ?? viewer)!.companyId
}

function refuseHeavyRead(reply: FastifyReply, atOnce: number): Error {
  const most = `at most ${atOnce} long requests (such as searches and exports) at once`
  const detail = `A company can run ${most}; wait and try again`
  return tooMany(reply, 'heavy-reads', RETRY_AFTER_SECONDS, detail)
}

/** Connections that may be waited for, a quarter of them by one company; and how long, in milliseconds. */
const MAX_WAITING = 4_000
const MAX_WAIT_MS = 10_000

/** Whoever the running code works for, if it is no company: all of them together are treated like one. */
const NOBODY = ''

/**
 * Shares the connections of a pool: a company uses a quarter of them at most, whatever its requests do. Further ones
 * wait in its line without a connection. Throws NoTurnError if one waits for 10 seconds, or if too many wait.
 */
export function shareConnections(pool: Pool): Pool {
  const budget = createBudget({ share: quarterOf(pool.options.max), maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })
  async function connectInTurn() {
    const giveBack = await budget.acquire(currentCompany() ?? NOBODY, 1)
    try {
      const client = await pool.connect()
      // The pool sets this whenever it lends the connection.
      const { release } = client
      client.release = (isBroken) => {
        release.call(client, isBroken)
        giveBack()
      }
      return client
    } catch (error) {
      giveBack()
      throw error
    }
  }
  return new LendingPool(pool.options, connectInTurn, () => [pool])
}
