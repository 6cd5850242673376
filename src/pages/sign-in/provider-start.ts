import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify'
import { type StoredProvider, readProvider } from '#accounts/providers/read-provider'
import { ADMIN_ONLY } from '#domain/errors'
import { findSessionUser } from '#http/access/session'
import { ProblemError } from '#http/server/problem'
import { buildUrl, companyPath, readOwnPath, findHome } from '#wording/navigation'
import { readFormFields } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { SignInNeededError } from '../parts/viewer.ts'
import { findOperatorSettings } from '../providers/provider-facts.ts'
import { sendFailure, sendProviderFault } from './provider-outcomes.ts'
import {
  createAuthorizationRequests,
  keepAuthorizationRequest,
  type AuthorizationRequest,
  type AuthorizationPurpose,
} from './authorization-request.ts'
import { isFromAnotherSite } from '#http/server/cross-site'
import { isId } from '#domain/ids'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'

type StartRequest = FastifyRequest<CompanyRoute>

/**
 * `/sign-in/{company}/start`: redirects to the provider. With `?link`, to link the user who has just asked for it on the
 * account page, or on that of a one-time link; with `?test`, so that an administrator sees what signing in would do.
 */
export function addProviderStart(app: FastifyInstance, services: PageServices): void {
  app.get<CompanyRoute>('/sign-in/:company/start', async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    // Another site may link here, but its visitors confirm before they are signed in.
    const next = readOwnPath(readFormFields(request.query)['next'])
    const { company } = request.params
    if (isFromAnotherSite(request)) return reply.redirect(buildUrl(companyPath(company), { next }), 303)
    const provider = await findProvider(services, request)
    const authorizationRequest = provider && (await prepareAuthorizationRequest(services, request, provider))
    if (!authorizationRequest) return sendNoProvider(reply)
    const { companyId, email, purpose } = authorizationRequest
    const { addresses, missing } = findOperatorSettings(services, companyId)
    if (missing !== undefined) return sendFailure(reply, { companyId, provider, reason: 'not_ready', purpose })
    try {
      const { url, flow } = await services.signIns.attempt(reply, {
        kind: 'answer of a provider',
        whose: null,
        check: () => services.providers.client.begin(provider, addresses.redirect, { email }),
      })
      keepAuthorizationRequest(services, reply, { ...authorizationRequest, flow })
      return await reply.redirect(url, 303)
    } catch (error) {
      return sendProviderFault(reply, error, { companyId, provider, purpose })
    }
  })
}

/** Prepares the authorization request; null if the provider is not used for it. Throws if someone else must sign in. */
async function prepareAuthorizationRequest(
  services: PageServices,
  request: StartRequest,
  { companyId, use }: StoredProvider,
): Promise<AuthorizationRequest | null> {
  const { next } = readFormFields(request.query)
  const kept = createAuthorizationRequests(services).read(request)
  const pending = kept?.companyId === companyId ? kept : null
  const purpose = await findPurpose(services, request, companyId, pending?.purpose)
  if (use.use === 'off' && purpose.to !== 'test') return null
  const destination = { next: readOwnPath(next) || (pending?.next ?? ''), kept: pending?.kept ?? null }
  return { companyId, email: pending?.email ?? null, purpose, flow: null, ...destination }
}

async function findPurpose(
  { access, sessions }: PageServices,
  request: StartRequest,
  companyId: string,
  pending?: AuthorizationPurpose,
): Promise<AuthorizationPurpose> {
  const { test, link } = readFormFields(request.query)
  if (test === undefined && link === undefined) return { to: 'sign in' }
  const linkPurpose = link !== undefined && pending?.to === 'link' ? pending : null
  if (linkPurpose && linkPurpose.linkHash !== null) return linkPurpose
  const user = await findSessionUser(access, request, sessions, 'touch')
  if (user?.companyId !== companyId) throw new SignInNeededError()
  if (test !== undefined) {
    if (user.role !== 'admin') throw new ProblemError(ADMIN_ONLY)
    return { to: 'test', userId: user.userId }
  }
  // The account page's form has asked for this: a link alone, which anybody can make, is not enough.
  return linkPurpose?.userId === user.userId ? linkPurpose : { to: 'sign in' }
}

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
