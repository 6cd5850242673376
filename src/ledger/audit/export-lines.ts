import { VerificationError } from './verify-line.ts'

const LINE_FEED = 0x0a
/** Far beyond any event: a body has at most 64 MiB. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

/** Splits bytes into lines, including their line feeds; only a truncated last line has none. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const lines: Buffer[] = []
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const rest = chunk.subarray(from, end + 1)
      lines.push(pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]))
      ;[pieces, bytes, from] = [[], 0, end + 1]
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
    bytes += chunk.length - from
    if (bytes > MAX_LINE_BYTES)
      throw new VerificationError('unverifiable', null, `a line has more than ${MAX_LINE_BYTES} bytes`)
    if (lines.length > 0) yield lines
  }
  if (pieces.length > 0) yield [Buffer.concat(pieces)]
}
