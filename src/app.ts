import './http/server/type-provider.ts'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import cookie from '@fastify/cookie'
import { fastifySSE } from '@fastify/sse'
import Fastify, { LogController } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { problem } from './domain/errors.ts'
import type { FoundKey, KeyName } from './accounts/api-keys/key-access.ts'
import { apiKeys } from './api/admin/api-keys.ts'
import { attention } from './api/admin/attention.ts'
import { bulkUserLogs } from './api/admin/bulk-user-logs.ts'
import { bulkUserLogsStream } from './api/admin/bulk-user-logs-stream.ts'
import { company as companyItself } from './api/admin/company.ts'
import { erasures } from './api/admin/erasures.ts'
import { invitations } from './api/admin/invitations.ts'
import { logExports } from './api/admin/log-exports.ts'
import { personalData } from './api/admin/personal-data.ts'
import { secretSearch } from './api/admin/secret-search.ts'
import { uploadRoutes } from './api/admin/uploads/upload-routes.ts'
import { usage } from './api/admin/usage.ts'
import { users } from './api/admin/users.ts'
import { userTokens } from './api/admin/user-tokens.ts'
import { webhookRoutes } from './api/admin/webhooks/webhooks.ts'
import type { KeyProtocol, KeyServices } from './http/calls/key-protocol.ts'
import { auditRoutes } from './api/audit/audit-routes.ts'
import { authenticateCaller, unlessOpen } from './http/access/authenticate.ts'
import { authenticateUser, authorizeRoles, requireRole } from './http/access/authorize-user.ts'
import { endUnreadBodies } from './http/access/body-budget.ts'
import { compressAnswers } from './http/server/compression.ts'
import { endConnections } from './http/server/end-connections.ts'
import { continueAfterChecks, DEFAULT_BODY_LIMIT } from './http/server/read-body.ts'
import { refuseHalfBuilt } from './http/server/half-built.ts'
import { limitHeavyReads } from './http/access/heavy-reads.ts'
import { registerHealthRoutes } from './http/server/health.ts'
import type { StreamLimits } from './http/live/live-stream.ts'
import { createOpenStreams, type OpenStreams } from './http/live/open-streams.ts'
import { acceptJsonBodies, refuseCompressedBodies } from './http/server/media-types.ts'
import { collectMethods, type KnownMethods } from './http/server/method-not-allowed.ts'
import { logAccess, type Answered } from './http/server/access-log.ts'
import { documentRoutes } from './http/openapi/document-routes.ts'
import { pageAssets } from './pages/assets/assets.ts'
import { readMe } from './pages/evidence/read-me.ts'
import { pages } from './pages/pages.ts'
import { createSignInLimits, type SignInLimits, type SignInSettings } from './http/access/sign-in-limits.ts'
import { backchannelLogout } from './pages/sign-in/backchannel-logout.ts'
import { sendRefusal } from './pages/parts/error-page.ts'
import { verifyPages } from './pages/verify/verify-page.ts'
import type { PageServices } from './pages/parts/page-services.ts'
import { problemPages } from './pages/reference/problems.ts'
import { referencePages } from './pages/reference/reference-pages.ts'
import { ProblemError, sendError } from './http/server/problem.ts'
import { findProtocol, PROBLEM_DOCUMENTS, type Protocol } from './http/server/protocols.ts'
import { listSecurityHeaders } from './http/server/security-headers.ts'
import { refuseFailedConditions } from './http/server/preconditions.ts'
import { compileSchema } from './http/server/schema-compiler.ts'
import { limitBursts, limitFailures } from './http/access/rate-limits.ts'
import { isSecure } from './http/access/session.ts'
import { readForwardedAddresses } from './http/server/forwarded-addresses.ts'
import { answerUnreadable } from './http/server/unreadable-request.ts'
import { traceRequests, type BeginTrace } from './http/server/trace-requests.ts'
import { scim } from './api/scim/scim.ts'
import { publicApi } from './api/v1/public-api.ts'
import { createLogEntries, type RequireLogEntry } from './log/log-entries.ts'
import { runInScope, type CompanyScope } from './postgres/company-scope.ts'

