import type { FastifyInstance } from 'fastify'
import { addApiRoutes, KEY_PROTOCOLS, listProtocols, type ApiServices } from '#api/api-routes.ts'
import { buildServer, type ServerServices } from '#http/build-server.ts'
import { createSignInLimits, type SignInSettings } from '#http/access/sign-in-limits.ts'
import type { KeyProtocol } from '#http/calls/key-protocol.ts'
import { registerHealthRoutes } from '#http/server/health.ts'
import { clientPackage } from '#client-package/client-package.ts'
import { createLogEntries } from '#log/log-entries.ts'
import { pageAssets } from '#pages/assets/assets.ts'
import { readMe } from '#pages/evidence/read-me.ts'
import { pages } from '#pages/pages.ts'
import { sendRefusal } from '#pages/parts/error-page.ts'
import type { PageServices } from '#pages/parts/page-services.ts'
import { problemPages } from '#pages/reference/problems.ts'
import { referencePages } from '#pages/reference/reference-pages.ts'
import { backchannelLogout } from '#pages/sign-in/provider-endpoints.ts'
import { verifyPages } from '#pages/verify/verify-page.ts'

/** What the API and the pages need, apart from what is made here for both. */
type RouteServices = Omit<ApiServices & PageServices, 'requireLogEntry' | 'signIns' | 'storyteller'>

export interface AppServices extends RouteServices, ServerServices {
  streamLimits: ApiServices['streamLimits']
  sessions: ApiServices['sessions']
  signInLimits: SignInSettings
  isReady(): Promise<boolean>
  /** The protocols of API keys; by default, `KEY_PROTOCOLS`. */
  keyProtocols?: readonly KeyProtocol[] | undefined
}

/** Builds the HTTP server with all its routes; tests call it, too. */
export function buildApp(services: AppServices): FastifyInstance {
  const { keyProtocols = KEY_PROTOCOLS, commands } = services
  return buildServer(services, {
    protocols: listProtocols(keyProtocols),
    bodyTypes: keyProtocols.flatMap(({ bodyTypes }) => bodyTypes),
    maxRecords: commands.maxRecords,
    refuse: sendRefusal,
    addRoutes(app) {
      const requireLogEntry = createLogEntries(services)
      const signIns = createSignInLimits(services.signInLimits)
      const ofBoth = { ...services, requireLogEntry, signIns, storyteller: readMe }
      registerHealthRoutes(app, services)
      pageAssets(app)
      problemPages(app, services)
      referencePages(app, services)
      verifyPages(app, services)
      clientPackage(app)
      addApiRoutes(app, keyProtocols, ofBoth)
      void app.register((interfacePages) => pages(interfacePages, ofBoth))
      void app.register((notices) => backchannelLogout(notices, services))
    },
  })
}
