import type { FastifyRequest } from 'fastify'
import { NO_PROVIDER } from '../../../accounts/providers/change-provider.ts'
import { readProvider, type StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { ProblemError } from '../../server/problem.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'

/** Finds the identity provider of the viewer's company. Throws a problem if it has none. */
export async function requireProvider({ providers }: PageServices, request: FastifyRequest): Promise<StoredProvider> {
  const provider = await readProvider(providers.pool, getViewer(request).companyId)
  if (!provider) throw new ProblemError(NO_PROVIDER)
  return provider
}
