import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { NO_PROVIDER } from '../../../accounts/providers/change-provider.ts'
import { readProvider, type StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { unlinkIdentity } from '../../../accounts/sign-in/link-identity.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { findSessionUser } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import { companyPath } from '../parts/addresses.ts'
import {
  type FormProblem,
  readFormFields,
  readSeenVersion,
  renderFormAlert,
  renderSeenVersion,
  toFormProblem,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { keepAuthorizationRequest, createAuthorizationRequests } from '../sign-in/authorization-request.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { requireOwnUser } from './own-user.ts'

const PATH = `${ACCOUNT_PATH}/provider`

/** `/account/provider`: links the user to an account at the company's identity provider, or unlinks them. */
export function addAccountProvider(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const { access, company, sessions } = services
  const authorizationRequests = createAuthorizationRequests(services.providers.secrets, sessions)
  app.get(PATH, (request, reply) => sendProviderPage(services, request, reply, null))

  app.post(`${PATH}/link`, async (request, reply) => {
    const provider = await requireUsedProvider(services, request)
    const { companyId, userId, email } = getViewer(request)
    try {
      await requireProof(services, limits, request, reply)
    } catch (error) {
      return sendProviderPage(services, request, reply, toFormProblem(error))
    }
    const purpose = { to: 'link', userId, linkHash: null } as const
    keepAuthorizationRequest(authorizationRequests, reply, {
      companyId,
      email,
      purpose,
      flow: null,
      next: '',
      kept: null,
    })
    // A page with a link: the policy of our pages lets no form lead to another site, not even by a redirect.
    const { name } = provider.settings
    return sendUserPage(request, reply, getViewer(request), {
      title: `Link to ${name}`,
      body: html`<h1>Link to <bdi>${name}</bdi></h1>
        <p>Sign in there with your own account. From then on, it signs you in here as <bdi>${email}</bdi>.</p>
        <p class="actions">
          <a class="button primary" href="${companyPath(companyId)}/start?link=1">Continue to <bdi>${name}</bdi></a>
          <a class="button" href="${ACCOUNT_PATH}">Cancel</a>
        </p>`,
    })
  })

  app.post(`${PATH}/unlink`, async (request, reply) => {
    const { userId } = getViewer(request)
    try {
      await requireProof(services, limits, request, reply)
      await unlinkIdentity(company, getActing(request), userId, readSeenVersion(readFormFields(request.body)))
    } catch (error) {
      return sendProviderPage(services, request, reply, toFormProblem(error))
    }
    // The session has ended if it began at the provider.
    const isIn = await findSessionUser(access, request, sessions, 'peek')
    return reply.redirect(isIn ? `${ACCOUNT_PATH}?done=unlinked` : '/sign-in', 303)
  })
}

/** Renders how the user signs in through the company's provider; nothing if it has none in use. */
export async function renderProviderLink(services: PageServices, user: UserRecord, companyId: string): Promise<Html> {
  const provider = await findUsedProvider(services, companyId)
  if (!provider) return html``
  const { name } = provider.settings
  return html`<h2><bdi>${name}</bdi></h2>
    ${
      isLinked(user, provider)
        ? html`<p>You sign in with the account <code>${user.identity?.subject}</code> at <bdi>${name}</bdi>.</p>
            <p><a class="button" href="${PATH}">Unlink…</a></p>`
        : html`<p>You are not linked to an account at <bdi>${name}</bdi> yet.</p>
            <p><a class="button" href="${PATH}">Link…</a></p>`
    }`
}

async function findUsedProvider({ providers }: PageServices, companyId: string): Promise<StoredProvider | null> {
  const provider = await readProvider(providers.pool, companyId)
  return provider?.use.use === 'off' ? null : provider
}

async function requireUsedProvider(services: PageServices, request: FastifyRequest): Promise<StoredProvider> {
  const provider = await findUsedProvider(services, getViewer(request).companyId)
  if (!provider) throw new ProblemError(NO_PROVIDER)
  return provider
}

function isLinked({ identity }: UserRecord, { settings }: StoredProvider): boolean {
  return identity?.issuer === settings.issuer
}

async function sendProviderPage(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: FormProblem,
): Promise<FastifyReply> {
  const provider = await requireUsedProvider(services, request)
  const user = await requireOwnUser(services, request)
  const { name } = provider.settings
  const verb = isLinked(user, provider) ? 'Unlink' : 'Link'
  if (refusal) void reply.code(refusal.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: verb === 'Link' ? `Link to ${name}` : `Unlink from ${name}`,
    body: html`<h1>${verb} ${verb === 'Link' ? 'to' : 'from'} <bdi>${name}</bdi>?</h1>
      ${renderFormAlert(refusal)}
      <p>
        ${verb === 'Link' ? html`You sign in there next. From then on, that account signs you in here.` : html`You can't sign in with <bdi>${name}</bdi> then, and your sessions that began there end. You need a password or a passkey.`}
      </p>
      <form method="post" action="${PATH}/${verb.toLowerCase()}" class="stack">
        ${renderSeenVersion(user.version)} ${await renderProof(services, request, { next: PATH, problem: refusal })}
        <div class="actions">
          <button class="${verb === 'Link' ? 'primary' : 'danger'}">${verb}</button>
          <a class="button" href="${ACCOUNT_PATH}">Cancel</a>
        </div>
      </form>`,
  })
}
