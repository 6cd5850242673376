import { createInflateRaw } from 'node:zlib'
import { FileError } from './file-error.ts'

/** The bytes that the entries of a workbook may have together, and their number. */
const MAX_INFLATED = 256 * 1_048_576
const MAX_ENTRIES = 5_000

const DAMAGED = 'The workbook is damaged. Open it and save it again as an Excel workbook (.xlsx)'
const PASSWORD = 'The workbook has a password. Save it without one'

/* Records of a ZIP file (APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16). */
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT = 65_535
const [STORED, DEFLATED] = [0, 8]
const IS_ENCRYPTED = 1

interface Entry {
  name: string
  flags: number
  method: number
  bytes: number
  offset: number
}

/**
 * Looks at an archive before anything of it is kept: whether it is a workbook in the form of Excel or OpenDocument, and
 * how much its entries are, by inflating them. The sizes that an archive declares may be wrong. Throws FileError.
 */
export async function checkArchive(archive: Buffer): Promise<void> {
  const entries = listEntries(archive)
  refuseOthers(new Set(entries.map(({ name }) => name)))
  if (entries.some(({ flags }) => (flags & IS_ENCRYPTED) !== 0)) throw new FileError(1, PASSWORD)
  let total = 0
  for (const entry of entries) {
    for await (const chunk of inflate(archive, entry)) {
      total += chunk.length
      if (total > MAX_INFLATED)
        throw new FileError(1, `The workbook has more than ${MAX_INFLATED} bytes. Save its sheet as CSV (UTF-8)`)
      // Entities of XML can refer to each other, and to other files. No program writes them into a workbook.
      if (chunk.includes('<!ENTITY') || chunk.includes('<!DOCTYPE')) throw new FileError(1, DAMAGED)
      if (entry.name === 'META-INF/manifest.xml' && chunk.includes('encryption-data')) throw new FileError(1, PASSWORD)
    }
  }
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

function listEntries(archive: Buffer): Entry[] {
  try {
    const end = findEnd(archive)
    const count = archive.readUInt16LE(end + 10)
    if (count > MAX_ENTRIES) throw new RangeError('too many entries')
    const entries: Entry[] = []
    let at = archive.readUInt32LE(end + 16)
    for (let index = 0; index < count; index += 1) {
      if (archive.readUInt32LE(at) !== CENTRAL) throw new RangeError('no entry')
      const nameLength = archive.readUInt16LE(at + 28)
      entries.push({
        name: archive.toString('utf8', at + 46, at + 46 + nameLength),
        flags: archive.readUInt16LE(at + 8),
        method: archive.readUInt16LE(at + 10),
        bytes: archive.readUInt32LE(at + 20),
        offset: archive.readUInt32LE(at + 42),
      })
      at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    }
    return entries
  } catch (error) {
    throw error instanceof RangeError ? new FileError(1, DAMAGED) : error
  }
}

function findEnd(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT)
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) if (archive.readUInt32LE(at) === END) return at
  throw new RangeError('no end')
}

/** Inflates an entry, chunk by chunk. */
async function* inflate(archive: Buffer, { method, bytes, offset }: Entry): AsyncGenerator<Buffer, void> {
  if (offset + 30 > archive.length || archive.readUInt32LE(offset) !== LOCAL) throw new FileError(1, DAMAGED)
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
  const content = archive.subarray(start, start + bytes)
  if (method === STORED) yield content
  else if (method !== DEFLATED) throw new FileError(1, DAMAGED)
  else {
    const inflating = createInflateRaw({ chunkSize: 65_536 })
    inflating.end(content)
    try {
      for await (const chunk of inflating) yield chunk as Buffer
    } catch {
      throw new FileError(1, DAMAGED)
    } finally {
      inflating.destroy()
    }
  }
}
