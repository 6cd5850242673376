import { type PageServices, requireItem, requireViewer, showAttention, SignInNeededError } from './parts/context.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import { acceptForms } from '#http/server/form-body'
import { refuseHalfBuilt } from '#http/server/preconditions'
import { assertSameOrigin, findSessionUser, isFollowedLink, type SessionSettings } from '#http/access/session'
import { addAccountPage } from '#pages/account/account-page'
import { addApiKeyPage } from './api-keys/api-key-page.ts'
import { addApiKeysPage } from '#pages/api-keys/api-keys-page'
import { addSnoozePages } from './snoozes/snooze-pages.ts'
import { addBulkUserLogsPages } from './bulk-user-logs/list-page.ts'
import { addCompanyPage } from './company/company-page.ts'
import { addEmployeePage } from './employees/employee-page.ts'
import { addEmployeeEdit } from './employees/employee-edit.ts'
import { addEmployeeErasure, addEmployeeReport } from './employees/personal-data.ts'
import { addEmployeesPage } from './employees/employees-page.ts'
import { sendErrorPage, sendProblemPage } from './parts/error-page.ts'
import { addEventPage, addEventsPage } from './events/events-page.ts'
import { addEvidencePage } from './evidence/evidence-page.ts'
import { addLedgerPage } from './ledger/ledger-page.ts'
import { addHealthPage } from './company/health-page.ts'
import { findHome, NAVIGATION, type NavigationItem } from '#wording/navigation'
import { askToSignIn } from './sign-in/sign-in-form.ts'
import { addSearchPage } from './search/search-page.ts'
import { addSignInPages } from './sign-in/sign-in-pages.ts'
import { addUsagePage } from './usage/usage-page.ts'
import { addUserPage } from './users/user-page.ts'
import { addUsersPage } from './users/users-page.ts'
import { addDeliveryPages } from './webhooks/deliveries-page.ts'
import { addWebhookPage } from './webhooks/webhook-page.ts'
import { addWebhooksPage } from './webhooks/webhooks-page.ts'
import { addProviderPage, addProviderSetup } from '#pages/providers/provider-page'
import { showKeptForm } from './parts/kept-form.ts'

/** Largest form, in bytes. */
const FORM_LIMIT = 65_536

type AddPages = (scope: FastifyInstance, services: PageServices) => void

/** The pages of each item of Company Settings. */
const SECTIONS: [item: NavigationItem, ...routes: AddPages[]][] = [
  [NAVIGATION.bulkUserLogs, requireReadModels, addBulkUserLogsPages],
  [NAVIGATION.bulkUserLogs, addSnoozePages],
  [NAVIGATION.apiKeys, addApiKeysPage, addApiKeyPage],
  [NAVIGATION.webhooks, addWebhooksPage, addWebhookPage, addDeliveryPages],
  [NAVIGATION.usage, requireReadModels, addUsagePage],
  [NAVIGATION.users, addUsersPage, addUserPage],
  [NAVIGATION.signIn, addProviderPage, addProviderSetup],
  [NAVIGATION.events, addEventsPage, addEventPage],
  [NAVIGATION.employees, requireReadModels, addEmployeesPage, addEmployeePage],
  [{ ...NAVIGATION.employees, roles: ['admin'] }, addEmployeeEdit, addEmployeeErasure, addEmployeeReport],
  [NAVIGATION.ledger, addLedgerPage, addEvidencePage],
  [NAVIGATION.health, addHealthPage],
  [NAVIGATION.company, addCompanyPage],
]

/** Refuses the pages of a scope until the read models are filled. */
function requireReadModels(scope: FastifyInstance, { areReadModelsComplete }: PageServices) {
  refuseHalfBuilt(scope, areReadModelsComplete)
}

/** The admin interface: sign-in, Company Settings, account. Server-rendered; works without scripts. */
export async function pages(app: FastifyInstance, services: PageServices) {
  const { access, reads, sessions } = services
  // Pages accept forms only: JSON bodies could contain values that are not texts.
  app.removeAllContentTypeParsers()
  acceptForms(app, FORM_LIMIT)
  app.addHook('onRequest', refuseOtherSites(sessions))
  const shown = new Set<string>()
  app.setErrorHandler((error, _request, reply) =>
    error instanceof SignInNeededError ? askToSignIn(reply, services, shown) : sendErrorPage(reply, error),
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
    for (const [item, ...routes] of SECTIONS)
      await signedIn.register(async (scope) => {
        scope.addHook('preValidation', requireItem(item))
        for (const add of routes) add(scope, services)
      })
    addUnknownPages(signedIn)
  })
}

/** Answers unknown paths with a page. */
function addUnknownPages(app: FastifyInstance) {
  for (const path of ['/settings/*', '/account/*']) {
    app.get(path, (_request, reply) =>
      sendProblemPage(reply, problem('route_not_found', 'There is no page at this address')),
    )
  }
}

/** Lets other sites link to pages; refuses every other request that they cause. */
function refuseOtherSites(sessions: SessionSettings) {
  return async (request: FastifyRequest) => {
    if (!isFollowedLink(request)) assertSameOrigin(request, sessions)
  }
}
