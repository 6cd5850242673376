import { TextDecoder } from 'node:util'
import type { Encoding } from './encodings.ts'

/** Decodes bytes chunk by chunk. What is no character becomes U+FFFD. */
export interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}

/** Creates a decoder. Node.js reads `euc-kr` without what Windows adds to it (code page 949), so that is done here. */
export function createDecoder(encoding: Encoding): Decoder {
  return encoding === 'euc-kr' ? new KoreanDecoder() : new TextDecoder(encoding)
}

const REPLACEMENT = 0xfffd
/** The first byte of a character of two bytes, and the last one. */
const [FIRST_LEAD, LAST_LEAD] = [0x81, 0xfe]
/** The bytes from which both halves of a character are in EUC-KR. */
const EUC = 0xa1
/** The syllables of Korean in Unicode. */
const [FIRST_SYLLABLE, LAST_SYLLABLE] = [0xac00, 0xd7a3]

let table: Uint16Array | null = null
const placeOf = (lead: number, trail: number) => (lead - FIRST_LEAD) * 256 + trail

/** The characters by their two bytes: those of EUC-KR, and then the syllables that it lacks, in the order of Unicode. */
function readTable(): Uint16Array {
  const characters = new Uint16Array((LAST_LEAD - FIRST_LEAD + 1) * 256).fill(REPLACEMENT)
  const decoder = new TextDecoder('euc-kr')
  const known = new Set<number>()
  for (let lead = EUC; lead <= LAST_LEAD; lead += 1)
    for (let trail = EUC; trail <= LAST_LEAD; trail += 1) {
      const text = decoder.decode(Uint8Array.of(lead, trail))
      if (text.length !== 1) continue
      characters[placeOf(lead, trail)] = text.charCodeAt(0)
      known.add(text.charCodeAt(0))
    }
  let syllable = FIRST_SYLLABLE
  for (let lead = FIRST_LEAD; syllable <= LAST_SYLLABLE; lead += 1)
    for (const trail of TRAILS) {
      if (lead >= EUC && trail >= EUC) break
      while (known.has(syllable)) syllable += 1
      if (syllable > LAST_SYLLABLE) break
      characters[placeOf(lead, trail)] = syllable
      syllable += 1
    }
  return characters
}

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const TRAILS = [...range(0x41, 0x5a), ...range(0x61, 0x7a), ...range(0x81, LAST_LEAD)]

class KoreanDecoder implements Decoder {
  /** The first byte of a character that the next chunk ends. */
  #lead: number | null = null

  decode(bytes: Uint8Array = new Uint8Array(), { stream = false } = {}): string {
    table ??= readTable()
    // Half a character may become two.
    const codes = Buffer.alloc(4 * (bytes.length + 1))
    let length = 0
    const add = (code: number) => {
      length = codes.writeUInt16LE(code, length)
    }
    for (const byte of bytes) {
      const lead = this.#lead
      this.#lead = null
      if (lead === null) {
        if (byte < 0x80) add(byte)
        else if (byte >= FIRST_LEAD && byte <= LAST_LEAD) this.#lead = byte
        else add(REPLACEMENT)
        continue
      }
      const code = table[placeOf(lead, byte)]!
      add(code)
      // A byte of ASCII stays one behind half a character.
      if (code === REPLACEMENT && byte < 0x80) add(byte)
    }
    if (!stream && this.#lead !== null) {
      this.#lead = null
      add(REPLACEMENT)
    }
    return codes.toString('utf16le', 0, length)
  }
}
