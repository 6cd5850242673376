import { LRUCache } from 'lru-cache'
import type { StoredProvider } from '../providers/providers.ts'
import type { PublishedProvider } from './discover-provider.ts'
import { ProviderError } from './provider-client.ts'
import type { TokenSource } from './verify-token.ts'

/** How long what a provider publishes is used, in milliseconds; a key that it withdraws is accepted no longer. */
const KEPT_MS = 600_000
const MAX_BYTES = 16 * 1024 * 1024
/** How long a failure counts, in milliseconds: strangers can cause discoveries, and must not keep a dead provider asked. */
const RETRY_MS = 5_000
/** About the size of a failure, with its message. */
const FAILURE_BYTES = 2_048
/** How often keys may be fetched again because they do not fit a token. */
const REFETCH_MS = 10_000
const MAX_REFETCHES = 10_000

interface KnownProvider {
  /** The provider and the version of its settings with which it was found. */
  revision: string
  /** By `now()`. */
  until: number
  found: PublishedProvider | ProviderError
}

interface KnownProviders {
  /** Finds what a company's provider publishes. Concurrent calls share one discovery, and its ProviderError. */
  find(provider: StoredProvider): Promise<PublishedProvider>
  /**
   * Like `find`, after the keys fitted no token of this source. The keys are fetched again, so that a change of them
   * works at once, but at most once in 10 seconds for each source.
   */
  findAgain(provider: StoredProvider, source: TokenSource): Promise<PublishedProvider>
}

/**
 * Caches what providers publish: one provider for each company, at most about 512 kB each. What was cached is not used
 * once the provider's settings change or another provider replaces it.
 */
export function createKnownProviders(
  discover: (provider: StoredProvider) => Promise<PublishedProvider>,
  now: () => number = () => performance.now(),
): KnownProviders {
  const known = new LRUCache<string, KnownProvider, StoredProvider>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ found }) =>
      found instanceof ProviderError ? FAILURE_BYTES : JSON.stringify(found.metadata).length + found.keys.bytes,
    fetchMethod: (_companyId, _outdated, { context: provider }) => look(provider),
    // Whoever waits for a discovery gets its result, also if there is no room for it any more.
    ignoreFetchAbort: true,
  })
  const refetches = new LRUCache<string, Promise<void>>({ max: MAX_REFETCHES, ttl: REFETCH_MS, noUpdateTTL: true })

  async function look(provider: StoredProvider): Promise<KnownProvider> {
    const revision = nameRevision(provider)
    try {
      const found = await discover(provider)
      return { revision, found, until: now() + KEPT_MS }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      return { revision, found: error, until: now() + RETRY_MS }
    }
  }

  async function find(provider: StoredProvider): Promise<PublishedProvider> {
    const { companyId } = provider
    const revision = nameRevision(provider)
    const cached = known.peek(companyId)
    if (cached && (cached.revision !== revision || cached.until <= now())) known.delete(companyId)
    const fetched = await known.fetch(companyId, { context: provider })
    // A discovery with other settings may have been under way.
    const { found } = fetched?.revision === revision ? fetched : await look(provider)
    if (found instanceof ProviderError) throw found
    return found
  }

  async function refetchKeys({ companyId }: StoredProvider): Promise<void> {
    const cached = known.peek(companyId)
    if (!cached || cached.found instanceof ProviderError) return
    const found = { ...cached.found, keys: await cached.found.fetchKeys() }
    if (known.peek(companyId) === cached) known.set(companyId, { ...cached, found })
  }

  return {
    find,
    async findAgain(provider, source) {
      const refetch = `${nameRevision(provider)} ${source}`
      const keys = refetches.get(refetch) ?? refetchKeys(provider)
      refetches.set(refetch, keys)
      await keys
      return find(provider)
    },
  }
}

/** Each provider begins at version 1, so the version alone does not tell a provider from its successor. */
function nameRevision({ id, version }: StoredProvider): string {
  return `${id} ${version}`
}
