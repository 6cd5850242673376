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
  /** Bytes that the bodies of all calls under way may have together; at least 8 times what one body may have. */
  bytes: number
  /** Milliseconds that a call may wait before its body is read. */
  waitMs: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Told once the request has an answer. */
    onAnswer: (() => void) | null
  }
}

/** Bytes that a connection keeps of a body which nobody reads: no more than this, give or take. */
const UNREAD_BYTES = 65_536

/**
 * Keeps the bodies of authenticated calls within a budget of memory. A body takes its bytes from the budget before any
 * of it is read, and gives them back once the call is answered: in between it is read, parsed, and waits for its
 * transaction. A company may have a quarter of the budget, and a key half as much as that. Beyond that a call waits
 * with its body unread, in a line of its own key and company; who waits too long gets 503.
 */
export function budgetBodies(app: FastifyInstance, { bytes, waitMs: maxWaitMs }: BodyBudget): void {
  const share = quarterOf(bytes)
  // What waits is in the buffers of its connection: as much again, at most. So there are bounds enough behind this one.
  const unread = openBudget({ total: Math.ceil(bytes / UNREAD_BYTES), maxWaiting: 0, maxWaitMs })
  const ofKeys = openBudget({ total: Infinity, share: share / 2, maxWaiting: Infinity, maxWaitMs })
  const ofCompanies = openBudget({ total: bytes, share, maxWaiting: Infinity, maxWaitMs })

  /** Takes memory for a body, first that of the key: what it waits for is nobody else's. */
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
    // Of what is larger than the route allows nothing is read.
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
      // The part that was read waits without memory of its own, so that no two bodies wait for each other.
      giveBack()
      giveBack = () => undefined
      const more = await take(caller, bodyLimit)
      if (isOver) more()
      else giveBack = more
    }
    return Readable.from(growing(payload, grow), { objectMode: false })
  })
}

/** Refuses a key whose calls are all refused, before its body is read. A retry may get the stored answer all the same. */
function refuseUseless(request: FastifyRequest, caller: AuthenticatedCaller): void {
  const refusal = refusalOfKey(caller)
  const isRetry = request.headers['idempotency-key'] !== undefined && refusal?.code === 'quota_exceeded'
  if (refusal && !isRetry) throw new ProblemError(refusal)
}

function cutOff(): ProblemError {
  return new ProblemError(problem('malformed_json', 'The body was cut off before its end'))
}

/** Runs a task once a request has its answer and its connection nothing more to do with it, whichever comes last. */
function whenAnswered(request: FastifyRequest, reply: FastifyReply, task: () => void): void {
  let left = 2
  const oneOfTwo = () => {
    left -= 1
    if (left === 0) task()
  }
  request.onAnswer = oneOfTwo
  reply.raw.once('close', oneOfTwo)
}

/** Tells of the answer to each request, and ends the connection of one whose body will not be read to its end. */
export function endUnreadBodies(app: FastifyInstance, bodyLimit: number): void {
  app.decorateRequest('onAnswer', null)
  app.addHook('onSend', (request, reply, payload, done) => {
    request.onAnswer?.()
    request.onAnswer = null
    // Node.js discards what is left of a body, so that the answer is not lost to a client that still sends.
    const announced = announcedBytes(request)
    if (!request.raw.complete && (announced === null || announced > bodyLimit)) void reply.header('connection', 'close')
    done(null, payload)
  })
}

/** Passes a body on, and asks for more memory before it reads on beyond a small one. */
async function* growing(body: Readable, grow: () => Promise<void>): AsyncGenerator<Buffer> {
  let length = 0
  // A connection is still to be answered on when this fails.
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (length <= SMALL_BODY && length + chunk.length > SMALL_BODY) await grow()
    length += chunk.length
    yield chunk
  }
}
