import type { FastifyInstance } from 'fastify'
import type { PageServices } from '../parts/page-services.ts'
import { addCompanyPage } from './company-page.ts'
import { addForgotPassword } from './forgot-password.ts'
import { addProviderCallback } from './provider-callback.ts'
import { addProviderStart } from './provider-start.ts'
import { createAuthorizationRequests } from './authorization-request.ts'
import { addSignInPage } from './sign-in-page.ts'
import type { SignInLimits } from '../../access/sign-in-limits.ts'
import { addSignOut } from './sign-out.ts'

/** The pages below `/sign-in`, and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: PageServices, limits: SignInLimits): void {
  const authorizationRequests = createAuthorizationRequests(services.providers.secrets, services.sessions)
  addSignInPage(app, services, { limits, authorizationRequests })
  addForgotPassword(app, services, limits)
  addCompanyPage(app, services)
  addProviderStart(app, services, { limits, authorizationRequests })
  addProviderCallback(app, services, { limits, authorizationRequests })
  addSignOut(app, services)
}
