import { Address6 } from 'ip-address'
import { isIPv6 } from 'node:net'

/**
 * Returns the network of an IPv6 address with this prefix length. An IPv4 address, mapped or not, is its own network.
 * Providers assign each customer a /64 or larger, often a /48 (RFC 6177).
 */
export function networkOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address
  const parsed = new Address6(address)
  if (parsed.isMapped4()) return parsed.to4().correctForm()
  return new Address6(`${parsed.correctForm()}/${bits}`).startAddress().correctForm()
}
