import zlib from 'node:zlib'

/**
 * Makes a search for values in what is stored, in any case, and however they are written: as text or bytes, with the
 * escapes of JSON, of addresses, or of HTML, as Base64 or hexadecimal digits, and compressed.
 */
export function searchFor(values: readonly string[]): (stored: string | Buffer) => boolean {
  const words = values.flatMap((value) => [normalize(value), Buffer.from(value).toString('hex')])
  const fragments = values.flatMap(base64Fragments)
  const isIn = (text: string) => {
    const normalized = normalize(text)
    return words.some((word) => normalized.includes(word)) || fragments.some((fragment) => text.includes(fragment))
  }
  const isInText = (text: string): boolean =>
    isIn(text) || meaningsOf(text).some(isIn) || compressedIn(text).some((bytes) => decompress(bytes).some(isInBytes))
  const isInBytes = (bytes: Buffer): boolean => isInText(bytes.toString()) || isInText(bytes.toString('utf16le'))
  return (stored) =>
    typeof stored === 'string' ? isInText(stored) : [stored, ...decompress(stored)].some((bytes) => isInBytes(bytes))
}

function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** What the Base64 of a text contains wherever the value begins in it, without the digits that depend on its neighbors. */
function base64Fragments(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64')
    const fragment = digits.replaceAll('=', '').slice(before === 0 ? 0 : 4, -1)
    return fragment.length < 6 ? [] : [fragment, fragment.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Escapes within escapes that are read. */
const DEPTH = 3

/** What a text means if it is escaped, once or several times. */
function meaningsOf(text: string): string[] {
  const meanings: string[] = []
  for (const read of [readEscapes, readPercents, readEntities]) {
    for (let [last, depth] = [text, 0]; depth < DEPTH; depth += 1) {
      const meaning = read(last)
      if (meaning === last) break
      meanings.push(meaning)
      last = meaning
    }
  }
  return meanings
}

function readEscapes(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, digits?: string, char?: string) => {
    return char ?? String.fromCharCode(Number.parseInt(digits!, 16))
  })
}

function readPercents(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

function readEntities(text: string): string {
  return text.replaceAll(/&#(?:x([0-9a-fA-F]{1,5})|([0-9]{1,6}));/g, (_, hex?: string, decimal?: string) => {
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

/** How the Base64 of gzip, zlib and Zstandard begins. */
const COMPRESSED = /(?:H4sI|eJ|eA|eN|KLUv)[A-Za-z0-9+/_-]{12,}/g

function compressedIn(text: string): Buffer[] {
  return [...text.matchAll(COMPRESSED)].map(([digits]) => Buffer.from(digits, 'base64'))
}

const MAX_BYTES = 16 * 1024 * 1024

/** Each format, and whether bytes can begin so; what has no beginning of its own is tried on all bytes. */
const FORMATS = [
  { read: zlib.gunzipSync, canBegin: (bytes: Buffer) => bytes.length > 1 && bytes.readUInt16BE() === 0x1f8b },
  { read: zlib.inflateSync, canBegin: (bytes: Buffer) => bytes.length > 1 && bytes.readUInt16BE() % 31 === 0 },
  {
    read: zlib.zstdDecompressSync,
    canBegin: (bytes: Buffer) => bytes.length > 3 && bytes.readUInt32LE() === 0xfd2fb528,
  },
  { read: zlib.inflateRawSync, canBegin: () => true },
  { read: zlib.brotliDecompressSync, canBegin: () => true },
]

function decompress(bytes: Buffer): Buffer[] {
  // Most bytes are not compressed, and a stack takes longer than finding that out.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return FORMATS.filter(({ canBegin }) => canBegin(bytes)).flatMap(({ read }) => {
      try {
        return [read(bytes, { maxOutputLength: MAX_BYTES })]
      } catch {
        return []
      }
    })
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
