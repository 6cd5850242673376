import { fastifySSE } from '@fastify/sse'
import type { FastifyInstance } from 'fastify'
import type { FoundKey, KeyName } from '#accounts/api-keys/key-access'
import type { TurnedAwayCalls } from '#accounts/api-keys/turned-away-calls'
import type { CompanyServices } from '#accounts/change-company'
import type { Budget } from '#admission/budget'
import { authenticateCaller, unlessOpen } from '#http/access/authenticate'
import { allowScope, authenticateUser, authorizeRoles, requireRole } from '#http/access/authorize-user'
import { limitBursts, limitFailures } from '#http/access/rate-limits'
import type { SignInLimits } from '#http/access/sign-in-limits'
import type { KeyProtocol, KeyServices } from '#http/calls/writing-call'
import { type StreamLimits, createOpenStreams, type OpenStreams } from '#http/live/live-stream'
import { refuseHalfBuilt, refuseFailedConditions } from '#http/server/preconditions'
import { PROBLEM_DOCUMENTS, type Protocol } from '#http/server/problem'
import type { RequireLogEntry } from '#log/log-entries'
import type { UploadRouteServices } from '#uploads/store-file'
import { apiKeys } from './admin/api-keys.ts'
import { attention } from './admin/attention.ts'
import { bulkUserLogs, bulkUserLogsStream } from './admin/bulk-user-logs.ts'
import { company as companyItself } from './admin/company.ts'
import { erasures, personalData } from './admin/personal-data.ts'
import { invitations, users, userTokens } from './admin/users.ts'
import { logExports, employeeExports } from './admin/exports.ts'
import { refusals } from './admin/refusals.ts'
import { secretSearch } from './admin/secret-search.ts'
import { undoRoute } from './admin/undo.ts'
import { uploadRoutes } from './admin/uploads/upload-routes.ts'
import { peopleByDay, usage } from './admin/usage.ts'
import type { WebhookRouteServices } from './admin/webhooks/webhook-schemas.ts'
import { webhookRoutes } from './admin/webhooks/webhooks.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import type { AuditRouteServices } from './audit/audit-services.ts'
import { scim } from './scim/scim.ts'
import { publicApi } from './v1/public-api.ts'

/** What the routes of the API need. */
export interface ApiServices
  extends KeyServices, WebhookRouteServices, Omit<AuditRouteServices, 'limits' | 'streams' | 'company'> {
  access: KeyServices['access']
  reads: KeyServices['reads']
  findKey(name: KeyName): Promise<FoundKey | null>
  turnedAway: TurnedAwayCalls
  company: CompanyServices
  /** Uploading files, whose parts become calls. */
  uploads: UploadRouteServices
  /** Bytes of files that are being received. */
  fileBudget: Budget
  requireLogEntry: RequireLogEntry
  signIns: SignInLimits
  /** Calls per second and API key; 0 is no limit. */
  burstLimit: number
  streamLimits: StreamLimits
}

/** The protocols in which API keys make calls. */
export const KEY_PROTOCOLS: readonly KeyProtocol[] = [publicApi, scim]

/** The protocols of all parts of the API. */
export function listProtocols(ofKeys: readonly KeyProtocol[]): readonly Protocol[] {
  return [...ofKeys, ...['/admin', '/audit'].map((prefix) => ({ ...PROBLEM_DOCUMENTS, prefix }))]
}

/** Adds all routes of the API. */
export function addApiRoutes(app: FastifyInstance, ofKeys: readonly KeyProtocol[], services: ApiServices): void {
  const { streamLimits: limits } = services
  const ofUsers = { ...services, limits, streams: createOpenStreams(app, limits) }
  for (const protocol of ofKeys) {
    void app.register((part) => keyRoutes(part, protocol, services), { prefix: protocol.prefix })
  }
  void app.register((admin) => adminRoutes(admin, ofUsers), { prefix: '/admin/v1' })
  void app.register((audit) => auditRoutes(audit, ofUsers), { prefix: '/audit/v1' })
}

/** Adds the routes of API keys in a protocol. */
async function keyRoutes(app: FastifyInstance, protocol: KeyProtocol, services: ApiServices) {
  const authenticate = authenticateCaller(services, protocol.readCredentials)
  app.addHook('onRequest', unlessOpen(limitFailures(services.failureLimit, authenticate)))
  app.addHook('onRequest', unlessOpen(limitBursts(services.burstLimit)))
  await protocol.addRoutes(app, services)
}

/**
 * Adds the routes for invitations (anyone with a one-time token), tokens (every user), and everything else
 * (administrators). Each group checks its own credentials before it reads a body.
 */
async function adminRoutes(
  app: FastifyInstance,
  services: ApiServices & { limits: StreamLimits; streams: OpenStreams },
) {
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
    await administrators.register(async (files) => {
      allowScope(files, 'uploads:write')
      await uploadRoutes(files, authorized)
    })
    await administrators.register(async (readModels) => {
      refuseHalfBuilt(readModels, services.areReadModelsComplete)
      undoRoute(readModels, services)
      await readModels.register(async (people) => {
        allowScope(people, 'people:read')
        employeeExports(people, authorized)
        peopleByDay(people, services.reads)
      })
      await readModels.register(async (log) => {
        allowScope(log, 'logs:read')
        await log.register(fastifySSE)
        bulkUserLogs(log, services)
        logExports(log, authorized)
        refusals(log, authorized)
        bulkUserLogsStream(log, authorized)
        usage(log, services.reads)
      })
    })
  })
}
