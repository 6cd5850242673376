import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Address4, Address6 } from 'ip-address'
import t from 'tap'
import { isInNetworks, networkOf, readAddress, readNetwork } from '../../src/domain/networks.ts'

const readForm = (text: string) => readNetwork(text).network

await t.test('a network has one usual form; an address is the network that has it alone', async (t) => {
  const forms: Record<string, string> = {
    '10.0.0.0/8': '10.0.0.0/8',
    '0.0.0.0/0': '0.0.0.0/0',
    '192.0.2.1': '192.0.2.1/32',
    '192.0.2.1/32': '192.0.2.1/32',
    '::/0': '::/0',
    '2001:DB8:0:0::/32': '2001:db8::/32',
    '2001:db8::1': '2001:db8::1/128',
    '::ffff:192.0.2.1': '192.0.2.1/32',
    '::ffff:c000:200/120': '192.0.2.0/24',
    '::ffff:0:0/96': '0.0.0.0/0',
  }
  for (const [text, form] of Object.entries(forms)) {
    t.equal(readForm(text), form, text)
    t.equal(readForm(form), form, `${form} stays as it is`)
  }
})

await t.test('bits after the prefix are refused as such, and everything else as malformed', async (t) => {
  for (const text of ['10.0.0.1/8', '192.0.2.1/31', '0.0.0.1/0', '2001:db8::1/64', '::1/127', '::ffff:0:0/80']) {
    t.match(readNetwork(text).error, /bits set after its prefix/, text)
  }
  const malformed = ['', ' ', '10', '10.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/1e1']
  malformed.push('010.0.0.1', '0x7f.0.0.1', '256.0.0.1', ' 10.0.0.0/8', '10.0.0.0/8\n', '10.0.0.0/255.0.0.0')
  malformed.push('::1/129', '::1/64/3', ':::', 'fe80::1%eth0', 'fe80::%eth0/64', 'localhost', 'any', '10.0.0.0\0')
  malformed.push('1'.repeat(100_000), `::${'0'.repeat(100_000)}`, `10.0.0.0/${'9'.repeat(1_000)}`)
  for (const text of malformed) t.match(readNetwork(text).error, /must be an IP address/, text.slice(0, 40))
})

await t.test('an address is read without its zone, and as IPv4 if it is IPv4', async (t) => {
  t.equal(readAddress('192.0.2.1'), '192.0.2.1')
  t.equal(readAddress('::ffff:192.0.2.1'), '192.0.2.1')
  t.equal(readAddress('::FFFF:c000:201'), '192.0.2.1')
  t.equal(readAddress('2001:DB8:0::1'), '2001:db8::1')
  t.equal(readAddress('fe80::1%eth0'), 'fe80::1')
  for (const text of ['', 'unknown', '192.0.2', '[]:80', ':80']) t.equal(readAddress(text), null, text)
})

await t.test('an address is read without the port, brackets, and quotation marks around it', async (t) => {
  for (const text of ['192.0.2.1:8080', '[192.0.2.1]:8080', '"192.0.2.1:1"', '[::ffff:192.0.2.1]']) {
    t.equal(readAddress(text), '192.0.2.1', text)
  }
  for (const text of ['[::1]', '[::1]:65535', '"[::1]"', '"[0:0::1%lo]:443"', '0:0:0:0:0:0:0:1:443']) {
    t.equal(readAddress(text), '::1', text)
  }
  for (const text of ['192.0.2.1:', '192.0.2.1:x', '192.0.2.1:123456', '[192.0.2.1', '"192.0.2.1', '[::1]443']) {
    t.equal(readAddress(text), null, text)
  }
  t.equal(readAddress('2001:db8::1:4430'), '2001:db8::1:4430', 'what can be an address is one')
})

await t.test(
  'the families are apart: no IPv4 address is in an IPv6 network, and none the other way round',
  async (t) => {
    t.notOk(isInNetworks('192.0.2.1', ['::/0']))
    t.notOk(isInNetworks('2001:db8::1', ['0.0.0.0/0']))
    t.ok(isInNetworks('192.0.2.1', ['::/0', '0.0.0.0/0']))
  },
)

const FAMILIES = [
  { bits: 32, textOf: (number: bigint) => Address4.fromBigInt(number).correctForm() },
  { bits: 128, textOf: (number: bigint) => Address6.fromBigInt(number).correctForm() },
]

await t.test('an address is in a network exactly if the bits of its prefix are the same', async () => {
  for (const { bits, textOf } of FAMILIES) {
    const all = (1n << BigInt(bits)) - 1n
    const anyNumber = fc.bigInt({ min: 0n, max: all })
    fc.assert(
      // The address differs from the network's in some bits of a mask, so that near misses are frequent.
      fc.property(anyNumber, fc.nat({ max: bits }), anyNumber, fc.nat({ max: bits }), (base, prefix, noise, kept) => {
        const hostBits = BigInt(bits - prefix)
        const start = (base >> hostBits) << hostBits
        const address = start ^ (noise & ((1n << BigInt(kept)) - 1n))
        const [text, sent] = [textOf(address), `${textOf(start)}/${prefix}`]
        // ::ffff:0:0/96 is IPv4, which the other round covers.
        fc.pre(bits === 32 || (start >> 32n !== 0xffffn && address >> 32n !== 0xffffn))
        const network = readForm(sent)
        assert.equal(network, sent)
        const isInside = address >> hostBits === start >> hostBits
        assert.equal(isInNetworks(readAddress(text)!, [network]), isInside, `${text} in ${network}`)
        if (bits === 32) {
          assert.equal(isInNetworks(readAddress(`::ffff:${text}`)!, [network]), isInside, 'mapped')
          assert.equal(readForm(`::ffff:${textOf(start)}/${prefix + 96}`), network, 'mapped')
        }
      }),
    )
  }
})

await t.test('one network that matches is enough', async (t) => {
  const networks = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/32']
  for (const address of ['192.0.2.255', '198.51.100.7', '2001:db8:ffff::'])
    t.ok(isInNetworks(address, networks), address)
  for (const address of ['192.0.3.0', '198.51.100.8', '2001:db9::']) t.notOk(isInNetworks(address, networks), address)
})

await t.test('an IPv6 address in any notation counts as its network, and an IPv4 address as itself', async (t) => {
  for (const [address, of64, of48] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '2001:db8:1::'],
    ['2001:DB8:1:2::', '2001:db8:1:2::', '2001:db8:1::'],
    ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::', 'fe80::'],
    ['::1', '::', '::'],
  ] as const) {
    t.equal(networkOf(address, 64), of64, address)
    t.equal(networkOf(address, 48), of48, address)
  }
})
