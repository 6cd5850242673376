import { Address6 } from 'ip-address'
import { isIPv6 } from 'node:net'
import { readAddress } from '../../domain/networks.ts'

/**
 * The network of an IPv6 address, by prefix length. An IPv4 address, also in IPv6-mapped form, is its own network. A
 * customer of a provider usually has at least a /64, and often a /48 (RFC 6177).
 */
export function networkOf(address: string, bits: 48 | 64): string {
  const read = readAddress(address)
  if (read === null || !isIPv6(read)) return read ?? address
  return new Address6(`${read}/${bits}`).startAddress().correctForm()
}
