import { isIPv4 } from 'node:net'
import { Address6 } from 'ip-address'
import { isInNetworks } from '#domain/networks'
import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { callbackify } from 'node:util'

/** The part of IPv6 that IANA has opened for global unicast (RFC 4291). Everything else is reserved, or special. */
const GLOBAL_UNICAST = ['2000::/3']

/**
 * What IANA's registries of special-purpose addresses (RFC 6890) don't call globally reachable, and multicast. Of IPv6,
 * only what is within 2000::/3. Some anycast addresses in 192.0.0.0/24 and 2001::/23 are reachable, but nobody's server.
 */
const SPECIAL = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared with a provider's customers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments, with Teredo, benchmarks, and ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]

/**
 * Link-local addresses, and those of the metadata services of cloud providers, which hand out credentials to whoever
 * asks from the same machine; and the forms of IPv6 that lead to any IPv4 address through a translator or a tunnel.
 */
const CLOSED = [
  ...['169.254.0.0/16', 'fe80::/10'],
  // Azure, Alibaba Cloud, AWS, and Google Cloud.
  ...['168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  // Local NAT64, 6to4, and Teredo.
  ...['64:ff9b:1::/48', '2002::/16', '2001::/32'],
]

const NAT64 = ['64:ff9b::/96']
/** The forms of IPv6 that end with an IPv4 address: NAT64, IPv4-mapped, and IPv4-compatible. */
const ENDING_IN_IPV4 = [...NAT64, '::ffff:0:0/96', '::/96']

/**
 * Whether an IP address may be reached: a public one, and with `allowPrivate` any other, except link-local ones and those
 * of metadata services. An IPv6 address that contains an IPv4 address is no way around that.
 */
export function mayReach(address: string, allowPrivate: boolean): boolean {
  const [plain = ''] = address.split('%')
  return !isClosed(plain) && (allowPrivate || isPublic(plain))
}

function isClosed(address: string) {
  if (isInNetworks(address, CLOSED)) return true
  return isInNetworks(address, ENDING_IN_IPV4) && isInNetworks(readIpv4(address), CLOSED)
}

function isPublic(address: string) {
  if (isInNetworks(address, NAT64)) return isPublic(readIpv4(address))
  return (isIPv4(address) || isInNetworks(address, GLOBAL_UNICAST)) && !isInNetworks(address, SPECIAL)
}

/** The IPv4 address at the end of an IPv6 address. */
function readIpv4(address: string) {
  return new Address6(address).to4().correctForm()
}

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
) {
  lookUpAll(hostname, family, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) callback(error ?? new Error('The host name has no address'), [])
    else if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

const lookUpAll = callbackify(async (hostname: string, requestedFamily: LookupOptions['family']) => {
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
})
