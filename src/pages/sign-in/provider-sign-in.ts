import type { FastifyReply, FastifyInstance, FastifyRequest } from 'fastify'
import {
  type ProviderFlow,
  type ProviderIdentity,
  ProviderError,
  type ProviderFault,
} from '#accounts/oidc/provider-client'
import { createSealedCookie, type SealedCookie } from '#http/access/sealed-cookie'
import { type StoredProvider, readProvider } from '#accounts/providers/providers'
import { ADMIN_ONLY } from '#domain/errors'
import { findSessionUser, actAs, describeSession } from '#http/access/session'
import { ProblemError } from '#http/server/problem'
import { buildUrl, companyPath, readOwnPath, findHome, ACCOUNT_PATH } from '#wording/navigation'
import { isFromAnotherSite } from '#http/server/security-headers'
import { isId } from '#domain/ids'
import { previewSignIn, signInThroughProvider, linkOwnIdentity } from '#accounts/sign-in/sign-in-through-provider'
import { findProviderAddresses } from '#domain/providers/provider-addresses'
import type { SignInRefusal } from '#domain/providers/decide-sign-in'
import { type PageServices, SignInNeededError } from '#pages/parts/context'
import { readFormFields } from '#pages/parts/form'
import { findOperatorSettings } from '#pages/providers/provider-facts'
import { html, isolate, renderActions, renderButton } from '#pages/parts/elements'
import { sendCardPage } from '#pages/parts/layout'
import { type Destination, finishSignIn } from './sign-in-form.ts'
import {
  sendFailure,
  sendProviderFault,
  sendTestResult,
  type AuthorizationPurpose,
  type LinkPurpose,
} from './provider-outcomes.ts'

/** What a browser keeps of a request to authenticate its user (OpenID Connect Core 1.0, section 3.1.2.1). */
interface AuthorizationRequest extends Destination {
  companyId: string
  /** The email that was typed; the provider's form shows it. */
  email: string | null
  purpose: AuthorizationPurpose
  /** Null until the browser is redirected to the provider. */
  flow: ProviderFlow | null
}

const LIFE_SECONDS = 10 * 60
/** Together with what the flow adds, and encrypted, this fits into the 4,096 bytes that browsers keep (RFC 6265bis). */
const MAX_BYTES = 2_200

/** Creates the cookie that holds an authorization request. */
export function createAuthorizationRequests(services: PageServices): SealedCookie<AuthorizationRequest> {
  return createSealedCookie(services, 'sign-in', LIFE_SECONDS)
}

/** Stores an authorization request in the cookie. If it is too long, leaves out a kept form, then the page to go to. */
export function keepAuthorizationRequest(
  services: PageServices,
  reply: FastifyReply,
  authorizationRequest: AuthorizationRequest,
) {
  const { flow, ...kept } = authorizationRequest
  const fits = (fields: object) => Buffer.byteLength(JSON.stringify(fields)) <= MAX_BYTES
  const shorter = [kept, { ...kept, kept: null }].find(fits) ?? { ...kept, kept: null, next: '' }
  createAuthorizationRequests(services).set(reply, { ...shorter, flow })
}

type StartRequest = FastifyRequest<CompanyRoute>

/**
 * `/sign-in/{company}/start`: redirects to the provider. With `?link`, to link the user who has just asked for it on the
 * account page, or on that of a one-time link; with `?test`, so that an administrator sees what signing in would do.
 */
export function addProviderStart(app: FastifyInstance, services: PageServices) {
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
export function addCompanyPage(app: FastifyInstance, services: PageServices) {
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
) {
  return isId('com', params.company) ? readProvider(providers.pool, params.company) : null
}

/** Answers for a company without a provider, and for one that does not exist. */
function sendNoProvider(reply: FastifyReply) {
  return sendCardPage(reply.code(404), {
    title: 'No such sign-in page',
    body: html`<p>There is no company with an identity provider at this address.</p>
      ${renderActions(renderButton('/sign-in', 'Sign in', 'primary'))}`,
  })
}

function sendCompanyPage(services: PageServices, reply: FastifyReply, provider: StoredProvider, next: string) {
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
    body: html`<p>Your company signs in with ${isolate(settings.name)}.</p>
      <p class="actions">
        <a class="button primary" href="${buildUrl(`${companyPath(companyId)}/start`, { next })}">
          Continue to ${isolate(settings.name)}</a
        >
      </p>
      <p class="hint">You sign in at ${isolate(new URL(settings.issuer).host)}.</p>
      <p class="hint">${others}</p>`,
  })
}

/** Someone who came back from the provider, and the answer to the request with which they did. */
interface Arrival {
  reply: FastifyReply
  provider: StoredProvider
  identity: ProviderIdentity
  authorizationRequest: AuthorizationRequest
}

/** The faults that someone can cause on purpose. They count for a network. */
const PROVOKED: ReadonlySet<ProviderFault> = new Set(['invalid_response', 'wrong_issuer', 'denied'])

