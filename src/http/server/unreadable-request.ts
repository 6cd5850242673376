import { randomUUID } from 'node:crypto'
import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { FastifyServerOptions, FastifyInstance, FastifyRequest } from 'fastify'
import { problem, problemDocument, type Problem } from '#domain/errors'
import { REQUEST_TIMEOUT } from './problem.ts'
import type { Socket } from 'node:net'

const TOO_LARGE = 'HPE_HEADER_OVERFLOW'
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT'
/** What the parser's own words don't tell. */
const HINTS: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD:
    'methods are written in capitals, a body needs a Content-Length, and TLS and the PROXY protocol end at a proxy ' +
    'before this port',
  HPE_INVALID_URL: 'signs in an address that are not ASCII are percent-encoded',
  HPE_INVALID_CONSTANT: 'a blank in an address is written %20',
  HPE_PAUSED_H2_UPGRADE: 'HTTP/2 ends at a proxy before this port',
}

/**
 * Answers bytes that cannot be parsed as a request with a problem document, and closes the connection, because the
 * start of the next request is unknown (RFC 9112 section 11.2). Sends nothing if an answer has already begun or the
 * client is gone.
 */
export const answerUnreadable: NonNullable<FastifyServerOptions['clientErrorHandler']> = (error, socket) => {
  // Node.js's default clientError handler reads this undocumented property too; there is no other way to know.
  const { _httpMessage: answering } = socket as { _httpMessage?: { headersSent: boolean } | null }
  if (error.code !== 'ECONNRESET' && socket.writable && answering?.headersSent !== true)
    socket.write(formatAnswer(error))
  socket.destroy()
}

type ParserError = Error & { code?: string; reason?: string }

function formatAnswer(error: ParserError) {
  const refusal = makeProblem(error)
  const requestId = randomUUID()
  const body = JSON.stringify(problemDocument(refusal, requestId))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function makeProblem({ code = '', reason }: ParserError): Problem {
  if (code === TOO_LARGE)
    return problem('headers_too_large', `The URL and the headers must have at most ${maxHeaderSize} bytes together`)
  if (code === TOO_SLOW) return REQUEST_TIMEOUT
  const why = HINTS[code] ?? reason
  return problem('malformed_request', `This is not a valid HTTP/1.1 request${why ? `: ${why}` : ''}`)
}

/**
 * Ends each connection with the next answer once the service begins to stop, also to a request that was in progress
 * then: the service would wait for its client to close it otherwise.
 */
export function endConnections(app: FastifyInstance, isStopping: () => boolean) {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing || isStopping()) void reply.header('connection', 'close')
    done()
  })
}

/**
 * Answers the calls of clients that close their sending half once the request is sent, as `nc -N` does: the call is
 * applied, and they still read. For all other requests, it means that the client has left, which ends long reads.
 */
export function answerHalfClosed(app: FastifyInstance, isAnswered: (request: FastifyRequest) => boolean) {
  const answering = new WeakMap<Socket, boolean>()
  // Node.js's http server reads this undocumented property; there is no other way to keep the connection.
  Object.assign(app.server, { httpAllowHalfOpen: true })
  app.server.on('connection', (socket) => {
    socket.on('end', () => answering.get(socket) || socket.end())
  })
  app.addHook('onRequest', (request, _reply, done) => {
    answering.set(request.raw.socket, isAnswered(request))
    done()
  })
}
