import type { PageServices } from './parts/page-services.ts'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { refuseHalfBuilt } from '../server/half-built.ts'
import { MERGE_PATCH_TYPES } from '../server/media-types.ts'
import { assertSameOrigin, findSessionUser, isFollowedLink, type SessionSettings } from '../access/session.ts'
import { addAccountPage } from './account/account-page.ts'
import { addApiKeyPage } from './api-keys/api-key-page.ts'
import { addApiKeysPage } from './api-keys/api-keys-page.ts'
import { addSnoozePages } from './attention/snooze-pages.ts'
import { addBulkUserLogsPages } from './bulk-user-logs/list-page.ts'
import { addCompanyPage } from './company/company-page.ts'
import { addEmployeePage } from './employees/employee-page.ts'
import { addEmployeeErasure } from './employees/employee-erasure.ts'
import { addEmployeeReport } from './employees/employee-report.ts'
import { addEmployeesPage } from './employees/employees-page.ts'
import { sendErrorPage, sendProblemPage } from './parts/error-page.ts'
import { addEventPage } from './events/event-page.ts'
import { addEventsPage } from './events/events-page.ts'
import { createVerifications, type Verifications } from '../../ledger/audit/verifications.ts'
import { addEvidencePage } from './evidence/evidence-page.ts'
import { addLedgerPage } from './ledger/ledger-page.ts'
import { addHealthPage } from './company/health-page.ts'
import { findHome, NAVIGATION, type NavigationItem } from './parts/navigation.ts'
import { askToSignIn } from './sign-in/sign-in-form.ts'
import { addSearchPage } from './search/search-page.ts'
import { addSignInPages } from './sign-in/sign-in-pages.ts'
import { addUsagePage } from './usage/usage-page.ts'
import { addUserPage } from './users/user-page.ts'
import { addUsersPage } from './users/users-page.ts'
import { addDeliveryPages } from './webhooks/deliveries-page.ts'
import { addWebhookPage } from './webhooks/webhook-page.ts'
import { addWebhooksPage } from './webhooks/webhooks-page.ts'
import { addProviderPage } from './providers/provider-page.ts'
import { addProviderSetup } from './providers/provider-setup.ts'
import { showKeptForm } from './parts/kept-form.ts'
import { requireItem, requireViewer, showAttention, SignInNeededError } from './parts/viewer.ts'

/** Largest form, in bytes. */
const FORM_LIMIT = 65_536

/** The admin interface: sign-in, Company Settings, account. Server-rendered; works without scripts. */
export async function pages(app: FastifyInstance, services: PageServices): Promise<void> {
  const { db, access, reads, sessions, signer } = services
  // Pages accept forms only: JSON bodies could contain values that are not texts.
  app.removeContentTypeParser([...MERGE_PATCH_TYPES])
  await app.register(formbody, { bodyLimit: FORM_LIMIT })
  app.addHook('onRequest', refuseOtherSites(sessions))
  const shown = new Set<string>()
  app.setErrorHandler((error, request, reply) =>
    error instanceof SignInNeededError ? askToSignIn(request, reply, services, shown) : sendErrorPage(reply, error),
  )
  app.get('/', async (request, reply) => {
    const user = await findSessionUser(access, request, sessions, 'touch')
    return reply.redirect(user ? findHome(user.role) : '/sign-in', 303)
  })
  addSignInPages(app, services)
  await app.register(async (signedIn) => {
    signedIn.addHook('onRoute', ({ method, url }) => {
      if ([method].flat().includes('GET')) shown.add(url)
    })
    // After the body is read: a form that was sent without a session is shown again after signing in.
    signedIn.addHook('preValidation', requireViewer(access, sessions))
    signedIn.addHook('preValidation', showAttention(reads))
    signedIn.addHook('preHandler', showKeptForm)
    signedIn.get('/settings', async (request, reply) => reply.redirect(findHome(request.viewer!.role), 303))
    addAccountPage(signedIn, services)
    addSearchPage(signedIn, services)
    const addSection = (
      item: NavigationItem,
      ...routes: ((scope: FastifyInstance, services: PageServices) => void)[]
    ) =>
      signedIn.register(async (scope) => {
        scope.addHook('preValidation', requireItem(item))
        for (const add of routes) add(scope, services)
      })
    const complete = (scope: FastifyInstance) => refuseHalfBuilt(scope, services.areReadModelsComplete)
    const verifications = openVerifications(app, services)
    await addSection(NAVIGATION.bulkUserLogs, complete, addBulkUserLogsPages)
    await addSection(NAVIGATION.bulkUserLogs, addSnoozePages)
    await addSection(NAVIGATION.apiKeys, addApiKeysPage, addApiKeyPage)
    await addSection(NAVIGATION.webhooks, addWebhooksPage, addWebhookPage, addDeliveryPages)
    await addSection(NAVIGATION.usage, complete, addUsagePage)
    await addSection(NAVIGATION.users, addUsersPage, addUserPage)
    await addSection(NAVIGATION.signIn, addProviderPage, addProviderSetup)
    await addSection(NAVIGATION.events, addEventsPage, addEventPage)
    await addSection(NAVIGATION.employees, complete, addEmployeesPage, addEmployeePage)
    await addSection({ ...NAVIGATION.employees, roles: ['admin'] }, addEmployeeErasure, addEmployeeReport)
    await addSection(NAVIGATION.ledger, (scope) => addLedgerPage(scope, { db, signer, verifications }), addEvidencePage)
    await addSection(NAVIGATION.health, addHealthPage)
    await addSection(NAVIGATION.company, addCompanyPage)
    addUnknownPages(signedIn)
  })
}

/** Opens the verifications of ledgers that run in this process while it serves pages. */
function openVerifications(app: FastifyInstance, { db, signer }: PageServices): Verifications {
  const verifications = createVerifications({
    db,
    signer,
    onError: (error) => app.log.error({ err: error }, 'could not verify a ledger'),
  })
  app.addHook('onClose', () => verifications.stop())
  return verifications
}

/** Answers unknown paths with a page. */
function addUnknownPages(app: FastifyInstance): void {
  for (const path of ['/settings/*', '/account/*']) {
    app.get(path, (_, reply) => sendProblemPage(reply, problem('route_not_found', 'There is no page at this address')))
  }
}

/** Lets other sites link to pages; refuses every other request that they cause. */
function refuseOtherSites(sessions: SessionSettings) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!isFollowedLink(request)) assertSameOrigin(request, sessions)
  }
}
