/** The text of a file, or the line that cannot be read. */
type DecodedText = { text: string; fault?: undefined } | { text?: undefined; fault: { line: number; message: string } }

/**
 * Decodes a file as spreadsheets write it: UTF-8, UTF-16 with a byte order mark, or Windows-1252, which is what remains.
 * Refuses a file in several encodings, and one that contains U+0000.
 */
export function decodeText(bytes: Buffer): DecodedText {
  const utf16 = bytes.subarray(0, 2).toString('hex')
  if (utf16 === 'fffe') return checkNull(new TextDecoder('utf-16le').decode(bytes))
  if (utf16 === 'feff') return checkNull(new TextDecoder('utf-16be').decode(bytes))
  const text = new TextDecoder().decode(bytes)
  const damaged = text.indexOf(REPLACEMENT)
  if (damaged === -1 || bytes.includes(REPLACEMENT)) return checkNull(text)
  if (/[^\0-\x7f\ufffd]/.test(text)) {
    const message = 'A character on this line is not in UTF-8, like the rest of the file. Save the file as UTF-8'
    return { fault: { line: lineAt(text, damaged), message } }
  }
  return checkNull(new TextDecoder('windows-1252').decode(bytes))
}

/** What a decoder puts in the place of bytes that it cannot read. */
const REPLACEMENT = '\ufffd'

function checkNull(text: string): DecodedText {
  const at = text.indexOf('\0')
  if (at === -1) return { text }
  return { fault: { line: lineAt(text, at), message: 'This line contains U+0000. The file may not be a text' } }
}

function lineAt(text: string, at: number): number {
  let line = 1
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1
  return line
}
