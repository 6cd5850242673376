import { LRUCache } from 'lru-cache'
import type { StoredProvider } from '../providers/read-provider.ts'
import type { PublishedProvider } from './discover-provider.ts'
import { ProviderError } from './provider-client.ts'

/** How long what a provider publishes is used, in milliseconds; a key that it withdraws is accepted no longer. */
const KEPT_MS = 600_000
const MAX_BYTES = 16 * 1024 * 1024
/** How long a failure counts, in milliseconds: strangers can cause discoveries, and must not keep a dead provider asked. */
const RETRY_MS = 5_000
const MAX_FAILURES = 10_000

interface KnownProvider extends PublishedProvider {
  /** The provider and the version of its settings with which it was found. */
  revision: string
}

interface KnownProviders {
  /** Finds what a company's provider publishes. Concurrent calls share one discovery, and its ProviderError. */
  find(provider: StoredProvider): Promise<PublishedProvider>
}

/**
 * Caches what providers publish: one provider for each company, at most about 512 kB each. What was cached is not used
 * once the provider's settings change or another provider replaces it.
 */
export function createKnownProviders(
  discover: (provider: StoredProvider, onChanged: () => void) => Promise<PublishedProvider>,
  now: () => number = () => performance.now(),
): KnownProviders {
  const providers = new LRUCache<string, KnownProvider>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ metadata, keys }) => JSON.stringify(metadata).length + keys.bytes,
    ttl: KEPT_MS,
    noUpdateTTL: true,
  })
  const failed = new LRUCache<string, { revision: string; error: ProviderError; until: number }>({ max: MAX_FAILURES })
  const underWay = new Map<string, { revision: string; discovery: Promise<KnownProvider> }>()

  async function begin(provider: StoredProvider): Promise<KnownProvider> {
    const { companyId } = provider
    const resize = () => {
      // A copy, because the same object would keep its old size.
      if (providers.peek(companyId)?.keys === discovered.keys) providers.set(companyId, { ...discovered })
    }
    const discovered: KnownProvider = { revision: nameRevision(provider), ...(await discover(provider, resize)) }
    providers.delete(companyId)
    providers.set(companyId, discovered)
    return discovered
  }

  return {
    async find(provider) {
      const { companyId } = provider
      const revision = nameRevision(provider)
      const cached = providers.get(companyId)
      if (cached?.revision === revision) return cached
      const failure = failed.get(companyId)
      if (failure?.revision === revision && now() < failure.until) throw failure.error
      const running = underWay.get(companyId)
      if (running?.revision === revision) return running.discovery
      const discovery = begin(provider)
      const entry = { revision, discovery }
      underWay.set(companyId, entry)
      try {
        return await discovery
      } catch (error) {
        if (error instanceof ProviderError) failed.set(companyId, { revision, error, until: now() + RETRY_MS })
        throw error
      } finally {
        if (underWay.get(companyId) === entry) underWay.delete(companyId)
      }
    },
  }
}

/** Each provider begins at version 1, so the version alone does not tell a provider from its successor. */
function nameRevision({ id, version }: StoredProvider): string {
  return `${id} ${version}`
}
