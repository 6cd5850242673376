import fc from 'fast-check'
import t from 'tap'
import { utils, write } from '@e965/xlsx'
import type { Encoding } from '../../src/spreadsheets/encodings/encodings.ts'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'
import { encodeText } from '../support/files/encode-text.ts'
import { inputs } from '../support/quick.ts'

/* A table of people that any system may have written is read as that table. */

/** How a system writes its files. */
interface System {
  encoding: Encoding
  separator: string
  lineEnd: string
  titles: readonly string[]
  footers: readonly string[]
  isQuoted: boolean
  isWorkbook: boolean
  chunk: number
}

const NAMES: Partial<Record<Encoding, readonly string[]>> = {
  'utf-8': ['Zoë', 'Łukasz', '高橋 誠', 'O’Neil', '김민준', '😀'],
  'utf-16le': ['Zoë', 'Łukasz', '高橋 誠'],
  'windows-1252': ['Jürgens', 'René', 'Søren'],
  'windows-1250': ['Łukasz', 'Żółć', 'Dvořák'],
  'windows-1251': ['Иванов', 'Ольга'],
  'koi8-r': ['Иванов', 'Ольга'],
  macintosh: ['Zoë', 'Åberg'],
  shift_jis: ['高橋', '能登', '表'],
  gb18030: ['王伟', '李秀英'],
  big5: ['陳美玲', '林志明'],
  'euc-kr': ['김민준', '이서연'],
}

const SYSTEM: fc.Arbitrary<System> = fc.record({
  encoding: fc.constantFrom(...(Object.keys(NAMES) as Encoding[])),
  separator: fc.constantFrom(',', ';', '\t', '|'),
  lineEnd: fc.constantFrom('\n', '\r', '\r\n'),
  titles: fc.constantFrom<readonly string[]>([], ['Staff list'], ['Staff list', '', 'Printed 2026-03-31']),
  footers: fc.constantFrom<readonly string[]>([], ['Total: 3 employees'], ['', 'Total 3', 'Report run by ADMIN today']),
  isQuoted: fc.boolean(),
  // A thread takes a while to start.
  isWorkbook: fc.oneof({ weight: 40, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  chunk: fc.integer({ min: 1, max: 60 }),
})

const HEADER = ['Employee ID', 'First Name', 'Last Name', 'Email', 'Department']

function personOf(names: readonly string[]) {
  const name = fc.constantFrom(...names, 'Ana', 'Perez, Bo', 'say "hi"')
  return fc
    .tuple(fc.integer({ min: 0, max: 99_999 }), name, name, fc.constantFrom('Sales', 'R&D; Ops', ''))
    .map(([id, first, last, department]) => [
      String(id).padStart(5, '0'),
      first,
      last,
      `e${id}@example.com`,
      department,
    ])
}

function writeFile(system: System, people: readonly (readonly string[])[]): Buffer {
  const { encoding, separator, lineEnd, titles, footers, isQuoted, isWorkbook } = system
  if (isWorkbook) {
    const book = utils.book_new()
    const rows = [...titles.map((text) => [text]), HEADER, ...people, ...footers.map((text) => [text])]
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows as string[][]), 'Sheet1')
    return write(book, { type: 'buffer' }) as Buffer
  }
  const quote = (cell: string) => (isQuoted || /[",;|\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const lines = [HEADER, ...people].map((cells) => cells.map(quote).join(separator))
  const text = [...titles, ...lines, ...footers].join(lineEnd)
  if (encoding === 'utf-8') return Buffer.from(text)
  return encoding === 'utf-16le' ? Buffer.from(text, 'utf16le') : encodeText(text, encoding)
}

const DRAWN = SYSTEM.chain((system) =>
  fc.array(personOf(NAMES[system.encoding]!), { minLength: 2, maxLength: 6 }).map((people) => ({ system, people })),
)

await t.test('the people of any table are read, with the encoding as the only hint', async () => {
  await fc.assert(
    fc.asyncProperty(DRAWN, async ({ system, people }) => {
      const bytes = writeFile(system, people)
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += system.chunk) yield bytes.subarray(at, at + system.chunk)
      }
      const content = await openContent(chunks, { ...UNANSWERED, encoding: system.isWorkbook ? null : system.encoding })
      if (content.kind !== 'table') return false
      const notes = createNotes()
      const rows: string[][] = []
      for await (const some of content.read(notes))
        rows.push(...some.map(({ cells }) => HEADER.map((_, at) => cells[at] ?? '')))
      const lines = notes.leftOut.reduce((sum, { line, lastLine }) => sum + lastLine! - line! + 1, 0)
      const isComplete = lines === system.titles.length + system.footers.length
      return isComplete && JSON.stringify(rows) === JSON.stringify([HEADER, ...people])
    }),
    { numRuns: inputs(60, 1_000) },
  )
})