export interface AppServices extends Omit<PageServices, 'requireLogEntry' | 'signIns'>, KeyServices {
  /** The protocols of API keys; by default, `KEY_PROTOCOLS`. */
  keyProtocols?: readonly KeyProtocol[] | undefined
  findKey(name: KeyName): Promise<FoundKey | null>
  isReady(): Promise<boolean>
  /** Whether the process was asked to stop; until it does, it serves on. */
  isStopping(): boolean
  log: Logger
  /** Called after each answer was sent. */
  onAnswered?(answered: Answered): void
  /** Begins the trace of each request; when undefined, nothing is traced. */
  beginTrace?: BeginTrace | undefined
  /** Comma-separated addresses of the proxies whose `X-Forwarded-*` headers are trusted; null trusts none. */
  trustProxy: string | null
  /** How long receiving a request may take, in milliseconds. */
  requestTimeoutMs: number
  /** Calls per second and API key; 0 is no limit. */
  burstLimit: number
  /** The heavy reads that a company may run at once. */
  heavyReads: number
  streamLimits: StreamLimits
  signInLimits: SignInSettings
}

/** What the server makes for the admin endpoints. */
interface AdminServices {
  limits: StreamLimits
  streams: OpenStreams
  requireLogEntry: RequireLogEntry
  signIns: SignInLimits
}

/** An id in a path may be any text: the limit of a header line applies first. */
const MAX_PARAM_LENGTH = 16_384
/** Headers are small: a client that takes longer only occupies a connection. */
const HEADERS_TIMEOUT_MS = 20_000
const STILL_HEARTBEATS = 3
/** A request id is stored with the call forever, so it must not be able to contain an email address. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

type CommonHeaders = Readonly<Record<string, string>>

/** The protocols in which API keys make calls. */
const KEY_PROTOCOLS: readonly KeyProtocol[] = [publicApi, scim]

/** Builds the HTTP server with all its routes; tests call it, too. */
export function buildApp(services: AppServices): FastifyInstance {
  const common = listSecurityHeaders(isSecure(services.sessions))
  const app = createServer(services, common)
  const { keyProtocols = KEY_PROTOCOLS } = services
  const ofUsers = ['/admin', '/audit'].map((prefix) => ({ ...PROBLEM_DOCUMENTS, prefix }))
  const protocols: readonly Protocol[] = [...keyProtocols, ...ofUsers]
  app.decorate('protocols', protocols)
  const methods = collectMethods(app, sendRefusal)
  acceptJsonBodies(
    app,
    services.commands.maxRecords,
    keyProtocols.flatMap(({ bodyTypes }) => bodyTypes),
  )
  addHooks(app, services, methods, common)
  documentRoutes(app)

  void app.register(cookie)
  limitHeavyReads(app, services.heavyReads, services.requestTimeoutMs / 4)
  const streams = createOpenStreams(app, services.streamLimits)
  registerHealthRoutes(app, services)
  pageAssets(app)
  problemPages(app, services)
  referencePages(app, services)
  verifyPages(app, services)
  for (const protocol of keyProtocols) {
    void app.register((part) => keyRoutes(part, protocol, services), { prefix: protocol.prefix })
  }
  const requireLogEntry = createLogEntries(services)
  const signIns = createSignInLimits(services.signInLimits)
  const { streamLimits: limits } = services
  const ofAdmins = { ...services, limits, streams, requireLogEntry, signIns }
  void app.register((admin) => adminRoutes(admin, ofAdmins), { prefix: '/admin/v1' })
  const ofAudit = { ...services, limits, streams, storyteller: readMe }
  void app.register((audit) => auditRoutes(audit, ofAudit), { prefix: '/audit/v1' })
  void app.register((interfacePages) => pages(interfacePages, { ...services, requireLogEntry, signIns }))
  void app.register((notices) => backchannelLogout(notices, services))
  void app.after(methods.refuseOthers)
  return app
}

function createServer(services: AppServices, common: CommonHeaders): FastifyInstance {
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
    frameworkErrors: (_error, _request, reply) => void sendNotFound(setCommonHeaders(common, reply)),
    clientErrorHandler: answerUnreadable,
  })
}

function addHooks(app: FastifyInstance, services: AppServices, methods: KnownMethods, common: CommonHeaders): void {
  app.setValidatorCompiler(compileSchema)
  refuseCompressedBodies(app)
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('caller', null)
  app.decorateRequest('charged', null)
  app.decorateRequest('user', null)
  app.decorateRequest('viewer', null)
  if (services.trustProxy !== null) readForwardedAddresses(app)
  app.addHook('preHandler', refuseOverriddenMethod)
  traceRequests(app, services.beginTrace)
  scopeRequests(app)
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    setCommonHeaders(common, reply)
    // Before the body is read, because the client has not authenticated.
    if (request.is404) return methods.refuseIfKnown(reply) ?? sendNotFound(reply)
  })
  logAccess(app, services.onAnswered)
  compressAnswers(app)
  endUnreadBodies(app, services.bodyLimit)
  endConnections(app, services.isStopping)
  continueAfterChecks(app)
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  app.setNotFoundHandler((_request, reply) => sendNotFound(reply))
}

