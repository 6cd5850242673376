import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import cookie from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import { fastifySSE } from '@fastify/sse'
import Fastify, { LogController } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { CompanyServices } from '../accounts/users/change-company.ts'
import type { CommandServices } from '../calls/run-api-call.ts'
import { problem } from '../domain/errors.ts'
import type { FoundKey, KeyUsageCounter } from '../accounts/api-keys/key-access.ts'
import type { Reads } from '../ledger/read/reads.ts'
import type { CheckpointSigner } from '../ledger/audit/sign-checkpoint.ts'
import type { SystemHealth } from '../ledger/read/system-health.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import { bulkUserLogs } from './admin/bulk-user-logs.ts'
import { bulkUserLogsCsv } from './admin/bulk-user-logs-csv.ts'
import { bulkUserLogsStream } from './admin/bulk-user-logs-stream.ts'
import { companyRoutes } from './admin/company-routes.ts'
import { usage } from './admin/usage.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import { authenticateCaller } from './access/authenticate.ts'
import { authorizeAdmin } from './access/authorize-user.ts'
import type { BodyBudget } from './access/body-budget.ts'
import { endUnreadBodies } from './access/body-budget.ts'
import { SMALL_BODY } from './server/body-length.ts'
import { refuseHalfBuilt } from './server/half-built.ts'
import { limitHeavyReads } from './access/heavy-reads.ts'
import { health as healthRoutes } from './server/health.ts'
import type { StreamLimits } from './live/live-stream.ts'
import { openStreams } from './live/open-streams.ts'
import { acceptJsonBodies } from './server/media-types.ts'
import { collectMethods } from './server/method-not-allowed.ts'
import type { Answered } from './server/watch-answers.ts'
import { watchAnswers } from './server/watch-answers.ts'
import { documentRoutes } from './openapi/document-routes.ts'
import { pageAssets } from './pages/assets/assets.ts'
import { pages } from './pages/pages.ts'
import type { SignInSettings } from './pages/parts/page-services.ts'
import { problemPages } from './pages/reference/problems.ts'
import { referencePage } from './pages/reference/reference.ts'
import { sendProblem, sendProblemDocument } from './server/problem.ts'
import { compileSchema } from './server/schema-compiler.ts'
import { limitBursts, limitFailures } from './access/rate-limits.ts'
import type { SessionSettings } from './access/session.ts'
import { isSecure } from './access/session.ts'
import { answerUnreadable } from './server/unreadable-request.ts'
import type { BeginTrace } from './server/trace-requests.ts'
import { traceRequests } from './server/trace-requests.ts'
import { listEmployeesRoute } from './v1/list-employees.ts'
import { readEmployees } from './v1/read-employees.ts'
import { verifyKey } from './v1/verify-key.ts'
import { writeEmployees } from './v1/write-employees.ts'

export interface AppServices {
  commands: CommandServices
  company: CompanyServices
  db: Kysely<LedgerTables>
  /** The primary on connections of its own, which no long read takes: sessions, tokens, signing in, and what streams watch. */
  access: Kysely<LedgerTables>
  /** What the admin and audit endpoints and the pages read of the ledger and its projections. */
  reads: Reads
  findKey(apiId: string): Promise<FoundKey | null>
  keyUsage: KeyUsageCounter
  signer: CheckpointSigner
  isReady(): Promise<boolean>
  /** Whether all read models have been filled once; a new version of one has not at first. */
  areReadModelsComplete(): Promise<boolean>
  health: SystemHealth
  log: Logger
  /** Told of each answer once it is sent. */
  onAnswered?(answered: Answered): void
  /** Begins the trace of each request; undefined: none is traced. */
  beginTrace?: BeginTrace | undefined
  /** Addresses, with commas between, of the proxies in front whose `X-Forwarded-*` headers are believed; null: none. */
  trustProxy: string | null
  /** Bytes that the body of a writing call may have. */
  bodyLimit: number
  bodyBudget: BodyBudget
  /** Milliseconds to receive a request. */
  requestTimeoutMs: number
  /** Calls of one API key in a second; 0 is no limit. */
  burstLimit: number
  /** Failures of one address to prove who it is, in a minute; 0 is no limit. */
  failureLimit: number
  /** Searches and exports of one company at once. */
  heavyReads: number
  streamLimits: StreamLimits
  sessions: SessionSettings
  signInLimits: SignInSettings
}

