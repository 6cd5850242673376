import './server/type-provider.ts'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import cookie from '@fastify/cookie'
import Fastify, { LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { problem } from '#domain/errors'
import { runInScope, type CompanyScope } from '#postgres/company-scope'
import { endUnreadBodies } from './access/body-budget.ts'
import { limitHeavyReads } from './access/heavy-reads.ts'
import { boundUnreadAnswers } from './access/unread-answers.ts'
import { isSecure, type SessionSettings } from './access/session.ts'
import type { StreamLimits } from './live/live-stream.ts'
import { documentRoutes } from './openapi/document-routes.ts'
import { logAccess, type Answered } from './server/access-log.ts'
import { compressAnswers } from './server/compression.ts'
import { readForwardedAddresses } from './server/forwarded-addresses.ts'
import { bindCursors } from './server/query-values.ts'
import { writeLongAnswers } from './server/long-answers.ts'
import { acceptJsonBodies, refuseCompressedBodies } from './server/media-types.ts'
import { collectMethods, type RefuseMethod, type Refuse } from './server/method-not-allowed.ts'
import { sendError, type Protocol, findProtocol, problemError } from './server/problem.ts'
import { continueAfterChecks, DEFAULT_BODY_LIMIT, isSmallBody } from './server/read-body.ts'
import { compileSchema } from './server/compile-schema.ts'
import { listSecurityHeaders } from './server/security-headers.ts'
import { traceRequests, type BeginTrace } from './server/trace-requests.ts'
import { answerUnreadable, endConnections, answerHalfClosed } from './server/unreadable-request.ts'

/** What the server itself needs, whatever routes it has. */
export interface ServerServices {
  log: Logger
  /** Whether the process was asked to stop; until it does, it serves on. */
  isStopping(): boolean
  /** Called after each answer was sent. */
  onAnswered?(answered: Answered): void
  /** Begins the trace of each request; when undefined, nothing is traced. */
  beginTrace?: BeginTrace | undefined
  /** Comma-separated addresses of the proxies whose `X-Forwarded-*` headers are trusted; null trusts none. */
  trustProxy: string | null
  /** How long a request may make no progress while it is received, in milliseconds. */
  requestTimeoutMs: number
  /** Maximum body of a writing call, in bytes. */
  bodyLimit: number
  /** The heavy reads that a company may run at once. */
  heavyReads: number
  streamLimits: Pick<StreamLimits, 'heartbeatMs'>
  sessions: Pick<SessionSettings, 'publicUrl'>
}

/** What is served. */
interface ServedRoutes {
  /** The protocols of all parts of the API. */
  protocols: readonly Protocol[]
  /** The media types of the JSON bodies that any route may accept, beside merge patches. */
  bodyTypes: readonly string[]
  /** Maximum number of records in a call. */
  maxRecords: number
  /** Answers a request that no route accepts. */
  refuse: Refuse
  addRoutes(app: FastifyInstance): void
}

/** An id in a path may be any text: the limit of a header line applies first. */
const MAX_PARAM_LENGTH = 16_384
/** Headers are small: a client that takes longer only occupies a connection. */
const HEADERS_TIMEOUT_MS = 20_000
/** Receiving a whole request may take so many times as long as a body may make no progress. */
const TIMES_AS_LONG = 10
const STILL_HEARTBEATS = 3
/** A request id is stored with the call forever, so it must not be able to contain an email address. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

declare module 'fastify' {
  interface FastifyRequest {
    /** Null only before any hook. */
    scope: CompanyScope | null
  }
}

type CommonHeaders = Readonly<Record<string, string>>

/** Builds an HTTP server that serves these routes, and the document that describes them. */
export function buildServer(services: ServerServices, served: ServedRoutes): FastifyInstance {
  const common = listSecurityHeaders(isSecure(services.sessions))
  const app = createServer(services, served, common)
  app.decorate('protocols', served.protocols)
  const refuseMethod = collectMethods(app, served.refuse, MAX_PARAM_LENGTH)
  acceptJsonBodies(app, served.maxRecords, served.bodyTypes)
  addHooks(app, services, served, refuseMethod, common)
  bindCursors(app)
  writeLongAnswers(app)
  answerHalfClosed(app, isSmallCall)
  documentRoutes(app)
  void app.register(cookie)
  limitHeavyReads(app, services.heavyReads, stillMsOf(services))
  served.addRoutes(app)
  return app
}

function createServer(services: ServerServices, served: ServedRoutes, common: CommonHeaders): FastifyInstance {
  // Fastify infers the type of the instance from that of the log.
  const loggerInstance: FastifyBaseLogger = services.log
  return Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: DEFAULT_BODY_LIMIT,
    ...connectionLimits(services),
    trustProxy: services.trustProxy ?? false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    genReqId: requestId,
    // While the process ends, a request that arrives on an open connection is served as the last one on it.
    return503OnClosing: false,
    // A path that cannot be decoded matches no route, and Fastify runs no hook for it.
    frameworkErrors: (_error, _request, reply) => void refuseUnknown(served, setCommonHeaders(common, reply)),
    clientErrorHandler: answerUnreadable,
  })
}

