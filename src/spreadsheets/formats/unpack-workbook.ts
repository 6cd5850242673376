import { crc32, inflateRawSync } from 'node:zlib'
import { DAMAGED, FileError } from '../file-error.ts'
import { refuseRepetitions } from './refuse-repetitions.ts'

const MIB = 1_048_576
/** How many bytes the parts of a workbook may have together, unless it is said otherwise. */
export const MAX_UNPACKED = 128 * MIB
/** The number of entries of a workbook. */
const MAX_ENTRIES = 5_000

const PASSWORD = 'The workbook has a password. Save it without one'

/* Records of a ZIP file (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16). */
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const [LOCAL_BYTES, CENTRAL_BYTES, END_BYTES] = [30, 46, 22]
const MAX_COMMENT = 65_535
const [STORED, DEFLATED] = [0, 8]
const IS_ENCRYPTED = 1

interface Entry {
  name: string
  flags: number
  method: number
  checksum: number
  packed: number
  unpacked: number
  offset: number
}

/**
 * Unpacks the parts of a workbook in the form of Excel or OpenDocument that a reader needs. An archive whose records
 * disagree, or whose parts aren't what they declare, is damaged: another program might find other parts in it.
 * `maxUnpacked` is how many bytes the parts may have together. Throws FileError.
 */
export function unpackWorkbook(archive: Buffer, maxUnpacked = MAX_UNPACKED): ReadonlyMap<string, Buffer> {
  const entries = listEntries(archive)
  refuseOthers(new Set(entries.map(({ name }) => name)))
  if (entries.some(({ flags }) => (flags & IS_ENCRYPTED) !== 0)) throw new FileError(1, PASSWORD)
  const needed = entries.filter(({ name }) => /\.(?:xml|rels)$/i.test(name))
  if (needed.reduce((sum, { unpacked }) => sum + unpacked, 0) > maxUnpacked)
    throw new FileError(
      1,
      `The workbook unpacks to more than ${Math.floor(maxUnpacked / MIB)} MiB. Save its sheet as CSV (UTF-8)`,
    )
  return new Map(needed.map((entry) => [entry.name, unpack(archive, entry)]))
}

function refuseOthers(names: ReadonlySet<string>): void {
  if (names.has('xl/workbook.xml') || (names.has('content.xml') && names.has('mimetype'))) return
  const list = [...names]
  const isOf = (pattern: RegExp) => list.some((name) => pattern.test(name))
  if (isOf(/^Index\/|\.iwa$|^Index\.zip$/))
    throw new FileError(1, 'This is a file of Apple Numbers. Export it as an Excel workbook (.xlsx) or as CSV')
  if (isOf(/^xl\/workbook\.bin$/))
    throw new FileError(1, 'This is a binary Excel workbook (.xlsb). Save it as an Excel workbook (.xlsx)')
  if (isOf(/^word\//)) throw new FileError(1, 'This is a Word document. Save its table as an Excel workbook (.xlsx)')
  throw new FileError(1, 'This is an archive and no workbook. Unpack it, and upload the file in it')
}

/** Lists the entries of the central directory, if the other records agree with it. */
function listEntries(archive: Buffer): Entry[] {
  try {
    const end = findEnd(archive)
    const count = archive.readUInt16LE(end + 10)
    const start = archive.readUInt32LE(end + 16)
    const isWhole = archive.readUInt32LE(end + 4) === 0 && archive.readUInt16LE(end + 8) === count
    if (!isWhole || count > MAX_ENTRIES || start + archive.readUInt32LE(end + 12) !== end) throw new RangeError()
    const entries: Entry[] = []
    let at = start
    for (let index = 0; index < count; index += 1) {
      const { entry, next } = readEntry(archive, at)
      entries.push(entry)
      at = next
    }
    if (at !== end) throw new RangeError()
    refuseDisagreement(archive, entries, start)
    return entries
  } catch (error) {
    throw error instanceof RangeError ? new FileError(1, DAMAGED) : error
  }
}

function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT)
  for (let at = archive.length - END_BYTES; at >= first; at -= 1)
    if (archive.readUInt32LE(at) === END && at + END_BYTES + archive.readUInt16LE(at + 20) === archive.length) return at
  throw new RangeError()
}

function readEntry(archive: Buffer, at: number): { entry: Entry; next: number } {
  if (archive.readUInt32LE(at) !== CENTRAL) throw new RangeError()
  const nameEnd = at + CENTRAL_BYTES + archive.readUInt16LE(at + 28)
  const entry = {
    name: archive.toString('utf8', at + CENTRAL_BYTES, nameEnd),
    flags: archive.readUInt16LE(at + 8),
    method: archive.readUInt16LE(at + 10),
    checksum: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    unpacked: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
  }
  return { entry, next: nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32) }
}

/** Refuses names that occur twice, entries that overlap, and local headers that say something else. */
function refuseDisagreement(archive: Buffer, entries: readonly Entry[], directory: number): void {
  // Readers don't distinguish capitals in the names of parts (ECMA-376 part 2).
  if (new Set(entries.map(({ name }) => name.toLowerCase())).size < entries.length) throw new RangeError()
  let from = 0
  for (const entry of entries.toSorted((a, b) => a.offset - b.offset)) {
    const { name, flags, method, packed, unpacked, offset } = entry
    if (offset < from || archive.readUInt32LE(offset) !== LOCAL) throw new RangeError()
    const nameEnd = offset + LOCAL_BYTES + archive.readUInt16LE(offset + 26)
    // Who writes without knowing the sizes leaves them out here; those of ZIP64 stand in the extra field.
    const isSize = (at: number, size: number) => [0, size, 0xffffffff].includes(archive.readUInt32LE(at))
    const isSame =
      archive.readUInt16LE(offset + 6) === flags &&
      archive.readUInt16LE(offset + 8) === method &&
      isSize(offset + 18, packed) &&
      isSize(offset + 22, unpacked) &&
      archive.toString('utf8', offset + LOCAL_BYTES, nameEnd) === name
    if (!isSame) throw new RangeError()
    from = startOf(archive, entry) + packed
  }
  if (from > directory) throw new RangeError()
}

/** Where the bytes of an entry begin. */
function startOf(archive: Buffer, { offset }: Entry): number {
  return offset + LOCAL_BYTES + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
}

function unpack(archive: Buffer, entry: Entry): Buffer {
  const { name, method, checksum, packed, unpacked } = entry
  const start = startOf(archive, entry)
  const content = inflate(archive.subarray(start, start + packed), method, unpacked)
  if (content?.length !== unpacked || crc32(content) !== checksum) throw new FileError(1, DAMAGED)
  // Entities of XML can refer to each other, and to other files. No program writes them into a workbook.
  if (content.includes('<!ENTITY') || content.includes('<!DOCTYPE')) throw new FileError(1, DAMAGED)
  if (name === 'META-INF/manifest.xml' && content.includes('encryption-data')) throw new FileError(1, PASSWORD)
  refuseRepetitions(content)
  return content
}

function inflate(content: Buffer, method: number, unpacked: number): Buffer | null {
  if (method === STORED) return content
  if (method !== DEFLATED) return null
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, unpacked) })
  } catch {
    return null
  }
}
