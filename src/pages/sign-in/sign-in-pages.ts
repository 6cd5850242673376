import type { FastifyInstance } from 'fastify'
import type { PageServices } from '../parts/page-services.ts'
import { addCompanyPage, addProviderStart } from './provider-start.ts'
import { addForgotPassword, addInvitationPage } from './set-password.ts'
import { addPasskeySignIn, addSecondStep } from './passkey-sign-in.ts'
import { addProviderCallback } from './provider-callback.ts'
import { addPublicKeys } from './provider-endpoints.ts'
import { addSignInPage } from './sign-in-page.ts'
import { addSignOut } from './sign-out.ts'

/** Adds the pages for people who are not signed in, below `/sign-in` and at `/invitation`, and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: PageServices): void {
  addSignInPage(app, services)
  addPasskeySignIn(app, services)
  addSecondStep(app, services)
  addForgotPassword(app, services)
  addCompanyPage(app, services)
  addProviderStart(app, services)
  addProviderCallback(app, services)
  addSignOut(app, services)
  addInvitationPage(app, services)
  addPublicKeys(app, services)
}
