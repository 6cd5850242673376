import type { FastifyInstance } from 'fastify'
import { NO_PROVIDER } from '../../accounts/providers/change-provider.ts'
import { readPublicKeys, type StoredProvider } from '../../accounts/providers/read-provider.ts'
import { problem } from '../../domain/errors.ts'
import { UnreadableSecretError, type SecretBox } from '../../accounts/secrets/secret-box.ts'
import { ProblemError } from '../../http/server/problem.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type CompanyRoute, findProvider } from './provider-start.ts'

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
