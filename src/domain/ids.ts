/** The TypeID prefixes of public ids. */
export type IdPrefix = 'emp' | 'log' | 'com' | 'key' | 'usr' | 'tok' | 'whk' | 'dlv' | 'idp' | 'psk' | 'upl'

/**
 * A TypeID (https://github.com/jetify-com/typeid, v0.3) whose suffix is a UUID (RFC 9562) in base 32: character 11
 * holds the version, 1 to 8, and character 14 the variant. Other TypeIDs are well-formed but never issued.
 */
const ID = /^[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{9}[2-9a-h][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/

/** Whether a value is a well-formed TypeID with this prefix. Does not check that anything has this id. */
export function isId(prefix: IdPrefix, text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(`${prefix}_`) && ID.test(text)
}

// A call of 1,000 records converts about 7,000 ids, and typeid-js decodes each of them three times. Regrouping the bits
// here is several times faster.

const BASE_32 = '0123456789abcdefghjkmnpqrstvwxyz'
/** The value of each digit of base 32, by its code. */
const DIGITS = new Uint8Array(128)
for (let value = 0; value < BASE_32.length; value += 1) DIGITS[BASE_32.charCodeAt(value)] = value
/** Each number of ten bits in base 32. */
export const TEN_BITS: readonly string[] = Array.from(
  { length: 1024 },
  (_, bits) => BASE_32[bits >> 5]! + BASE_32[bits & 31]!,
)
const SUFFIX_AT = 4
/** The value of each digit of base 16, by its code. */
const HEX_DIGITS = new Uint8Array(128)
for (let value = 0; value < 16; value += 1) HEX_DIGITS[value.toString(16).charCodeAt(0)] = value
const HYPHEN = 0x2d

export const UUID_BYTES = 16
/** Scratch space for conversions. */
const bytes = Buffer.alloc(UUID_BYTES)

/** Writes the 16 bytes of the UUID of a TypeID. Throws on a malformed id. */
export function writeUuid(id: string, into: Uint8Array, offset: number): void {
  if (!ID.test(id)) throw new TypeError('the text is not an id')
  // 26 digits of five bits each, except for the first, which has three: 128 = 3 + 25 × 5.
  let [bits, held, at] = [DIGITS[id.charCodeAt(SUFFIX_AT)]!, 3, offset]
  for (let digit = SUFFIX_AT + 1; digit < id.length; digit += 1) {
    bits = (bits << 5) | DIGITS[id.charCodeAt(digit)]!
    held += 5
    if (held < 8) continue
    held -= 8
    into[at++] = bits >> held
    bits &= 0xff >> (8 - held)
  }
}

/** The UUID of a TypeID, as the database stores it. Throws on a malformed id. */
export function toUuid(id: string): string {
  writeUuid(id, bytes, 0)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The TypeID of a UUID that the database stores. */
export function fromUuid(prefix: IdPrefix, uuid: string): string {
  let id = `${prefix}_`
  // Two zero bits before the 128 make 26 digits of five bits.
  let [bits, held] = [0, 2]
  for (let at = 0; at < uuid.length; at += 1) {
    const code = uuid.charCodeAt(at)
    if (code === HYPHEN) continue
    bits = (bits << 4) | HEX_DIGITS[code]!
    held += 4
    if (held < 10) continue
    held -= 10
    id += TEN_BITS[bits >> held]!
    bits &= 0x3ff >> (10 - held)
  }
  return id
}
