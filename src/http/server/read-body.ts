import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Hash } from 'node:crypto'
import { finished, type Readable } from 'node:stream'
import { UnavailableError } from '#admission/batcher'
import { doInTurns } from '#admission/turns'
import { joinInPieces } from '#domain/pieces'
import { CutOffError, ProblemError, REQUEST_TIMEOUT } from './problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How long a body may make no progress, in milliseconds. */
    progressMs: number
  }
  interface FastifyRequest {
    /** Reserves memory for a body that turns out to be more than a small one; null if its memory is not budgeted. */
    reserveBody: (() => Promise<void>) | null
  }
}

/**
 * The default body limit, in bytes. Also the limit for keys whose calls would all be refused, and for the part of a
 * body without Content-Length that is read before its memory is reserved.
 */
export const DEFAULT_BODY_LIMIT = 65_536

/** The body length that the headers announce, in bytes; null for a chunked body. */
export function announcedBytes({ headers }: FastifyRequest) {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Whether the headers announce a small body. */
export function isSmallBody(request: FastifyRequest) {
  const announced = announcedBytes(request)
  return announced !== null && announced <= DEFAULT_BODY_LIMIT
}

/**
 * Lets a client that waits for it (`Expect: 100-continue`, RFC 9110 section 10.1.1) send its body once the request has
 * passed the checks that need no body, so that a refused call is not uploaded.
 * Other expectations are ignored, as RFC 9110 allows.
 */
export function continueAfterChecks(app: FastifyInstance) {
  for (const event of ['checkContinue', 'checkExpectation'])
    app.server.on(event, (request, response) => app.server.emit('request', request, response))
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue()
    done()
  })
}

/** Reads a body as a whole, and hashes it on the way; see `receiveBody`. */
export async function readBody(request: FastifyRequest, body: Readable, hash: Hash | null = null) {
  const chunks: Buffer[] = []
  await receiveBody(request, body, (chunk) => {
    chunks.push(chunk)
    hash?.update(chunk)
  })
  return doInTurns(joinInPieces(chunks))
}

/**
 * Receives a body up to the limit of its route. `take` gets each chunk, and the client can't send more until what it
 * returns is done. Rejects with FST_ERR_CTP_BODY_TOO_LARGE beyond the limit, with CutOffError if the client leaves before
 * the end, and with `request_timeout` if it stops sending.
 *
 * The connection stays open, because the refusal still has to be answered, so the client can still send, leave, or break
 * the connection afterwards. The listeners stay, too: they discard what arrives, and no error is without a listener.
 */
export function receiveBody(
  request: FastifyRequest,
  body: Readable,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { bodyLimit } = request.routeOptions
  const refuse = () => reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
  const stalled = setTimeout(() => {
    // While the body waits for memory, its client can't send.
    if (body.isPaused()) stalled.refresh()
    else reject(new ProblemError(REQUEST_TIMEOUT))
  }, request.server.progressMs)
  if ((announcedBytes(request) ?? 0) > bodyLimit) {
    refuse()
    return promise
  }
  let length = 0
  let isSmall = true
  const waitFor = (done: Promise<void>) => {
    body.pause()
    done.then(() => body.resume(), reject)
  }
  body.on('data', (chunk: Buffer) => {
    stalled.refresh()
    length += chunk.length
    if (length > bodyLimit) return refuse()
    const taken = take(chunk)
    if (taken) waitFor(taken)
    if (!isSmall || length <= DEFAULT_BODY_LIMIT) return
    isSmall = false
    if (request.reserveBody) waitFor(request.reserveBody())
  })
  finished(body, (error) => {
    clearTimeout(stalled)
    if (error) reject(new CutOffError())
    else resolve()
  })
  return promise
}

/** What is left of large work is given up so long after the service begins to stop, in milliseconds. */
const STOPS_AFTER_MS = 500

/** Does work on a body. Its signal is aborted if the client leaves, or soon after the service begins to stop. */
type WhileServed = <Result>(request: FastifyRequest, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>

/** Follows the clients and the end of a service, for work that ends with them. Call it before registering routes. */
export function followService(app: FastifyInstance): WhileServed {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new UnavailableError('the service is stopping'))
  app.addHook('preClose', async () => {
    setTimeout(stop, STOPS_AFTER_MS).unref()
  })
  return async ({ raw: { socket } }, work) => {
    const leaving = new AbortController()
    const leave = () => leaving.abort(new CutOffError())
    if (socket.destroyed) leave()
    socket.once('close', leave)
    try {
      return await work(AbortSignal.any([leaving.signal, stopping.signal]))
    } finally {
      socket.off('close', leave)
    }
  }
}
