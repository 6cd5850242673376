import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { ADMIN_ONLY } from '../../../accounts/change-company.ts'
import { findProviderAddresses } from '../../../domain/providers/provider-addresses.ts'
import type { SealedCookie } from '../../access/sealed-cookie.ts'
import { findSessionUser } from '../../access/session.ts'
import { ProblemError } from '../../server/problem.ts'
import { buildUrl, companyPath, readOwnPath } from '../parts/addresses.ts'
import { readFormFields } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { SignInNeededError } from '../parts/viewer.ts'
import { type CompanyRoute, findProvider, isReady, sendNoProvider } from './company-page.ts'
import { sendFailure, sendProviderFault } from './failure-page.ts'
import { keepTrip, type Trip, type TripPurpose } from './provider-trip.ts'
import type { SignInLimits } from './sign-in-limits.ts'

type StartRequest = FastifyRequest<CompanyRoute>

interface StartOptions {
  limits: SignInLimits
  trips: SealedCookie<Trip>
}

/**
 * `/sign-in/{company}/start`: leaves for the provider. With `?link`, to link the user who has just asked for it on the
 * account page, or on that of a one-time link; with `?test`, so that an administrator sees what signing in would do.
 */
export function addProviderStart(app: FastifyInstance, services: PageServices, { limits, trips }: StartOptions): void {
  app.get<CompanyRoute>('/sign-in/:company/start', async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    // Another site may lead here, but not sign its visitors in without asking them.
    const next = readOwnPath(readFormFields(request.query)['next'])
    const { company } = request.params
    if (isFromElsewhere(request)) return reply.redirect(buildUrl(companyPath(company), { next }), 303)
    const provider = await findProvider(services, request)
    const trip = provider && (await planTrip(services, request, trips, provider))
    if (!trip) return sendNoProvider(reply)
    const { companyId, email, purpose } = trip
    if (!isReady(services.sessions.publicUrl, services.providers.secrets, companyId))
      return sendFailure(request, reply, { companyId, provider, reason: 'not_ready', purpose })
    try {
      const { redirect } = findProviderAddresses(services.sessions.publicUrl, companyId)!
      const { url, flow } = await limits.attempt(request, reply, null, async () => {
        const outcome = await services.providers.client.begin(provider, redirect, { email })
        return { outcome, hasFailed: false }
      })
      keepTrip(trips, reply, { ...trip, flow })
      return await reply.redirect(url, 303)
    } catch (error) {
      return sendProviderFault(request, reply, error, { companyId, provider, purpose })
    }
  })
}

/** Plans the trip; null if the provider is not in use for that. Throws if someone else must sign in first. */
async function planTrip(
  services: PageServices,
  request: StartRequest,
  trips: SealedCookie<Trip>,
  { companyId, use }: StoredProvider,
): Promise<Trip | null> {
  const { test, link, next } = readFormFields(request.query)
  const kept = trips.read(request)
  const own = kept?.companyId === companyId ? kept : null
  const purpose = await findPurpose(services, request, {
    companyId,
    isTest: test !== undefined,
    isLink: link !== undefined,
    own,
  })
  if (use.use === 'off' && purpose.to !== 'test') return null
  const destination = { next: readOwnPath(next) || (own?.next ?? ''), kept: own?.kept ?? null }
  return { companyId, email: own?.email ?? null, purpose, flow: null, ...destination }
}

async function findPurpose(
  { access, sessions }: PageServices,
  request: StartRequest,
  { companyId, isTest, isLink, own }: { companyId: string; isTest: boolean; isLink: boolean; own: Trip | null },
): Promise<TripPurpose> {
  if (!isTest && !isLink) return { to: 'sign in' }
  const asked = isLink && own?.purpose.to === 'link' ? own.purpose : null
  if (asked && asked.linkHash !== null) return asked
  const user = await findSessionUser(access, request, sessions, true)
  if (user?.companyId !== companyId) throw new SignInNeededError()
  if (isTest) {
    if (user.role !== 'admin') throw new ProblemError(ADMIN_ONLY)
    return { to: 'test', userId: user.userId }
  }
  // The account page's form has asked for this: a link alone, which anybody can make, is not enough.
  return asked?.userId === user.userId ? asked : { to: 'sign in' }
}

/** Whether another site caused the request. */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
