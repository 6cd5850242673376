import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import { ProviderError, type ProviderClient, type ProviderFault } from './provider-client.ts'
import type { StoredProvider } from '../providers/read-provider.ts'

/** Faults that stop everybody before the provider's own page, where nobody outside can cause them. */
const AT_BEGIN: ReadonlySet<string> = new Set<ProviderFault>(['unreachable', 'misconfigured', 'wrong_issuer'])
/** Faults of the way back that the person who signs in can't cause. */
const AT_END: ReadonlySet<string> = new Set<ProviderFault>(['client_refused', 'clock_skew'])

/**
 * Records with a provider since when nobody can sign in through it, so that its administrators learn of it. A fault ends
 * when the step that had it succeeds again, or when the provider is changed.
 */
export function recordFaults(client: ProviderClient, pool: Pool, onError: (error: unknown) => void): ProviderClient {
  const watch = async <Result>(
    provider: StoredProvider,
    faults: ReadonlySet<string>,
    step: () => Promise<Result>,
  ): Promise<Result> => {
    const record = (fault: ProviderFault | null) => storeFault(pool, provider, fault).catch(onError)
    try {
      const result = await step()
      if (provider.fault !== null && faults.has(provider.fault)) await record(null)
      return result
    } catch (error) {
      if (error instanceof ProviderError && faults.has(error.fault) && error.fault !== provider.fault)
        await record(error.fault)
      throw error
    }
  }
  return {
    ...client,
    begin: (provider, redirectUri, hint) => watch(provider, AT_BEGIN, () => client.begin(provider, redirectUri, hint)),
    complete: (provider, flow, url) => watch(provider, AT_END, () => client.complete(provider, flow, url)),
  }
}

async function storeFault(
  pool: Pool,
  { companyId, id, version }: StoredProvider,
  fault: ProviderFault | null,
): Promise<void> {
  const failingSince = fault === null ? 'null' : 'least(failing_since, statement_timestamp())'
  await pool.query(
    `update identity_providers set fault = $4::text, failing_since = ${failingSince}
     where company_id = $1 and provider_id = $2 and version = $3`,
    [toUuid(companyId), toUuid(id), version, fault],
  )
}
