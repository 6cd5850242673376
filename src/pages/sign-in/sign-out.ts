import type { FastifyInstance } from 'fastify'
import { recordSessionEvents } from '#accounts/record-session-events'
import { ProviderError } from '#accounts/oidc/provider-client'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import { networkOf } from '#domain/networks'
import { createBudget } from '#admission/budget'
import { readPublicKeys, type StoredProvider, readProvider, NO_PROVIDER } from '#accounts/providers/providers'
import { acceptForms } from '#http/server/form-body'
import { ProblemError, problemError } from '#http/server/problem'
import { placeOfIdToken, endSessionsOfNotice } from '#accounts/sign-in/sign-in-through-provider'
import { endSession, type EndedSession } from '#accounts/users/sessions'
import { findProviderAddresses } from '#domain/providers/provider-addresses'
import { clientOf, clearSessionCookie, findSessionUser, sessionCookie } from '#http/access/session'
import { buildUrl, readOwnPath } from '#wording/navigation'
import { readFormFields } from '#pages/parts/form'
import type { PageServices } from '#pages/parts/context'
import { html, isolate, renderButton } from '#pages/parts/elements'
import { sendCardPage } from '#pages/parts/layout'
import { type CompanyRoute, findProvider } from './provider-sign-in.ts'

const BODY_LIMIT = 16_384
/** Simultaneous notices of one network. */
const AT_ONCE = 10

/**
 * `/sign-in/{company}/backchannel-logout`: a provider reports the end of a session (OpenID Connect Back-Channel Logout
 * 1.0, section 2.8). The signed token is the only credential: there are no cookies, so no page of another site gains
 * anything by sending one.
 */
export function backchannelLogout(
  app: FastifyInstance,
  services: Pick<PageServices, 'accessPool' | 'company' | 'providers'>,
): void {
  const { accessPool, company, providers } = services
  const notices = createBudget({ share: AT_ONCE })
  acceptForms(app, BODY_LIMIT)
  app.post<CompanyRoute>('/sign-in/:company/backchannel-logout', async (request, reply) => {
    void reply.header('cache-control', 'no-store')
    const refuse = (description: string) =>
      reply.code(400).send({ error: 'invalid_request', error_description: description })
    const { logout_token: token } = readFormFields(request.body)
    if (token === undefined || token === '') return refuse('The form has no logout_token')
    const provider = await findProvider(services, request)
    // As for a token of someone else: this says nothing about which companies exist.
    if (!provider) return refuse('The logout token is not valid')
    const { companyId } = provider
    const release = notices.tryAcquire(networkOf(request.ip, 48), 1)
    if (!release) return reply.code(503).header('retry-after', '1').send({ error: 'temporarily_unavailable' })
    try {
      const notice = await providers.client.readLogoutToken(provider, token)
      const ended = await endSessionsOfNotice(accessPool, provider, notice)
      await recordSessionEvents(company, companyId)
      request.log.info({ companyId, ended }, 'an identity provider ended sessions')
      return await reply.code(200).send()
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof UnreadableSecretError)) throw error
      request.log.warn({ companyId }, 'a logout token was refused')
      return await refuse('The logout token is not valid')
    } finally {
      release()
    }
  })
}

/** `/sign-in/{company}/jwks`: the public key with which the service authenticates at the company's provider. */
export function addPublicKeys(app: FastifyInstance, services: PageServices) {
  app.get<CompanyRoute>('/sign-in/:company/jwks', async (request, reply) => {
    const provider = await findProvider(services, request)
    const keys = provider && findKeys(services.providers.secrets, provider)
    if (!keys) throw new ProblemError(NO_PROVIDER)
    return reply.header('cache-control', 'no-cache').type('application/jwk-set+json').send(JSON.stringify(keys))
  })
}

function findKeys(secrets: SecretBox, provider: StoredProvider) {
  try {
    return readPublicKeys(secrets, provider)
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    throw problemError('unavailable', "The service's key cannot be read; its operator must set SECRETS_KEY")
  }
}

/**
 * `/sign-out`: ends the session. One that began at the company's provider ends there too, if the provider has a page for
 * that (OpenID Connect RP-Initiated Logout 1.0). With `next`, it ends here only, and signing in again leads to that page.
 */
export function addSignOut(app: FastifyInstance, services: PageServices) {
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
            html`${isolate(name)} did not answer. On a shared computer, sign out there too.`,
            renderButton('/sign-in', 'Sign in again'),
          ]
        : [
            html`Next, you are signed out of ${isolate(name)}.`,
            html`<a class="button primary" href="${url}">Continue to ${isolate(name)}</a>`,
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
) {
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
