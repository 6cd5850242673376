import type { FastifyInstance, FastifyReply } from 'fastify'
import { readProvider, type StoredProvider } from '#accounts/providers/read-provider'
import { linkOwnIdentity } from '#accounts/sign-in/link-identity'
import { previewSignIn, signInThroughProvider } from '#accounts/sign-in/sign-in-through-provider'
import { findProviderAddresses } from '#domain/providers/provider-addresses'
import type { SignInRefusal } from '#domain/providers/decide-sign-in'
import {
  type ProviderFlow,
  type ProviderIdentity,
  ProviderError,
  type ProviderFault,
} from '#accounts/oidc/provider-client'
import { actAs, describeSession, findSessionUser } from '#http/access/session'
import { ACCOUNT_PATH, findHome } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import type { CompanyRoute } from './provider-start.ts'
import { finishSignIn } from './destination.ts'
import { sendFailure, sendProviderFault, sendTestResult } from './provider-outcomes.ts'
import { type AuthorizationRequest, createAuthorizationRequests, type LinkPurpose } from './authorization-request.ts'

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
export function addProviderCallback(app: FastifyInstance, services: PageServices): void {
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
): Promise<ProviderIdentity> {
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

async function receive(services: PageServices, arrival: Arrival): Promise<FastifyReply> {
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

async function signPersonIn(services: PageServices, arrival: Arrival): Promise<FastifyReply> {
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
async function linkUser(services: PageServices, arrival: Arrival, purpose: LinkPurpose): Promise<FastifyReply> {
  const { userId, linkHash } = purpose
  const { reply, provider, identity } = arrival
  const acting = actAs(reply.request, { companyId: provider.companyId, userId })
  const hash = linkHash === null ? null : Buffer.from(linkHash, 'base64url')
  const refusal = await linkOwnIdentity(services.company, acting, { provider, identity, linkHash: hash })
  if (refusal !== null) return refuse(arrival, refusal)
  return linkHash === null ? reply.redirect(`${ACCOUNT_PATH}?done=linked`, 303) : signPersonIn(services, arrival)
}

function refuse(arrival: Arrival, reason: SignInRefusal): Promise<FastifyReply> {
  const { reply, provider, identity, authorizationRequest } = arrival
  const { purpose } = authorizationRequest
  return sendFailure(reply, { companyId: provider.companyId, provider, reason, identity, purpose })
}
