import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js'
import type { FileRow } from '../../../src/spreadsheets/tables/file-row.ts'

/* The first sheets of small workbooks as rows of cells, so far as the fixtures need it. */

async function readEntries(bytes: Buffer): Promise<Map<string, string>> {
  const reader = new ZipReader(new BlobReader(new Blob([new Uint8Array(bytes)])))
  const entries = new Map<string, string>()
  for (const entry of await reader.getEntries())
    if (!entry.directory && entry.filename.endsWith('.xml'))
      entries.set(entry.filename, await entry.getData(new TextWriter()))
  return entries
}

const unescape = (text: string) =>
  text
    .replaceAll('&apos;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const textsOf = (xml: string, tag: string) =>
  [...xml.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(([, text]) => unescape(text!)).join('')

export async function readXlsx(bytes: Buffer): Promise<FileRow[]> {
  const entries = await readEntries(bytes)
  const shared = [...entries.get('xl/sharedStrings.xml')!.matchAll(/<si>(.*?)<\/si>/gs)].map(([, xml]) =>
    textsOf(xml!, 't'),
  )
  const sheet = entries.get('xl/worksheets/sheet1.xml')!
  return [...sheet.matchAll(/<row r="(\d+)"[^>]*>(.*?)<\/row>/gs)].map(([, line, xml]) => {
    const cells: string[] = []
    for (const [, column, attributes, inner] of xml!.matchAll(/<c r="([A-Z])\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const value = /<v>([^<]*)<\/v>/.exec(inner ?? '')?.[1] ?? ''
      cells[column!.charCodeAt(0) - 65] = readXlsxCell(value, attributes!, shared)
    }
    return { line: Number(line), cells: Array.from(cells, (cell) => cell ?? '') }
  })
}

function readXlsxCell(value: string, attributes: string, shared: readonly string[]): string {
  if (value === '') return ''
  if (attributes.includes('t="s"')) return shared[Number(value)]!
  if (attributes.includes('s="2"')) return value.padStart(6, '0')
  if (attributes.includes('s="3"'))
    return new Date(Date.UTC(1899, 11, 30) + Number(value) * 86_400_000).toISOString().slice(0, 10)
  return value
}

export async function readOds(bytes: Buffer): Promise<FileRow[]> {
  const content = (await readEntries(bytes)).get('content.xml')!
  return [...content.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)]
    .map(([, xml], at) => ({
      line: at + 1,
      cells: [...xml!.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
        ([, attributes, inner]) => {
          const date = /office:date-value="([^"T]*)/.exec(attributes!)?.[1]
          const times = Number(/number-columns-repeated="(\d+)"/.exec(attributes!)?.[1] ?? 1)
          return Array.from({ length: times > 100 ? 0 : times }, () => date ?? textsOf(inner ?? '', 'text:p'))
        },
      ),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
}
