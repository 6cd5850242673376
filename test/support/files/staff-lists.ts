import { readdirSync, readFileSync } from 'node:fs'
import type { FileRow } from '../../../src/spreadsheets/tables/file-row.ts'
import { readCsv } from '../../../src/spreadsheets/formats/read-csv.ts'
import type { Expected } from './compare-people.ts'
import { readOds, readXlsx } from './workbook-rows.ts'

/* Files as other systems write them, as rows of cells. */

const FOLDER = 'test/fixtures/staff-lists'

/** A file, the line that names its columns, and the rows below it. */
export interface StaffList {
  expected: Expected
  bytes: Buffer
  header: FileRow
  rows: FileRow[]
}

/** Reads all files. */
export async function readStaffLists(): Promise<StaffList[]> {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.expected.json'))
  return Promise.all(
    names.map(async (name) => {
      const expected = JSON.parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as Expected
      const bytes = readFileSync(`${FOLDER}/${expected.file_name}`)
      const all = await readRows(bytes, expected)
      const isOut = listLeftOut(expected)
      const [header, ...rows] = all.filter(({ line }) => line >= (expected.file.header_row ?? 1))
      return { expected, bytes, header: header!, rows: rows.filter(({ line }) => !isOut(line)) }
    }),
  )
}

function listLeftOut({ left_out: out = [] }: Expected & { left_out?: { row: number | string }[] }) {
  return (line: number) => out.some(({ row }) => String(row) === String(line))
}

async function readRows(bytes: Buffer, { file }: Expected): Promise<FileRow[]> {
  if (file.format === 'xlsx') return readXlsx(bytes)
  if (file.format === 'ods') return readOds(bytes)
  const encoding = (file.encoding ?? 'utf-8').split(' ')[0]!
  const text = new TextDecoder(encoding).decode(bytes)
  if (file.format === 'json') return readJson(text)
  const separator = file.separator === 'tab' ? '\t' : (file.separator ?? ',')
  // The separator is found in the first line, which may be a title.
  const lines = text.split('\r\n').length > 1 ? text.split('\r\n') : text.split('\n')
  const table = lines.slice((file.header_row ?? 1) - 1).join('\n')
  const rows: FileRow[] = []
  for await (const some of readCsv(ofTexts([table]))) rows.push(...some)
  const before = (file.header_row ?? 1) - 1
  return rows
    .filter(({ cells }) => cells.some((cell) => cell !== '') && separator !== '')
    .map(({ line, cells }) => ({ line: line + before, cells }))
}

async function* ofTexts(texts: string[]): AsyncGenerator<string, void> {
  yield* texts
}

function readJson(text: string): FileRow[] {
  const parsed = JSON.parse(text) as unknown[] | { Resources: unknown[] }
  const records = Array.isArray(parsed) ? parsed : parsed.Resources
  const flat = records.map((record) => new Map(flatten('', record)))
  const header = [...new Set(flat.flatMap((record) => [...record.keys()]))]
  return [
    { line: 0, cells: header },
    ...flat.map((record, at) => ({ line: at + 1, cells: header.map((name) => record.get(name) ?? '') })),
  ].map(({ line, cells }) => ({ line: line === 0 ? 1 : line, cells }))
}

function flatten(path: string, value: unknown): [string, string][] {
  const inner = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (Array.isArray(value)) {
    const typed = value.filter((item): item is { type: string; value: string } => typeof item?.value === 'string')
    return typed.map(({ type, value: text }) => [inner(type), text])
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, member]) =>
      flatten(inner(name.replace(/^urn:.*:enterprise:2\.0:User$/, 'enterprise')), member),
    )
  return value === null || value === '' ? [] : [[path, JSON.stringify(value).replaceAll(/^"|"$/g, '')]]
}
