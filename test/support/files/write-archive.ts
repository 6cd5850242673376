import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of an archive; `inflated` is the size that it declares, if that is not the right one. */
export interface ArchiveEntry {
  name: string
  content: string | Buffer
  inflated?: number
  flags?: number
}

/** Writes a ZIP file, also one that declares what is not so. */
export function writeArchive(entries: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const deflated = new Map<string | Buffer, Buffer>()
  let offset = 0
  for (const { name, content, inflated, flags = 0 } of entries) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    const packed = deflated.get(content) ?? deflateRawSync(bytes)
    deflated.set(content, packed)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(flags, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(inflated ?? bytes.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), facts, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), facts, place, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('504b0506', 'hex')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, list, end])
}
