import type { FastifyInstance } from 'fastify'
import type { PageServices } from '../parts/page-services.ts'
import { addProviderCheck } from './provider-check.ts'
import { addProviderPage } from './provider-page.ts'
import { addProviderSetup } from './provider-setup.ts'

/** `/settings/sign-in`: setting up, changing, checking and removing the company's identity provider. */
export function addProviderPages(app: FastifyInstance, services: PageServices): void {
  addProviderPage(app, services)
  addProviderSetup(app, services)
  addProviderCheck(app, services)
}
