import type { FastifyInstance } from 'fastify'
import { NO_PROVIDER } from '../../../accounts/providers/change-provider.ts'
import { readPublicKeys } from '../../../accounts/providers/provider-secret.ts'
import { readProvider } from '../../../accounts/providers/read-provider.ts'
import { isId } from '../../../domain/ids.ts'
import { ProblemError } from '../../server/problem.ts'
import type { PageServices } from '../parts/page-services.ts'

/** `/sign-in/{company}/jwks`: the public key with which the service authenticates at the company's provider. */
export function addPublicKeys(app: FastifyInstance, { providers }: Pick<PageServices, 'providers'>): void {
  app.get<{ Params: { company: string } }>('/sign-in/:company/jwks', async (request, reply) => {
    const { company } = request.params
    const provider = isId('com', company) ? await readProvider(providers.pool, company) : null
    const keys = provider && readPublicKeys(providers.secrets, provider)
    if (!keys) throw new ProblemError(NO_PROVIDER)
    return reply.header('cache-control', 'no-cache').type('application/jwk-set+json').send(JSON.stringify(keys))
  })
}
