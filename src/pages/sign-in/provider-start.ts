import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StoredProvider } from '../../accounts/providers/read-provider.ts'
import { ADMIN_ONLY } from '../../domain/errors.ts'
import { findSessionUser } from '../../http/access/session.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { buildUrl, companyPath, readOwnPath } from '../../wording/addresses.ts'
import { readFormFields } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { SignInNeededError } from '../parts/viewer.ts'
import { findOperatorSettings } from '../providers/provider-facts.ts'
import { type CompanyRoute, findProvider, sendNoProvider } from './company-page.ts'
import { sendFailure, sendProviderFault } from './failure-page.ts'
import {
  createAuthorizationRequests,
  keepAuthorizationRequest,
  type AuthorizationRequest,
  type AuthorizationPurpose,
} from './authorization-request.ts'
import { isFromAnotherSite } from '../../http/server/cross-site.ts'

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
      const check = async () => {
        const outcome = await services.providers.client.begin(provider, addresses.redirect, { email })
        return { outcome, hasFailed: false }
      }
      const attempt = { kind: 'answer of a provider', whose: null, check } as const
      const { url, flow } = await services.signIns.attempt(reply, attempt)
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