function addHooks(
  app: FastifyInstance,
  services: ServerServices,
  served: ServedRoutes,
  refuseMethod: RefuseMethod,
  common: CommonHeaders,
) {
  app.setValidatorCompiler(compileSchema)
  refuseCompressedBodies(app)
  app.decorate('progressMs', services.requestTimeoutMs)
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('scope', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('charged', null)
  app.decorateRequest('user', null)
  app.decorateRequest('viewer', null)
  if (services.trustProxy !== null) readForwardedAddresses(app)
  traceRequests(app, services.beginTrace)
  // Few hooks, and none that makes a promise: every call pays for them.
  app.addHook('onRequest', (request, reply, next) => {
    request.arrivedAt = performance.now()
    setCommonHeaders(common, reply)
    refuseUnknownCoding(request, reply)
    refuseUnclearHost(request)
    // So that its statements go to its company's machine once its credentials name one.
    request.scope = { companyId: null }
    // Before the body is read, because the client has not authenticated.
    if (request.is404) void refuseUnmatched(reply, next)
    else runInScope(request.scope, next)
  })
  async function refuseUnmatched(reply: FastifyReply, next: HookHandlerDoneFunction) {
    try {
      await (refuseMethod(reply) ?? refuseUnknown(served, reply))
    } catch (error) {
      next(error as Error)
    }
  }
  // The body may have been read in another asynchronous context.
  app.addHook('preValidation', (request, _reply, next) => runInScope(request.scope!, next))
  app.addHook('preHandler', (request, _reply, next) => {
    refuseOverriddenMethod(request)
    refuseOtherEncoding(request)
    next()
  })
  logAccess(app, services.onAnswered)
  compressAnswers(app)
  boundUnreadAnswers(app, stillMsOf(services))
  endUnreadBodies(app, services.bodyLimit)
  endConnections(app, services.isStopping)
  continueAfterChecks(app)
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  app.setNotFoundHandler((_request, reply) => refuseUnknown(served, reply))
}

/** Whether a request is a writing call of an API key. The work on a large body ends when the client seems to leave. */
function isSmallCall(request: FastifyRequest) {
  const { method, routeOptions } = request
  const isReading = method === 'GET' || method === 'HEAD'
  return !isReading && routeOptions.config.checksKeyItself === true && isSmallBody(request)
}

/** Nobody here knows what a body in another coding means, or where it ends (RFC 9112 section 6.1). */
function refuseUnknownCoding({ headers }: FastifyRequest, reply: FastifyReply) {
  const coding = headers['transfer-encoding']
  if (coding === undefined || /^[\t ]*chunked[\t ]*$/i.test(coding)) return
  void reply.header('connection', 'close')
  throw problemError('malformed_request', 'The only Transfer-Encoding that is supported is chunked')
}

/** Proxies on the way may have chosen another one of several hosts (RFC 9112 section 3.2). */
function refuseUnclearHost({ raw: { rawHeaders, httpVersionMinor } }: FastifyRequest) {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (/^host$/i.test(rawHeaders[at]!)) hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return
  throw problemError('malformed_request', 'A request must have exactly one Host header')
}

/** The headers in which clients and frameworks name another method. */
const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']

/** A client whose POST was meant as a PATCH would create people. */
function refuseOverriddenMethod({ headers }: FastifyRequest) {
  const sent = OVERRIDES.find((name) => headers[name.toLowerCase()] !== undefined)
  if (sent === undefined) return
  throw problemError('malformed_request', `${sent} is not supported: send the method itself`)
}

/** Refuses an address that is not UTF-8: a search for the bytes as they were sent would never find anything. */
function refuseOtherEncoding({ url }: FastifyRequest) {
  if (!url.includes('%')) return
  try {
    for (const [run] of url.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(run)
  } catch {
    throw problemError('invalid_query', 'The query is not UTF-8: ü is %C3%BC')
  }
}

function setCommonHeaders(common: CommonHeaders, reply: FastifyReply) {
  // Answers contain personal data and secrets, and shared caches do not know that `x-api-key` or a token protects them.
  // A client may write the path of a route in several ways.
  if (findProtocol(reply.request)) void reply.header('cache-control', 'no-store')
  return reply.header('x-request-id', reply.request.id).headers(common)
}

/** How long a client may read nothing of an answer that waits for it, in milliseconds. */
function stillMsOf({ requestTimeoutMs }: Pick<ServerServices, 'requestTimeoutMs'>) {
  return requestTimeoutMs / 4
}

/** How long a client may take to send headers and body, and to receive the answer. */
function connectionLimits({
  requestTimeoutMs,
  streamLimits: { heartbeatMs },
}: Pick<ServerServices, 'requestTimeoutMs' | 'streamLimits'>) {
  const headersTimeout = Math.min(requestTimeoutMs, HEADERS_TIMEOUT_MS)
  const requestTimeout = TIMES_AS_LONG * requestTimeoutMs
  return {
    requestTimeout,
    // Closes a connection that is idle in both directions. The limits below apply first and send an answer. A live
    // stream is never idle for longer than its heartbeat.
    connectionTimeout: Math.max(2 * requestTimeoutMs, STILL_HEARTBEATS * heartbeatMs),
    // Node.js would refuse a request without a host with an empty answer.
    http: {
      requestTimeout,
      headersTimeout,
      connectionsCheckingInterval: headersTimeout / 4,
      requireHostHeader: false,
    },
  }
}

function refuseUnknown({ refuse }: ServedRoutes, reply: FastifyReply) {
  return refuse(reply, problem('route_not_found', 'There is nothing at this address; /docs lists all addresses'))
}

/** The client's request id if it sent a valid one, otherwise a new one. */
function requestId(request: IncomingMessage) {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}
