import { Address6 } from 'ip-address'
import { isIPv6 } from 'node:net'

/**
 * The network of so many bits that an IPv6 address is in; an IPv4 address, also one that is written as IPv6, is its own
 * network. A customer of a provider has at least a network of 64 bits, and often one of 48 (RFC 6177).
 */
export function networkOf(address: string, bits: 48 | 64): string {
  if (!isIPv6(address)) return address
  const parsed = new Address6(address)
  if (parsed.isMapped4()) return parsed.to4().correctForm()
  return new Address6(`${parsed.correctForm()}/${bits}`).startAddress().correctForm()
}
