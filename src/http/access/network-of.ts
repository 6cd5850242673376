import { Address6 } from 'ip-address'
import { isIPv6 } from 'node:net'

/**
 * The network of an IPv6 address, by prefix length. An IPv4 address, also in IPv6-mapped form, is its own network. A
 * customer of a provider usually has at least a /64, and often a /48 (RFC 6177).
 */
export function networkOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address
  const parsed = new Address6(address)
  if (parsed.isMapped4()) return parsed.to4().correctForm()
  return new Address6(`${parsed.correctForm()}/${bits}`).startAddress().correctForm()
}