/** A client whose POST was meant as a PATCH would create people. */
async function refuseOverriddenMethod({ headers }: FastifyRequest): Promise<void> {
  if (headers['x-http-method-override'] === undefined) return
  throw new ProblemError(
    problem('malformed_request', 'X-HTTP-Method-Override is not supported: send the method itself'),
  )
}

function setCommonHeaders(common: CommonHeaders, reply: FastifyReply): FastifyReply {
  // Answers contain personal data and secrets, and shared caches do not know that `x-api-key` or a token protects them.
  // A client may write the path of a route in several ways.
  if (findProtocol(reply.request)) void reply.header('cache-control', 'no-store')
  return reply.headers({ 'x-request-id': reply.request.id, ...common })
}

/** Adds the routes of API keys in a protocol. */
async function keyRoutes(app: FastifyInstance, protocol: KeyProtocol, services: AppServices): Promise<void> {
  const authenticate = authenticateCaller(services.findKey, protocol.readCredentials)
  app.addHook('onRequest', unlessOpen(limitFailures(services.failureLimit, authenticate)))
  app.addHook('onRequest', unlessOpen(limitBursts(services.burstLimit)))
  await protocol.addRoutes(app, services)
}

/**
 * Adds the routes for invitations (anyone with a one-time token), tokens (every user), and everything else
 * (administrators). Each group checks its own credentials before it reads a body.
 */
async function adminRoutes(app: FastifyInstance, services: AppServices & AdminServices): Promise<void> {
  const { db, access, company, failureLimit, sessions } = services
  refuseFailedConditions(app)
  invitations(app, company, failureLimit)
  const authenticate = limitFailures(failureLimit, authenticateUser(access, sessions))
  await app.register(async (anyRole) => {
    anyRole.addHook('onRequest', authenticate)
    userTokens(anyRole, services)
  })
  await app.register(async (administrators) => {
    administrators.addHook('onRequest', authenticate)
    administrators.addHook('onRequest', requireRole(['admin']))
    const authorized = { ...services, authorize: authorizeRoles(access, sessions, ['admin']) }
    apiKeys(administrators, db, company)
    secretSearch(administrators, db)
    users(administrators, db, company)
    companyItself(administrators, db, company)
    erasures(administrators, company)
    personalData(administrators, { ...company, db }, authorized.authorize)
    attention(administrators, db)
    webhookRoutes(administrators, services)
    await uploadRoutes(administrators, authorized)
    await administrators.register(async (log) => {
      refuseHalfBuilt(log, services.areReadModelsComplete)
      await log.register(fastifySSE)
      bulkUserLogs(log, services)
      logExports(log, authorized)
      bulkUserLogsStream(log, authorized)
      usage(log, services.reads)
    })
  })
}

/** How long a client may take to send headers and body, and to receive the answer. */
function connectionLimits({
  requestTimeoutMs,
  streamLimits: { heartbeatMs },
}: Pick<AppServices, 'requestTimeoutMs' | 'streamLimits'>) {
  const headersTimeout = Math.min(requestTimeoutMs, HEADERS_TIMEOUT_MS)
  return {
    requestTimeout: requestTimeoutMs,
    // Closes a connection that is idle in both directions. The limits below apply first and send an answer. A live
    // stream is never idle for longer than its heartbeat.
    connectionTimeout: Math.max(2 * requestTimeoutMs, STILL_HEARTBEATS * heartbeatMs),
    http: { requestTimeout: requestTimeoutMs, headersTimeout, connectionsCheckingInterval: headersTimeout / 4 },
  }
}

function sendNotFound(reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
  return sendRefusal(reply, problem('route_not_found', 'There is nothing at this address; /docs lists what there is'))
}

/** The client's request id if it sent a valid one, otherwise a new one. */
function requestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** Runs each request in a scope, so that its statements go to its company's machine once its credentials name one. */
function scopeRequests(app: FastifyInstance): void {
  const scopes = new WeakMap<object, CompanyScope>()
  app.addHook('onRequest', (request, _reply, next) => {
    const scope = { companyId: null }
    scopes.set(request, scope)
    runInScope(scope, next)
  })
  // The body may have been read in another asynchronous context.
  app.addHook('preValidation', (request, _reply, next) => runInScope(scopes.get(request)!, next))
}
