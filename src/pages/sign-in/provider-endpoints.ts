import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endSessionsOfNotice } from '#accounts/sign-in/provider-sessions'
import { ProviderError } from '#accounts/oidc/provider-client'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import { networkOf } from '#domain/networks'
import { createBudget } from '#admission/budget'
import { readFormFields } from '../parts/form.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type CompanyRoute, findProvider } from './provider-start.ts'
import { NO_PROVIDER } from '#accounts/providers/change-provider'
import { readPublicKeys, type StoredProvider } from '#accounts/providers/read-provider'
import { problem } from '#domain/errors'
import { ProblemError } from '#http/server/problem'

const BODY_LIMIT = 16_384
/** Simultaneous notices of one network. */
const AT_ONCE = 10

/**
 * `/sign-in/{company}/backchannel-logout`: a provider reports the end of a session (OpenID Connect Back-Channel Logout
 * 1.0, section 2.8). The signed token is the only credential: there are no cookies, so no page of another site gains
 * anything by sending one.
 */
export async function backchannelLogout(
  app: FastifyInstance,
  services: Pick<PageServices, 'accessPool' | 'company' | 'providers'>,
): Promise<void> {
  const { accessPool, company, providers } = services
  const notices = createBudget({ share: AT_ONCE })
  await app.register(formbody, { bodyLimit: BODY_LIMIT })
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
export function addPublicKeys(app: FastifyInstance, services: PageServices): void {
  app.get<CompanyRoute>('/sign-in/:company/jwks', async (request, reply) => {
    const provider = await findProvider(services, request)
    const keys = provider && findKeys(services.providers.secrets, provider)
    if (!keys) throw new ProblemError(NO_PROVIDER)
    return reply.header('cache-control', 'no-cache').type('application/jwk-set+json').send(JSON.stringify(keys))
  })
}

function findKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  try {
    return readPublicKeys(secrets, provider)
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    throw new ProblemError(
      problem('unavailable', "The service's key cannot be read; its operator must set SECRETS_KEY"),
    )
  }
}
