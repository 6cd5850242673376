import { TextDecoder } from 'node:util'

const TABLES = new Map<string, ReadonlyMap<string, number[]>>()
const DOUBLE_BYTE = /jis|euc|gb|big5/

/** Writes a text in an encoding, which TextEncoder cannot: the bytes of each character are those that read as it. */
export function encodeText(text: string, encoding: string): Buffer {
  const table = TABLES.get(encoding) ?? readTable(encoding)
  TABLES.set(encoding, table)
  const bytes = [...text].flatMap((character) => {
    const found = table.get(character)
    if (!found) throw new Error(`${encoding} has no ${character}`)
    return found
  })
  return Buffer.from(bytes)
}

function readTable(encoding: string): Map<string, number[]> {
  const decoder = new TextDecoder(encoding)
  const table = new Map<string, number[]>()
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes)
  }
  for (let first = 0; first < 256; first += 1) add(first)
  if (DOUBLE_BYTE.test(encoding))
    for (let first = 0x81; first < 256; first += 1)
      for (let second = 0x40; second < 256; second += 1) add(first, second)
  return table
}
