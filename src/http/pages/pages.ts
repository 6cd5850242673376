import type { PageServices } from './parts/page-services.ts'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { refuseHalfBuilt } from '../server/half-built.ts'
import { MERGE_PATCH_TYPES } from '../server/media-types.ts'
import { assertSameOrigin, findSessionUser, isFollowedLink } from '../access/session.ts'
import { accountPage } from './account/account-page.ts'
import { apiKeyPage } from './api-keys/api-key-page.ts'
import { apiKeysPage } from './api-keys/api-keys-page.ts'
import { bulkUserLogsPages } from './bulk-user-logs/list-page.ts'
import { companyPage } from './company/company-page.ts'
import { employeeErasure } from './employees/employee-erasure.ts'
import { employeePage } from './employees/employee-page.ts'
import { employeesPage } from './employees/employees-page.ts'
import { sendErrorPage, sendProblemPage } from './parts/error-page.ts'
import { eventPage } from './events/event-page.ts'
import { eventsPage } from './events/events-page.ts'
import { healthPage } from './company/health-page.ts'
import { invitationPage } from './account/invitation.ts'
import type { NavigationItem } from './parts/navigation.ts'
import { homeOf, NAVIGATION } from './parts/navigation.ts'
import { signInPages } from './account/sign-in.ts'
import { openSignInLimits } from './account/sign-in-limits.ts'
import { usagePage } from './usage/usage-page.ts'
import { userErasure } from './users/user-erasure.ts'
import { userPage } from './users/user-page.ts'
import { usersPage } from './users/users-page.ts'
import { requireItem, requireViewer } from './parts/viewer.ts'

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
    await part(
      NAVIGATION.apiKeys,
      (scope) => apiKeysPage(scope, services),
      (scope) => apiKeyPage(scope, services),
    )
    await part(NAVIGATION.usage, complete, (scope) => usagePage(scope, { db, reads }))
    await part(
      NAVIGATION.users,
      (scope) => usersPage(scope, services),
      (scope) => userPage(scope, services),
      (scope) => userErasure(scope, services),
    )
    await part(
      NAVIGATION.events,
      (scope) => eventsPage(scope, reads),
      (scope) => eventPage(scope, reads),
    )
    await part(
      NAVIGATION.employees,
      complete,
      (scope) => employeesPage(scope, reads),
      (scope) => employeePage(scope, reads),
    )
    await part({ ...NAVIGATION.employees, roles: ['admin'] }, (scope) => employeeErasure(scope, db, company))
    await part(NAVIGATION.health, (scope) => healthPage(scope, db, health))
    await part(NAVIGATION.company, (scope) => companyPage(scope, db, company))
    // Unknown pages below these are pages too.
    for (const path of ['/settings/*', '/account/*']) {
      signedIn.get(path, (request, reply) =>
        sendProblemPage(request, reply, problem('route_not_found', 'there is no page at this address')),
      )
    }
  })
}

/** Another site may lead to a page, and make a browser do nothing else with a session's cookie. */
async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  if (!isFollowedLink(request)) assertSameOrigin(request)
}
