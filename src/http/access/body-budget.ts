import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusalOfKey } from '../../calls/key-refusal.ts'
import { problem } from '../../domain/errors.ts'
import { openBudget, quarterOf } from '../../admission/budget.ts'
import type { AuthenticatedCaller } from './authenticate.ts'
import { callerOf } from './authenticate.ts'
import { announcedBytes, isSmallBody, SMALL_BODY } from '../server/body-length.ts'
import { ProblemError } from '../server/problem.ts'

export interface BodyBudget {
  /** Total bytes of all bodies in progress; at least 8 times the maximum size of one body. */
  bytes: number
  /** Maximum wait before a body is read, in milliseconds. */
  waitMs: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Called once the request has a response. */
    onAnswer: (() => void) | null
  }
}

/** Approximate bytes that a connection buffers of an unread body. */
const UNREAD_BYTES = 65_536

/**
 * Limits the memory for the bodies of authenticated calls. Each body takes its bytes from the budget before it is read,
 * and returns them once the call is answered. A company may use a quarter of the budget, and a key an eighth. Beyond
 * that, calls wait with their bodies unread, queued by key and company; a call that waits too long gets 503.
 */
export function budgetBodies(app: FastifyInstance, { bytes, waitMs: maxWaitMs }: BodyBudget): void {
  const share = quarterOf(bytes)
  // Waiting bodies stay in connection buffers. This limits them to the size of the budget, so the others need no limit.
  const unread = openBudget({ total: Math.ceil(bytes / UNREAD_BYTES), maxWaiting: 0, maxWaitMs })
  const ofKeys = openBudget({ total: Infinity, share: share / 2, maxWaiting: Infinity, maxWaitMs })
  const ofCompanies = openBudget({ total: bytes, share, maxWaiting: Infinity, maxWaitMs })

  /** Takes memory for a body, from the key's share first, so that waiting there delays no other key. */
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

  app.addHook('preParsing', async (request, reply, payload) => {
    const { bodyLimit } = request.routeOptions
    const announced = announcedBytes(request)
    // The server reads nothing of a body that is too large for the route.
    if (announced === 0 || (announced !== null && announced > bodyLimit)) return payload
    const caller = callerOf(request)
    if (!isSmallBody(request)) refuseUseless(request, caller)
    let giveBack = await take(caller, announced ?? SMALL_BODY)
    if (request.raw.destroyed) {
      giveBack()
      throw cutOff()
    }
    let isOver = false
    whenAnswered(request, reply, () => {
      isOver = true
      giveBack()
    })
    if (announced !== null) return payload
    const grow = async () => {
      // Return the memory while waiting for more, so that two bodies cannot deadlock.
      giveBack()
      giveBack = () => undefined
      const more = await take(caller, bodyLimit)
      if (isOver) more()
      else giveBack = more
    }
    return Readable.from(growing(payload, grow), { objectMode: false })
  })
}

/** Refuses a key whose calls would all be refused, before its body is read. A retry may still get its stored response. */
function refuseUseless(request: FastifyRequest, caller: AuthenticatedCaller): void {
  const refusal = refusalOfKey(caller)
  const isRetry = request.headers['idempotency-key'] !== undefined && refusal?.code === 'quota_exceeded'
  if (refusal && !isRetry) throw new ProblemError(refusal)
}

function cutOff(): ProblemError {
  return new ProblemError(problem('malformed_json', 'The body was cut off before its end'))
}

/** Runs a task once the request has a response and the connection has finished with it. */
function whenAnswered(request: FastifyRequest, reply: FastifyReply, task: () => void): void {
  let left = 2
  const oneOfTwo = () => {
    left -= 1
    if (left === 0) task()
  }
  request.onAnswer = oneOfTwo
  reply.raw.once('close', oneOfTwo)
}

/** Signals the response of each request, and closes connections whose body will not be read to the end. */
export function endUnreadBodies(app: FastifyInstance, bodyLimit: number): void {
  app.decorateRequest('onAnswer', null)
  app.addHook('onSend', (request, reply, payload, done) => {
    request.onAnswer?.()
    request.onAnswer = null
    // Node.js discards the rest of a body, so that a client that is still sending receives the response.
    const announced = announcedBytes(request)
    if (!request.raw.complete && (announced === null || announced > bodyLimit)) void reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Forwards a body, and requests more memory before it exceeds the small size. */
async function* growing(body: Readable, grow: () => Promise<void>): AsyncGenerator<Buffer> {
  let length = 0
  // Keep the connection open on failure, so that the response can be sent.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (length <= SMALL_BODY && length + chunk.length > SMALL_BODY) await grow()
    length += chunk.length
    yield chunk
  }
}
