import { LRUCache } from 'lru-cache'
import type { StoredProvider } from '../accounts/providers/read-provider.ts'
import type { PublishedProvider } from './discover-provider.ts'

/** How long what a provider publishes is used, in milliseconds; a key that it withdraws is accepted no longer. */
const KEPT_MS = 600_000
const MOST_BYTES = 16 * 1024 * 1024

interface KnownProvider extends PublishedProvider {
  /** The version of the settings with which it was found. */
  version: number
}

export interface KnownProviders {
  /** Finds what a company's provider publishes. Concurrent calls share one discovery. */
  find(provider: StoredProvider): Promise<PublishedProvider>
}

/**
 * Keeps what the providers of companies publish: one provider for each company, which takes at most about 512 kB. A change
 * of its settings begins anew.
 */
export function openKnownProviders(
  discover: (provider: StoredProvider, onChanged: () => void) => Promise<PublishedProvider>,
): KnownProviders {
  const known = new LRUCache<string, KnownProvider>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ metadata, keys }) => JSON.stringify(metadata).length + keys.bytes,
    ttl: KEPT_MS,
    noUpdateTTL: true,
  })
  const underWay = new Map<string, { version: number; found: Promise<KnownProvider> }>()

  async function begin(provider: StoredProvider): Promise<KnownProvider> {
    const { companyId, version } = provider
    const resize = () => {
      // A copy, because the same object would keep its old size.
      if (known.peek(companyId)?.keys === found.keys) known.set(companyId, { ...found })
    }
    const found: KnownProvider = { version, ...(await discover(provider, resize)) }
    known.delete(companyId)
    known.set(companyId, found)
    return found
  }

  return {
    async find(provider) {
      const { companyId, version } = provider
      const cached = known.get(companyId)
      if (cached?.version === version) return cached
      const running = underWay.get(companyId)
      if (running?.version === version) return running.found
      const found = begin(provider)
      const entry = { version, found }
      underWay.set(companyId, entry)
      try {
        return await found
      } finally {
        if (underWay.get(companyId) === entry) underWay.delete(companyId)
      }
    },
  }
}