/** `/sign-in/{company}/callback`: where the provider sends people back to. */
export function addProviderCallback(app: FastifyInstance, services: PageServices) {
  const { access, sessions, providers } = services
  const authorizationRequests = createAuthorizationRequests(services)
  app.get<CompanyRoute>('/sign-in/:company/callback', async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    const { company } = request.params
    const authorizationRequest = authorizationRequests.read(request)
    // The company in the path is that of the browser's request: a response of another company's provider goes nowhere.
    if (!authorizationRequest?.flow || authorizationRequest.companyId !== company) {
      const user = await findSessionUser(access, request, sessions, 'touch')
      // The page was loaded again after signing in.
      if (user?.companyId === company) return reply.redirect(findHome(user.role), 303)
      return sendFailure(reply, { companyId: null, provider: null, reason: 'not_begun' })
    }
    authorizationRequests.clear(reply)
    const { companyId, purpose, flow } = authorizationRequest
    const provider = await readProvider(providers.pool, companyId)
    if (!provider) return sendFailure(reply, { companyId, provider, reason: 'outdated', purpose })
    try {
      const identity = await complete(services, { reply, provider, flow })
      return await receive(services, { reply, provider, identity, authorizationRequest })
    } catch (error) {
      return sendProviderFault(reply, error, { companyId, provider, purpose })
    }
  })
}

/** Redeems the code. Throws ProviderError. */
async function complete(
  { providers, sessions, signIns }: PageServices,
  { reply, provider, flow }: Pick<Arrival, 'reply' | 'provider'> & { flow: ProviderFlow },
) {
  const addresses = findProviderAddresses(sessions.publicUrl, provider.companyId)
  if (!addresses) throw new ProviderError('outdated', 'The address of this service has changed')
  const { url } = reply.request
  const callbackUrl = `${addresses.redirect}${url.includes('?') ? url.slice(url.indexOf('?')) : ''}`
  const answer = await signIns.attempt<ProviderIdentity | ProviderError>(reply, {
    kind: 'answer of a provider',
    whose: null,
    check: () =>
      providers.client.complete(provider, flow, callbackUrl).catch((error: unknown) => {
        if (error instanceof ProviderError) return error
        throw error
      }),
    hasFailed: (answer) => answer instanceof ProviderError && PROVOKED.has(answer.fault),
  })
  if (answer instanceof ProviderError) throw answer
  return answer
}

async function receive(services: PageServices, arrival: Arrival) {
  const { purpose } = arrival.authorizationRequest
  if (purpose.to === 'sign in') return signPersonIn(services, arrival)
  const { reply, provider, identity } = arrival
  const { companyId } = provider
  if (purpose.to === 'link' && purpose.linkHash !== null) return linkUser(services, arrival, purpose)
  const user = await findSessionUser(services.access, reply.request, services.sessions, 'touch')
  const isSame = user?.companyId === companyId && user.userId === purpose.userId
  if (!isSame || (purpose.to === 'test' && user.role !== 'admin'))
    return sendFailure(reply, { companyId, provider, reason: 'changed_user', purpose })
  if (purpose.to === 'link') return linkUser(services, arrival, purpose)
  const preview = await previewSignIn(services.company, provider, identity)
  return sendTestResult(reply, user, identity, preview)
}

async function signPersonIn(services: PageServices, arrival: Arrival) {
  const { reply, provider, identity, authorizationRequest } = arrival
  const { accessPool, company, providers, sessions } = services
  const { companyId } = provider
  const used = { company, pool: accessPool, secrets: providers.secrets }
  const session = describeSession(reply.request, sessions)
  const traceparent = reply.request.trace?.traceparent ?? null
  const signedIn = await signInThroughProvider(used, { provider, identity, session, traceparent })
  if (signedIn.outcome === 'refused') return refuse(arrival, signedIn.refusal)
  const { next, kept } = authorizationRequest
  const { cookie, userId } = signedIn
  return finishSignIn(services, reply, { cookie, companyId, userId, next, kept })
}

/** Links the user. Whoever came with a one-time link then signs in with the account like anyone else. */
async function linkUser(services: PageServices, arrival: Arrival, purpose: LinkPurpose) {
  const { userId, linkHash } = purpose
  const { reply, provider, identity } = arrival
  const acting = actAs(reply.request, { companyId: provider.companyId, userId })
  const hash = linkHash === null ? null : Buffer.from(linkHash, 'base64url')
  const refusal = await linkOwnIdentity(services.company, acting, { provider, identity, linkHash: hash })
  if (refusal !== null) return refuse(arrival, refusal)
  return linkHash === null ? reply.redirect(`${ACCOUNT_PATH}?done=linked`, 303) : signPersonIn(services, arrival)
}

function refuse(arrival: Arrival, reason: SignInRefusal) {
  const { reply, provider, identity, authorizationRequest } = arrival
  const { purpose } = authorizationRequest
  return sendFailure(reply, { companyId: provider.companyId, provider, reason, identity, purpose })
}
