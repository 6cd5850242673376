import type { FastifyInstance } from 'fastify'
import type { PageServices } from '../parts/page-services.ts'
import { addCompanyPage } from './company-page.ts'
import { addProviderCallback } from './provider-callback.ts'
import { addProviderStart } from './provider-start.ts'
import { openTrips } from './provider-trip.ts'
import { addSignInPage } from './sign-in-page.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import { addSignOut } from './sign-out.ts'

/** The pages below `/sign-in`, and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const trips = openTrips(services.providers.secrets, services.sessions)
  addSignInPage(app, services, { limits, trips })
  addCompanyPage(app, services)
  addProviderStart(app, services, { limits, trips })
  addProviderCallback(app, services, { limits, trips })
  addSignOut(app, services)
}
