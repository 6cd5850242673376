import { readFileSync } from 'node:fs'
import { utils, write } from '@e965/xlsx'
import fc from 'fast-check'
import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import { FileQuestion, UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'
import { openWorkbook } from '../../src/spreadsheets/formats/read-workbook.ts'
import { unpackWorkbook } from '../../src/spreadsheets/formats/unpack-workbook.ts'
import { rowOf, workbookOf } from '../support/files/hostile-workbooks.ts'
import { writeArchive } from '../support/files/write-archive.ts'
import { inputs } from '../support/quick.ts'

/* Workbooks with wrong bytes are refused, and never an error of the program. */

const HEADER = ['external_id', 'first_name', 'email']
const whole = workbookOf(rowOf(1, HEADER) + rowOf(2, ['1', 'Ana', 'ana@example.com']))
const DAMAGED = /The workbook is damaged\. Open it and save it again/

function faultOf(bytes: Buffer): string {
  try {
    return `${[...openWorkbook(bytes, null).rows].length} rows`
  } catch (error) {
    if (error instanceof FileError) return error.message
    throw error
  }
}

function oldWorkbook(): Buffer {
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([HEADER, ['1', 'Ana', 'ana@example.com']]), 'Staff')
  return write(book, { type: 'buffer', bookType: 'biff8' }) as Buffer
}

await t.test('whatever bytes are changed, a workbook is read or refused', async () => {
  const books = [
    whole,
    oldWorkbook(),
    ...['erpnext-employee.ods', 'workday-workers.xlsx'].map((name) =>
      readFileSync(`test/fixtures/staff-lists/${name}`),
    ),
  ]
  const change = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), byte: fc.nat(255) })
  const mutants = fc.record({
    book: fc.constantFrom(...books),
    changes: fc.array(change, { minLength: 1, maxLength: 8 }),
    kept: fc.constantFrom(1, 1, 1, 0.9, 0.5),
  })
  await fc.assert(
    fc.asyncProperty(mutants, async ({ book, changes, kept }) => {
      const bytes = Buffer.from(book.subarray(0, Math.floor(book.length * kept)))
      for (const { at, byte } of changes) bytes[Math.floor(at * bytes.length)] = byte
      async function* chunks() {
        yield bytes
      }
      try {
        const content = await openContent(chunks, UNANSWERED)
        for await (const rows of content.read(createNotes())) if (!Array.isArray(rows)) return false
      } catch (error) {
        return error instanceof FileError || error instanceof FileQuestion
      }
      return true
    }),
    { numRuns: inputs(60, 2_000) },
  )
})

await t.test('a sheet without its part, or with cells that refer to nothing, is no empty sheet', async (t) => {
  t.equal(faultOf(whole), '2 rows')
  const parts = [...unpackWorkbook(whole)].map(([name, content]) => ({ name, content }))
  t.equal(faultOf(writeArchive(parts)), '2 rows')
  t.match(faultOf(writeArchive(parts.filter(({ name }) => !name.endsWith('sheet1.xml')))), DAMAGED)
  t.match(faultOf(workbookOf(`${rowOf(1, HEADER)}<row r="2"><c t="s"><v>7</v></c></row>`)), DAMAGED)
})

await t.test('an archive whose records disagree is refused, since programs would read other parts of it', async (t) => {
  const parts = [...unpackWorkbook(whole)].map(([name, content]) => ({ name, content }))
  const changed = (find: string | Buffer, offset: number, byte: number) => {
    const bytes = Buffer.from(whole)
    bytes[bytes.indexOf(find) + offset] = byte
    return bytes
  }
  const [local, central, end] = ['504b0304', '504b0102', '504b0506'].map((hex) => Buffer.from(hex, 'hex'))
  const archives: [name: string, bytes: Buffer][] = [
    ['something behind the end', Buffer.concat([whole, Buffer.from('more')])],
    ['two archives', Buffer.concat([whole, whole])],
    ['another name in the local header', changed(local!, 30, 0x5f)],
    ['another size in the local header', changed(local!, 18, 1)],
    ['another size in the directory', changed(central!, 24, 1)],
    ['another checksum in the directory', changed(central!, 16, 1)],
    ['another place of an entry', changed(central!, 42, 1)],
    ['fewer entries', changed(end!, 10, 1)],
    ['another place of the directory', changed(end!, 16, 1)],
    ['a part twice', writeArchive([...parts, parts[0]!])],
    ['a part twice, in capitals', writeArchive([...parts, { ...parts[0]!, name: parts[0]!.name.toUpperCase() }])],
    [
      'a part that unpacks to more than it says',
      writeArchive([...parts, { ...parts[0]!, name: 'a.xml', inflated: 1 }]),
    ],
  ]
  for (const [name, bytes] of archives) t.match(faultOf(bytes), DAMAGED, name)
})

await t.test('it unpacks to no more than it may', async (t) => {
  t.throws(() => unpackWorkbook(whole, 100), { message: /unpacks to more than/ })
})
