import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeyScope } from '#domain/accounts/api-key'
import { accessRefusal, quotaRefusal } from '#domain/calls/key-refusals'
import { createBudget, quarterOf, type Budget } from '#admission/budget'
import { callerOf, type AuthenticatedCaller } from './authenticate.ts'
import { announcedBytes, isSmallBody, DEFAULT_BODY_LIMIT } from '#http/server/read-body'
import { CutOffError, ProblemError, problemError } from '#http/server/problem'

export interface BodyBudget {
  /** Bytes that the bodies of all running calls may use together; at least 8 times the body limit. */
  bytes: number
  /** Maximum wait before a body is read, in milliseconds. */
  waitMs: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Called once the request has been answered. */
    onAnswer: (() => void) | null
    /** How long the request has waited for memory for its body, in milliseconds. */
    waitedMs: number
  }
}

/** Roughly the bytes of an unread body that a connection buffers. */
const UNREAD_BYTES = 65_536

/**
 * Keeps the bodies of authenticated calls within a memory budget. A body reserves its bytes before any of it is read
 * and returns them once the call has been answered. A company may use a quarter of the budget and a key an eighth.
 * Beyond that, a call waits with its body unread, queued by key and by company, and gets 503 if it waits too long. The
 * calls need a scope.
 */
export function budgetBodies(app: FastifyInstance, { bytes, waitMs: maxWaitMs }: BodyBudget, scope: KeyScope): void {
  const share = quarterOf(bytes)
  // Waiting bodies sit in the buffers of their connections, which may use as much memory again. This limits the number
  // of calls that wait, so the budgets below need no limit.
  const unread = createBudget({ total: Math.ceil(bytes / UNREAD_BYTES) })
  const ofKeys = createBudget({ share: share / 2, maxWaiting: Infinity, maxWaitMs })
  const ofCompanies = createBudget({ total: bytes, share, maxWaiting: Infinity, maxWaitMs })

  /** Reserves memory for a body, first from its key's share: waiting there does not hold up other keys. */
  async function take({ companyId, key }: AuthenticatedCaller, amount: number): Promise<() => void> {
    const until = performance.now() + maxWaitMs
    return unread.hold(companyId, 1, until, async () => {
      const giveBack = await ofKeys.acquire(key.id, amount, until)
      try {
        const giveBackToo = await ofCompanies.acquire(companyId, amount, until)
        return () => {
          giveBackToo()
          giveBack()
        }
      } catch (error) {
        giveBack()
        throw error
      }
    })
  }

  app.addHook('preParsing', async (request, reply) => {
    const { bodyLimit } = request.routeOptions
    const announced = announcedBytes(request)
    // A body that exceeds the route's limit is not read at all.
    if (announced === 0 || (announced !== null && announced > bodyLimit)) return
    const caller = callerOf(request)
    if (!isSmallBody(request)) refuseUseless(request, caller, scope)
    const began = performance.now()
    let giveBack = await take(caller, announced ?? DEFAULT_BODY_LIMIT)
    request.waitedMs = performance.now() - began
    if (request.raw.destroyed) {
      giveBack()
      throw new CutOffError()
    }
    let isOver = false
    whenAnswered(request, reply, () => {
      isOver = true
      giveBack()
    })
    if (announced !== null) return
    request.reserveBody = async () => {
      // Release first: a body that waited while holding memory could deadlock with another one.
      giveBack()
      giveBack = () => undefined
      const more = await take(caller, bodyLimit)
      if (isOver) more()
      else giveBack = more
    }
  })
}

/**
 * Refuses a call that its key would not allow, before the body is read. A retry with an idempotency key is let through at
 * a used-up quota, because it may get its stored answer.
 */
function refuseUseless(request: FastifyRequest, { key, usage, nowMs, sentFrom }: AuthenticatedCaller, scope: KeyScope) {
  const isRetry = request.headers['idempotency-key'] !== undefined
  const refusal = accessRefusal(key, sentFrom, scope) ?? (isRetry ? null : quotaRefusal(key, usage, nowMs))
  if (refusal) throw new ProblemError(refusal)
}

/** Runs a task once the request has been answered and its connection is done with it, whichever comes last. */
function whenAnswered(request: FastifyRequest, reply: FastifyReply, task: () => void) {
  let left = 2
  const oneOfTwo = () => {
    left -= 1
    if (left === 0) task()
  }
  request.onAnswer = oneOfTwo
  reply.raw.once('close', oneOfTwo)
}

/**
 * Signals the answer to each request. Discards a body that was not read if its announced length is at most twice the
 * limit, because a client that is still sending may lose the answer when the connection closes (RFC 9112, section 9.6).
 * Ends the connection after a longer one, or one without Content-Length.
 */
export function endUnreadBodies(app: FastifyInstance, bodyLimit: number) {
  app.decorateRequest('onAnswer', null)
  app.decorateRequest('waitedMs', 0)
  app.addHook('onSend', (request, reply, payload, done) => {
    request.onAnswer?.()
    request.onAnswer = null
    const announced = announcedBytes(request) ?? Infinity
    if (!request.raw.complete && announced > bodyLimit) {
      // Fastify ends the connection after each body that is too long. Without that, Node.js discards the rest.
      if (announced > 2 * bodyLimit) void reply.header('connection', 'close')
      else void reply.removeHeader('connection')
    }
    done(null, payload)
  })
}

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
  app.addHook('preClose', async () => stopping.abort(problemError('unavailable', 'The service is stopping; try again')))
  app.addHook('preParsing', async (request, reply) => {
    if (SAFE.has(request.method)) return
    const announced = announcedBytes(request) ?? maxBytes
    if (announced > maxBytes) throw problemError('payload_too_large', `A file must have at most ${maxBytes} bytes`)
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
