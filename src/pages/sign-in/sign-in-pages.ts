import type { FastifyInstance } from 'fastify'
import type { PageServices } from '#pages/parts/context'
import { addCompanyPage, addProviderStart, addProviderCallback } from './provider-sign-in.ts'
import { addForgotPassword, addInvitationPage } from './set-password.ts'
import { addPasskeySignIn, addSecondStep, addSignInPage } from './sign-in-page.ts'
import { addPublicKeys, addSignOut } from './sign-out.ts'

/** Adds the pages for people who are not signed in, below `/sign-in` and at `/invitation`, and `/sign-out`. */
export function addSignInPages(app: FastifyInstance, services: PageServices) {
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
