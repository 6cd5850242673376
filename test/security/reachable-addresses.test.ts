import t from 'tap'
import { Address4, Address6 } from 'ip-address'
import { mayReach } from '../../src/outgoing/reachable-addresses.ts'

/*
 * API7: which addresses servers that users name may have. The rows are IANA's registries of special-purpose addresses
 * (iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry), and multicast.
 */

const NOT_GLOBALLY_REACHABLE = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::1/128',
  '::/128',
  '::ffff:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]

/** Parts of IPv6 outside 2000::/3, which IANA has not opened for global unicast. */
const RESERVED = ['::/96', '::/8', '200::/7', '400::/6', '800::/5', '1000::/4', '4000::/3', '8000::/1', 'fec0::/10']

const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.31.196.1', '192.52.193.1', '192.167.255.255'],
  ...['192.169.0.0', '192.175.48.1', '198.17.255.255', '198.20.0.0', '203.0.112.255', '223.255.255.255'],
  ...['2001:200::', '2001:db7:ffff::1', '2001:db9::', '2001:4860:4860::8888', '2003::', '2606:4700::1111'],
  ...['2620:4f:8000::1', '2a00:1450::1', '3ffe:ffff::1', '3fff:1000::'],
]

/** The first and the last address of a network, and one in between. */
function addressesIn(network: string): string[] {
  const subnet = network.includes(':') ? new Address6(network) : new Address4(network)
  const [first, last] = [subnet.startAddress(), subnet.endAddress()]
  const middle = (first.bigInt() + last.bigInt()) / 2n
  const between = network.includes(':') ? Address6.fromBigInt(middle) : Address4.fromBigInt(middle)
  return [first, between, last].map((address) => address.correctForm())
}

/** All forms of IPv6 that contain an IPv4 address. */
function formsOf(ipv4: string): Record<string, string> {
  const bytes = new Address4(ipv4).toArray()
  const hex = (list: number[]) =>
    Buffer.from(list)
      .toString('hex')
      .replace(/^(.{4})/, '$1:')
  const groups = hex(bytes)
  return {
    mapped: `::ffff:${groups}`,
    compatible: `::${groups}`,
    '6to4': `2002:${groups}::1`,
    NAT64: `64:ff9b::${groups}`,
    'local NAT64': `64:ff9b:1::${groups}`,
    'Teredo, of the server': `2001:0:${groups}::`,
    'Teredo, of the client': `2001::${hex(bytes.map((byte) => 255 - byte))}`,
  }
}

const reached = (addresses: string[], allowPrivate: boolean) =>
  addresses.filter((address) => mayReach(address, allowPrivate))

await t.test('no address that is not global unicast is reached, in any form', (t) => {
  const refused = [...NOT_GLOBALLY_REACHABLE, ...RESERVED].flatMap(addressesIn)
  t.ok(refused.length > 100)
  t.strictSame(reached(refused, false), [])
  for (const address of refused.filter((one) => !one.includes(':')))
    t.strictSame(reached(Object.values(formsOf(address)), false), [], address)
  t.strictSame(reached(['fe80::1%eth0', '::1%lo', '::ffff:8.8.8.8', '::8.8.8.8'], false), [])
  t.end()
})

await t.test('public addresses are reached, also through NAT64, as DNS64 gives them', (t) => {
  t.strictSame(reached(PUBLIC, false), PUBLIC)
  const translated = PUBLIC.filter((one) => !one.includes(':')).map((one) => formsOf(one)['NAT64']!)
  t.strictSame(reached(translated, false), translated)
  t.end()
})

await t.test('where private addresses are allowed, link-local ones and metadata services stay closed', (t) => {
  const open = ['127.0.0.1', '10.1.2.3', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1', '::ffff:127.0.0.1', ...PUBLIC]
  t.strictSame(reached(open, true), open)
  for (const address of ['169.254.0.1', '169.254.169.254', '168.63.129.16', '100.100.100.200'])
    t.strictSame(reached([address, ...Object.values(formsOf(address))], true), [], address)
  t.strictSame(reached(['fe80::1', 'fe80::1%eth0', 'febf::1', 'fd00:ec2::254', 'fd20:ce::254'], true), [])
  t.end()
})
