import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { callbackify } from 'node:util'

const TRY_MS = 2_000
const TRIES = 2
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
  lookUpAll(hostname, family, (error, found) => {
    const [first] = found ?? []
    if (error || !first) callback(error ?? new Error('The host name has no address'), [])
    else if (all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}

const lookUpAll = callbackify(async (hostname: string, wanted: LookupOptions['family']): Promise<LookupAddress[]> => {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  const families = FAMILIES.filter((family) => !wanted || wanted === family)
  const results = await Promise.allSettled(
    families.map((family) => (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname))),
  )
  const found = results.flatMap((result, at) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: families[at]! })) : [],
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (found.length === 0 && failed) throw failed.reason
  return found
})
