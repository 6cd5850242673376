import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { callbackify } from 'node:util'

const TRY_MS = 2_000
const TRIES = 2
/** How long to wait for the addresses of the other family. */
const LATER_FAMILY_MS = 300
const FAMILIES = [4, 6] as const

/**
 * Looks up the addresses of a host, like `dns.lookup`, but by DNS alone. `dns.lookup` occupies one of the process's few
 * threads for as long as a name server takes, so a receiver with a slow one would hold up passwords and files.
 */
export function lookUpHost(
  hostname: string,
  { all, family }: LookupOptions,
  callback: (error: Error | null, addresses: string | LookupAddress[], family?: number) => void,
): void {
  lookUpAll(hostname, family, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) callback(error ?? new Error('The host name has no address'), [])
    else if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

const lookUpAll = callbackify(
  async (hostname: string, requestedFamily: LookupOptions['family']): Promise<LookupAddress[]> => {
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
    const results: LookupAddress[] = []
    let fault: unknown
    const lookUps = FAMILIES.filter((family) => !requestedFamily || requestedFamily === family).map(async (family) => {
      try {
        const addresses = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname))
        for (const address of addresses) results.push({ address, family })
      } catch (error) {
        fault = error
      }
    })
    const all = Promise.all(lookUps)
    // A name server may answer for one family and not for the other.
    await Promise.race([all, Promise.race(lookUps).then(() => pause(LATER_FAMILY_MS, undefined, { ref: false }))])
    if (results.length === 0) await all
    if (results.length === 0 && fault !== undefined) throw fault
    return results
  },
)
