import type { FastifyInstance } from 'fastify'
import { addApiRoutes, KEY_PROTOCOLS, listProtocols, type ApiServices } from '#api/api-routes'
import { buildServer, type ServerServices } from '#http/build-server'
import { createSignInLimits, type SignInSettings } from '#http/access/sign-in-limits'
import type { KeyProtocol } from '#http/calls/writing-call'
import { registerHealthRoutes } from '#http/server/health'
import { clientPackage } from '#client-package/client-package'
import { createLogEntries } from '#log/log-entries'
import { pageAssets } from '#pages/assets/assets'
import { readMe } from '#pages/evidence/read-me'
import { pages } from '#pages/pages'
import { sendRefusal } from '#pages/parts/error-page'
import type { PageServices } from '#pages/parts/context'
import { problemPages } from '#pages/reference/problems'
import { referencePages } from '#pages/reference/reference-pages'
import { backchannelLogout } from '#pages/sign-in/sign-out'
import { verifyPages } from '#pages/verify/verify-page'

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
      void app.register(async (notices) => backchannelLogout(notices, services))
    },
  })
}
