import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { Address4, Address6 } from 'ip-address'

/** Maximum characters of a network as text: more than any address with a prefix length has. */
export const MAX_NETWORK_CHARACTERS = 64

const IPV4_BITS = 32
const IPV6_BITS = 128
/** An IPv4-mapped IPv6 address is ::ffff:0:0/96 and the IPv4 address. */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS

/** What proxies write around an address: a port, brackets because of it, and quotation marks because of these. */
const WRAPPED = /^("?)(?:\[([^\]]*)\]|([^[\]"]*?))(?::\d{1,5})?\1$/

/**
 * Reads an IP address and returns its usual form, without a zone, a port, brackets, and quotation marks. An IPv4-mapped
 * IPv6 address is read as the IPv4 address. Returns null for any other text.
 */
export function readAddress(text: string): string | null {
  if (isIPv4(text)) return text
  if (isIPv6(text)) return readIpv6(text)
  const [, , inBrackets, plain = ''] = WRAPPED.exec(text) ?? []
  const address = inBrackets ?? plain
  return isIPv4(address) ? address : isIPv6(address) ? readIpv6(address) : null
}

function readIpv6(text: string) {
  const address = new Address6(text)
  return address.isMapped4() ? address.to4().correctForm() : address.correctForm()
}

type NetworkReading = { network: string; error?: undefined } | { network?: undefined; error: string }

const FORM = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/
const MALFORMED = { error: 'must be an IP address, or a network in CIDR notation such as 192.0.2.0/24' }
const HOST_BITS = { error: 'must not have bits set after its prefix' }

/**
 * Reads a network in CIDR notation, or an address as the network that has it alone, and returns its usual form. A
 * network of IPv4-mapped IPv6 addresses is read as the IPv4 network. A error follows the name of the field.
 */
export function readNetwork(text: string): NetworkReading {
  const [, address = '', prefix] = text.length <= MAX_NETWORK_CHARACTERS ? (FORM.exec(text) ?? []) : []
  if (isIPv4(address)) return readSubnet(Address4, address, Number(prefix ?? IPV4_BITS), IPV4_BITS)
  if (!isIPv6(address)) return MALFORMED
  const bits = Number(prefix ?? IPV6_BITS)
  const plain = new Address6(address)
  return plain.isMapped4() && bits >= MAPPED_BITS
    ? readSubnet(Address4, plain.to4().correctForm(), bits - MAPPED_BITS, IPV4_BITS)
    : readSubnet(Address6, address, bits, IPV6_BITS)
}

function readSubnet(
  Address: typeof Address4 | typeof Address6,
  address: string,
  bits: number,
  most: number,
): NetworkReading {
  if (bits > most) return MALFORMED
  const subnet = new Address(`${address}/${bits}`)
  const form = subnet.correctForm()
  return subnet.startAddress().correctForm() === form ? { network: `${form}/${bits}` } : HOST_BITS
}

/** Lists by address family: an IPv4 address is in no IPv6 network, however short its prefix. */
type Lists = Record<'ipv4' | 'ipv6', BlockList>

/** The lists of networks that were loaded together, so that many calls with one key make them once. */
const lists = new WeakMap<readonly string[], Lists>()

/** Whether an address, as `readAddress` returns it, is in one of these networks, which `readNetwork` has returned. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  let list = lists.get(networks)
  if (!list) {
    list = makeLists(networks)
    lists.set(networks, list)
  }
  const family = familyOf(address)
  return list[family].check(address, family)
}

function makeLists(networks: readonly string[]): Lists {
  const made = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string]
    const family = familyOf(address)
    made[family].addSubnet(address, Number(bits), family)
  }
  return made
}

function familyOf(address: string) {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}

/**
 * The network of an IPv6 address, by prefix length. An IPv4 address, also in IPv6-mapped form, is its own network. A
 * customer of a provider usually has at least a /64, and often a /48 (RFC 6177).
 */
export function networkOf(address: string, bits: 48 | 64): string {
  const read = readAddress(address)
  if (read === null || !isIPv6(read)) return read ?? address
  return new Address6(`${read}/${bits}`).startAddress().correctForm()
}
