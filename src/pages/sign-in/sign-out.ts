import type { FastifyInstance } from 'fastify'
import { recordSessionEvents } from '#accounts/record-session-events'
import { readProvider } from '#accounts/providers/read-provider'
import { placeOfIdToken } from '#accounts/sign-in/sign-in-through-provider'
import { endSession, type EndedSession } from '#accounts/users/sessions'
import { findProviderAddresses } from '#domain/providers/provider-addresses'
import { ProviderError } from '#accounts/oidc/provider-client'
import { UnreadableSecretError } from '#accounts/secrets/secret-box'
import { clientOf, clearSessionCookie, findSessionUser, sessionCookie } from '#http/access/session'
import { buildUrl, readOwnPath } from '#wording/navigation'
import { readFormFields } from '../parts/form.ts'
import { html } from '../parts/html.ts'
import { sendCardPage } from '../parts/layout.ts'
import type { PageServices } from '../parts/page-services.ts'

/**
 * `/sign-out`: ends the session. One that began at the company's provider ends there too, if the provider has a page for
 * that (OpenID Connect RP-Initiated Logout 1.0). With `next`, it ends here only, and signing in again leads to that page.
 */
export function addSignOut(app: FastifyInstance, services: PageServices): void {
  const { access, accessPool, company, sessions } = services
  app.post('/sign-out', async (request, reply) => {
    const next = readOwnPath(readFormFields(request.body)['next'])
    const cookie = sessionCookie(request, sessions)
    const user = cookie === null ? null : await findSessionUser(access, request, sessions, 'peek')
    const why = { client: clientOf(request), why: 'signed out' } as const
    const ended = cookie === null || user === null ? null : await endSession(accessPool, user, { cookie, ...why })
    if (user) await recordSessionEvents(company, user.companyId)
    clearSessionCookie(reply, sessions, user?.companyId)
    // Whoever signs in again at once stays signed in at the provider, which would not lead back to the page.
    if (next !== '') return reply.redirect(buildUrl('/sign-in', { next }), 303)
    const place = user && ended && (await findEndAtProvider(services, user.companyId, ended))
    if (!place) return reply.redirect('/sign-in', 303)
    const { name, url } = place
    const [explanation, way] =
      url === null
        ? [
            html`<bdi>${name}</bdi> did not answer. On a shared computer, sign out there too.`,
            html`<a class="button" href="/sign-in">Sign in again</a>`,
          ]
        : [
            html`Next, you are signed out of <bdi>${name}</bdi>.`,
            html`<a class="button primary" href="${url}">Continue to <bdi>${name}</bdi></a>`,
          ]
    // A page of its own: the policy of our pages lets no form lead to another site, not even by a redirect.
    return sendCardPage(reply, {
      title: 'Signed out',
      heading: "You're signed out here",
      goTo: url,
      body: html`<p>${explanation}</p>
        <p>${way}</p>`,
    })
  })
}

/** Finds where a session ends at the provider; null if there is no such page. `url` is null if nobody answered. */
async function findEndAtProvider(
  { providers, sessions }: PageServices,
  companyId: string,
  { userId, idToken }: EndedSession,
): Promise<{ name: string; url: string | null } | null> {
  const provider = await readProvider(providers.pool, companyId)
  const addresses = findProviderAddresses(sessions.publicUrl, companyId)
  if (!provider || !addresses) return null
  const { name } = provider.settings
  try {
    const hint = idToken && providers.secrets.decrypt(idToken, placeOfIdToken(userId))
    const url = await providers.client.findLogoutUrl(provider, hint, addresses.postLogout)
    return url === null ? null : { name, url }
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    if (error instanceof ProviderError) return { name, url: null }
    throw error
  }
}
