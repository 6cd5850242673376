import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CompanyServices } from '../../commands/change-company.ts'
import { problem } from '../../domain/errors.ts'
import type { Reads } from '../../ledger/reads.ts'
import type { SystemHealth } from '../../ledger/system-health.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { refuseHalfBuilt } from '../half-built.ts'
import { MERGE_PATCH_TYPES } from '../media-types.ts'
import type { SessionSettings } from '../session.ts'
import { assertSameOrigin, findSessionUser, isFollowedLink } from '../session.ts'
import { accountPage } from './account-page.ts'
import { apiKeyPage } from './api-key-page.ts'
import { apiKeysPage } from './api-keys-page.ts'
import { bulkUserLogsPages } from './bulk-user-logs-pages.ts'
import { companyPage } from './company-page.ts'
import { employeeErasure } from './employee-erasure.ts'
import { employeePage } from './employee-page.ts'
import { employeesPage } from './employees-page.ts'
import { sendErrorPage, sendProblemPage } from './error-page.ts'
import { eventPage } from './event-page.ts'
import { eventsPage } from './events-page.ts'
import { healthPage } from './health-page.ts'
import { invitationPage } from './invitation.ts'
import type { NavigationItem } from './navigation.ts'
import { homeOf, NAVIGATION } from './navigation.ts'
import { signInPages } from './sign-in.ts'
import type { SignInSettings } from './sign-in-limits.ts'
import { openSignInLimits } from './sign-in-limits.ts'
import { usagePage } from './usage-page.ts'
import { userErasure } from './user-erasure.ts'
import { userPage } from './user-page.ts'
import { usersPage } from './users-page.ts'
import { requireItem, requireViewer } from './viewer.ts'

export interface PageServices {
  db: LedgerDb
  /** The primary on connections that no long read takes: for sessions. */
  access: LedgerDb
  /** What the pages show of the ledger and its projections. */
  reads: Reads
  company: CompanyServices
  health: SystemHealth
  sessions: SessionSettings
  /** Whether what the pages read has been filled. */
  areReadModelsComplete(): Promise<boolean>
  /** Failures of one address to prove who it is, in a minute; 0 is no limit. */
  failureLimit: number
  signInLimits: SignInSettings
}

/** Bytes that a form may have. */
const FORM_LIMIT = 65_536

/** The admin interface: signing in, Company Settings, one's own account. Server-rendered; works without script. */
export async function pages(app: FastifyInstance, services: PageServices): Promise<void> {
  const { db, access, reads, company, health, sessions, failureLimit, signInLimits } = services
  // Browsers send forms. What else the server can read would bring values that are no texts.
  app.removeContentTypeParser([...MERGE_PATCH_TYPES])
  await app.register(formbody, { bodyLimit: FORM_LIMIT })
  app.addHook('onRequest', refuseOtherSites)
  app.setErrorHandler((error, request, reply) => sendErrorPage(request, reply, error))
  app.get('/', async (request, reply) => {
    const user = await findSessionUser(access, request, sessions, true)
    return reply.redirect(user ? homeOf(user.role) : '/sign-in', 303)
  })
  const limits = openSignInLimits(signInLimits)
  signInPages(app, { access, sessions }, limits)
  invitationPage(app, company, failureLimit)
  await app.register(async (signedIn) => {
    signedIn.addHook('onRequest', requireViewer(access, sessions))
    signedIn.get('/settings', async (request, reply) => reply.redirect(homeOf(request.viewer!.role), 303))
    accountPage(signedIn, services, limits)
    const part = (item: NavigationItem, ...routes: ((scope: FastifyInstance) => void)[]) =>
      signedIn.register(async (scope) => {
        scope.addHook('onRequest', requireItem(item))
        for (const add of routes) add(scope)
      })
    const complete = (scope: FastifyInstance) => refuseHalfBuilt(scope, services.areReadModelsComplete)
    await part(NAVIGATION.bulkUserLogs, complete, (scope) => bulkUserLogsPages(scope, { db, reads, sessions }))
    await part(NAVIGATION.apiKeys, (scope) => apiKeysPage(scope, services), (scope) => apiKeyPage(scope, services))
    await part(NAVIGATION.usage, complete, (scope) => usagePage(scope, { db, reads }))
    await part(NAVIGATION.users, (scope) => usersPage(scope, services), (scope) => userPage(scope, services), (scope) => userErasure(scope, services))
    await part(NAVIGATION.events, (scope) => eventsPage(scope, reads), (scope) => eventPage(scope, reads))
    await part(NAVIGATION.employees, complete, (scope) => employeesPage(scope, reads), (scope) => employeePage(scope, reads))
    await part({ ...NAVIGATION.employees, roles: ['admin'] }, (scope) => employeeErasure(scope, db, company))
    await part(NAVIGATION.health, (scope) => healthPage(scope, db, health))
    await part(NAVIGATION.company, (scope) => companyPage(scope, db, company))
    // Unknown pages below these are pages too.
    for (const path of ['/settings/*', '/account/*']) {
      signedIn.get(path, (request, reply) => sendProblemPage(request, reply, problem('route_not_found', 'there is no page at this address')))
    }
  })
}

/** Another site may lead to a page, and make a browser do nothing else with a session's cookie. */
async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (!isFollowedLink(request)) assertSameOrigin(request)
}
