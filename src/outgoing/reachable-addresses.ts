import { isIPv4 } from 'node:net'
import { Address6 } from 'ip-address'
import { isInNetworks } from '#domain/networks'

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

function isClosed(address: string): boolean {
  if (isInNetworks(address, CLOSED)) return true
  return isInNetworks(address, ENDING_IN_IPV4) && isInNetworks(readIpv4(address), CLOSED)
}

function isPublic(address: string): boolean {
  if (isInNetworks(address, NAT64)) return isPublic(readIpv4(address))
  return (isIPv4(address) || isInNetworks(address, GLOBAL_UNICAST)) && !isInNetworks(address, SPECIAL)
}

/** The IPv4 address at the end of an IPv6 address. */
function readIpv4(address: string): string {
  return new Address6(address).to4().correctForm()
}