/** An id in a path may be any text; what is too long for a header line does not get here. */
const MAX_PARAM_LENGTH = 16_384
/** A year of nothing but https (RFC 6797), once browsers have reached the service by it. */
const HSTS = 'max-age=31536000'
/** Headers are small; who takes longer keeps a connection for the sake of it. */
const HEADERS_TIMEOUT_MS = 20_000
const STILL_HEARTBEATS = 3
const ADDRESSES_REMEMBERED = 10_000
/** An answer that somebody opens in a browser is no page, whatever it holds. Pages replace the policy by their own. */
const SAFE_BY_ITSELF = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
}
const PERSONAL = /^\/(?:v1|admin|audit)\//
/** It is kept with the call for ever, so it must not be able to hold an e-mail address. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Builds the HTTP server with all its routes; tests use this very function. */
export function buildApp(services: AppServices): FastifyInstance {
  /** What every answer has. Also one to an address that cannot be decoded, for which no hook runs. */
  const withCommonHeaders = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (isSecure(services.sessions)) void reply.header('strict-transport-security', HSTS)
    // No header that caches know protects what an API key or a token has opened.
    if (PERSONAL.test(request.url)) void reply.header('cache-control', 'no-store')
    return reply.headers({ 'x-request-id': request.id, ...SAFE_BY_ITSELF })
  }
  const app = Fastify({
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: SMALL_BODY,
    ...connectionLimits(services),
    trustProxy: services.trustProxy ?? false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    genReqId: requestId,
    // What still arrives on an open connection while the process ends is served, as the last request on it.
    return503OnClosing: false,
    // A path that cannot be decoded names no route.
    frameworkErrors: (_error, request, reply) => void notFound(request, withCommonHeaders(request, reply)),
    clientErrorHandler: answerUnreadable,
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as FastifyInstance

  app.setValidatorCompiler(compileSchema)
  acceptJsonBodies(app)
  app.decorateRequest('arrivedAt', 0)
  app.decorateRequest('caller', null)
  app.decorateRequest('charged', null)
  app.decorateRequest('user', null)
  app.decorateRequest('viewer', null)
  traceRequests(app, services.beginTrace)
  app.addHook('onRequest', async (request, reply) => {
    request.arrivedAt = performance.now()
    withCommonHeaders(request, reply)
    // Before a body is read: nobody has proved anything yet.
    if (request.is404) return notFound(request, reply)
  })
  watchAnswers(app, services.onAnswered)
  endUnreadBodies(app, services.bodyLimit)
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error))
  app.setNotFoundHandler(notFound)
  const answerOtherMethods = collectMethods(app)
  documentRoutes(app)

  void app.register(cookie)
  limitHeavyReads(app, services.heavyReads)
  const { db, access, reads, failureLimit, sessions, signer, streamLimits: limits } = services
  const streams = openStreams(app, limits.perUser)
  void app.register(rateLimit, { global: false, cache: ADDRESSES_REMEMBERED })
  healthRoutes(app, async () => (await services.isReady()) && services.areReadModelsComplete())
  pageAssets(app)
  problemPages(app)
  referencePage(app)
  void app.register(
    async (v1) => {
      v1.addHook('onRequest', limitFailures(v1, services.failureLimit, authenticateCaller(services.findKey)))
      v1.addHook('onRequest', limitBursts(v1, services.burstLimit))
      await v1.register((writing) => writeEmployees(writing, services))
      readEmployees(v1, services)
      await v1.register(async (reading) => {
        refuseHalfBuilt(reading, services.areReadModelsComplete)
        listEmployeesRoute(reading, services)
      })
      verifyKey(v1, services.keyUsage)
    },
    { prefix: '/v1' },
  )
  void app.register(
    async (admin) => {
      const authorize = authorizeAdmin(access, sessions)
      admin.addHook('onRequest', limitFailures(admin, failureLimit, authorize))
      refuseHalfBuilt(admin, services.areReadModelsComplete)
      await admin.register(fastifySSE)
      bulkUserLogs(admin, reads)
      bulkUserLogsCsv(admin, { reads, authorize })
      bulkUserLogsStream(admin, { access, reads, limits, streams, authorize })
      usage(admin, reads)
    },
    { prefix: '/admin/v1' },
  )
  void app.register((admin) => companyRoutes(admin, services), { prefix: '/admin/v1' })
  void app.register(
    (routes) => auditRoutes(routes, { db, access, reads, limits, streams, failureLimit, sessions, signer }),
    { prefix: '/audit/v1' },
  )
  void app.register((interfacePages) => pages(interfacePages, services))
  void app.after(answerOtherMethods)
  return app
}

/** How long a connection may keep somebody waiting: with its headers, with its body, and with taking what it is sent. */
function connectionLimits({
  requestTimeoutMs,
  streamLimits: { heartbeatMs },
}: Pick<AppServices, 'requestTimeoutMs' | 'streamLimits'>) {
  const headersTimeout = Math.min(requestTimeoutMs, HEADERS_TIMEOUT_MS)
  return {
    requestTimeout: requestTimeoutMs,
    // A connection on which nothing moves in either direction; the limits below come first, and answer. A live stream
    // moves with every heartbeat.
    connectionTimeout: Math.max(2 * requestTimeoutMs, STILL_HEARTBEATS * heartbeatMs),
    http: { requestTimeout: requestTimeoutMs, headersTimeout, connectionsCheckingInterval: headersTimeout / 4 },
  }
}

function notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblemDocument(request, reply, problem('route_not_found', 'No such route exists'))
}

/** The client's own request id, if it sent a valid one; else a new one. */
function requestId(request: IncomingMessage): string {
  const sent = request.headers['x-request-id']
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID()
}
