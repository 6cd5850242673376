const BLOCK = 512
/** Where the checksum stands in a header, and what it counts as while it is computed. */
const CHECKSUM = { at: 148, blank: ' '.repeat(8) }

/** Writes files as an archive (POSIX.1-1988 ustar). A path has at most 100 bytes. The archive holds no times and no owners. */
export function writeTar(files: readonly (readonly [path: string, content: Buffer])[]): Buffer {
  const entries = files.flatMap(([path, content]) => [
    writeHeader(path, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ])
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)])
}

function writeHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError('a path in an archive has at most 100 bytes')
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(path, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(CHECKSUM.blank, CHECKSUM.at)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM.at)
  return header
}
