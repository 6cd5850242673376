import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readProvider, type StoredProvider } from '../../accounts/providers/read-provider.ts'
import { isId } from '../../domain/ids.ts'
import { findSessionUser } from '../../http/access/session.ts'
import { buildUrl, companyPath, readOwnPath } from '../../wording/addresses.ts'
import { readFormFields } from '../parts/form.ts'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'
import { findHome } from '../../wording/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { findOperatorSettings } from '../providers/provider-facts.ts'
import { sendFailure } from './failure-page.ts'

export interface CompanyRoute {
  Params: { company: string }
}

/** Where a password of any company counts: the person may have been led to this one by mistake. */
const PASSWORD_PATH = '/sign-in?with=password'

/** `/sign-in/{company}`: leads to the company's provider. Its link is what administrators share. */
export function addCompanyPage(app: FastifyInstance, services: PageServices): void {
  const { access, sessions } = services
  app.get<CompanyRoute>('/sign-in/:company', async (request, reply) => {
    const next = readOwnPath(readFormFields(request.query)['next'])
    const provider = await findProvider(services, request)
    if (!provider || provider.use.use === 'off') return sendNoProvider(reply)
    const user = await findSessionUser(access, request, sessions, 'touch')
    if (user?.companyId === provider.companyId) return reply.redirect(next || findHome(user.role), 303)
    return sendCompanyPage(services, reply, provider, next)
  })
}

/** Finds the provider of the company in the path, in use or not. */
export async function findProvider(
  { providers }: Pick<PageServices, 'providers'>,
  { params }: FastifyRequest<CompanyRoute>,
): Promise<StoredProvider | null> {
  return isId('com', params.company) ? readProvider(providers.pool, params.company) : null
}

/** Answers for a company without a provider, and for one that does not exist. */
export function sendNoProvider(reply: FastifyReply): Promise<FastifyReply> {
  return sendCardPage(reply.code(404), {
    title: 'No such sign-in page',
    body: html`<p>There is no company with an identity provider at this address.</p>
      <p><a class="button primary" href="/sign-in">Sign in</a></p>`,
  })
}

function sendCompanyPage(
  services: PageServices,
  reply: FastifyReply,
  provider: StoredProvider,
  next: string,
): Promise<FastifyReply> {
  const { companyId, settings, use } = provider
  if (findOperatorSettings(services, companyId).missing)
    return sendFailure(reply, { companyId, provider, reason: 'not_ready' })
  // Nothing here says which company it is, or who may use a password.
  const usePassword = html`<a href="${PASSWORD_PATH}">use a password</a>`
  const others =
    use.use === 'required'
      ? html`Only the break-glass administrator can ${usePassword}.`
      : html`Or ${usePassword}, if you have one.`
  return sendCardPage(reply, {
    title: 'Sign in',
    body: html`<p>Your company signs in with <bdi>${settings.name}</bdi>.</p>
      <p class="actions">
        <a class="button primary" href="${buildUrl(`${companyPath(companyId)}/start`, { next })}">
          Continue to <bdi>${settings.name}</bdi></a
        >
      </p>
      <p class="hint">You sign in at <bdi>${new URL(settings.issuer).host}</bdi>.</p>
      <p class="hint">${others}</p>`,
  })
}
