import type { WorkSheet } from '@e965/xlsx'
import { CFB, utils, write } from '@e965/xlsx'
import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import { FileQuestion, UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'
import { readApart } from '../../src/spreadsheets/process/read-apart.ts'
import { eventually } from '../support/eventually.ts'
import { rowOf, workbookOf } from '../support/files/hostile-workbooks.ts'
import { writeArchive } from '../support/files/write-archive.ts'
import { holdFile } from '../support/files/hold-file.ts'

/* Workbooks: their cells as people see them, the sheet that has the table, and what is no workbook. */

/** The rows of a workbook, each with its cells, and what is noted. */
async function read(bytes: Buffer, sheet: string | null = null) {
  async function* chunks() {
    yield bytes
  }
  const content = await openContent(chunks, { ...UNANSWERED, sheet })
  if (content.kind !== 'table') throw new Error('no table')
  const notes = createNotes()
  const rows: (readonly string[])[] = []
  for await (const some of content.read(notes)) rows.push(...some.map(({ cells }) => cells))
  return { rows, notes: notes.leftOut.map(({ message }) => message) }
}

const faultOf = (bytes: Buffer) =>
  read(bytes).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof FileError) return error.message
      throw error
    },
  )

function bookOf(
  sheets: Readonly<Record<string, WorkSheet>>,
  type: 'xlsx' | 'biff8' | 'ods' | 'xlml',
  date1904 = false,
): Buffer {
  const book = utils.book_new()
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name)
  book.Workbook = { WBProps: { date1904 } }
  return write(book, { type: 'buffer', bookType: type }) as Buffer
}

const HEADER = ['external_id', 'first_name', 'email']

await t.test('cells are read as people see them, whatever program wrote them', async (t) => {
  const sheet = utils.aoa_to_sheet([
    [...HEADER, 'start_date', 'total', 'phone', 'large', 'active', 'wrong', 'price', 'link'],
  ])
  utils.sheet_add_aoa(sheet, [['x', '  Zoë ', 'zoe@example.com']], { origin: 'A2' })
  sheet['A2'] = { t: 'n', v: 42, z: '000000' }
  sheet['D2'] = { t: 'n', v: 43_831, z: 'dd/mm/yyyy' }
  sheet['E2'] = { t: 'n', v: 12, f: 'SUM(1,11)' }
  sheet['F2'] = { t: 'n', v: 2_065_550_130, z: '(000) 000-0000' }
  sheet['G2'] = { t: 'n', v: 1_234_567_890_123_456 }
  sheet['H2'] = { t: 'b', v: true }
  sheet['I2'] = { t: 'e', v: 42 }
  sheet['J2'] = { t: 'n', v: 5_001, z: '#,##0' }
  sheet['K2'] = { t: 's', v: 'Write to Zoë', l: { Target: 'mailto:zoe.link@example.com?subject=x' } }
  sheet['!ref'] = 'A1:K2'
  for (const type of ['xlsx', 'biff8', 'ods'] as const) {
    const [, cells] = (await read(bookOf({ Staff: sheet }, type))).rows
    t.strictSame(cells!.slice(1, 5), ['  Zoë ', 'zoe@example.com', '2020-01-01', '12'], type)
    // The program that writes this ODS file keeps neither formats of numbers nor errors.
    if (type !== 'ods') t.strictSame([cells![0], cells![5], cells![8]], ['000042', '(206) 555-0130', '#N/A'], type)
    t.match(cells![6], /^1\.234567890123456E\+15$|^1\.23456789012346E\+15$/, type)
    t.strictSame([cells![7], cells![9]], ['TRUE', '5001'], type)
  }
  t.equal((await read(bookOf({ Staff: sheet }, 'xlsx'))).rows[1]![10], 'zoe.link@example.com')
})

await t.test('dates count from 1900 or from 1904, as the workbook says', async (t) => {
  const sheet = utils.aoa_to_sheet([
    [...HEADER, 'start_date'],
    ['1', 'Ana', 'a@example.com', 0],
  ])
  sheet['D2'] = { t: 'n', v: 43_831, z: 'yyyy-mm-dd' }
  t.equal((await read(bookOf({ Staff: sheet }, 'xlsx'))).rows[1]![3], '2020-01-01')
  t.equal((await read(bookOf({ Staff: sheet }, 'xlsx', true))).rows[1]![3], '2024-01-02')
  sheet['D2'] = { t: 'n', v: 43_831.5, z: 'yyyy-mm-dd hh:mm' }
  t.equal((await read(bookOf({ Staff: sheet }, 'xlsx'))).rows[1]![3], '2020-01-01T12:00:00')
})

await t.test('the sheet that has the people is read, and asked for if there are several', async (t) => {
  const staff = (name: string) => utils.aoa_to_sheet([HEADER, ['1', name, `${name}@example.com`]])
  const codes = utils.aoa_to_sheet([
    ['Code', 'Name', 'City'],
    ['A', 'Alpha', 'Paris'],
  ])
  const one = await read(bookOf({ Codes: codes, Staff: staff('Ana'), Empty: utils.aoa_to_sheet([]) }, 'xlsx'))
  t.equal(one.rows[1]![1], 'Ana')
  t.strictSame(one.notes, ['Sheet "Codes" is not read'])

  const several = bookOf({ Active: staff('Ana'), Left: staff('Bo') }, 'xlsx')
  const question = await read(several).catch((error: unknown) => error)
  t.ok(question instanceof FileQuestion)
  t.match(question, { parameter: 'sheet', choices: [{ value: 'Active', samples: HEADER }, { value: 'Left' }] })
  t.equal((await read(several, 'Left')).rows[1]![1], 'Bo')
  await t.rejects(read(several, 'Nope'), { message: /no sheet with this name/ })
  t.match(await faultOf(bookOf({ Empty: utils.aoa_to_sheet([]) }, 'xlsx')), /no table/)
})

await t.test('each row has what cells have that are merged over several rows', async (t) => {
  const rows = [
    ['Team', ...HEADER],
    ['Sales', '1', 'Ana', 'a@x.example'],
    ['', '2', 'Bo'],
    ['Ops', '3', 'Cy'],
  ]
  const sheet = utils.aoa_to_sheet(rows.map((cells) => cells.map((cell) => cell || null)))
  sheet['!merges'] = [utils.decode_range('A2:A3'), utils.decode_range('A4:A1048576')]
  for (const type of ['xlsx', 'biff8', 'ods'] as const) {
    const read3 = (await read(bookOf({ Staff: sheet }, type))).rows
    t.strictSame(
      read3.map(([team]) => team),
      ['Team', 'Sales', 'Sales', 'Ops'],
      type,
    )
  }
})

await t.test('hidden rows and columns are read', async (t) => {
  const sheet = utils.aoa_to_sheet([HEADER, ['1', 'Ana', 'ana@example.com'], ['2', 'Bo', 'bo@example.com']])
  sheet['!rows'] = [{}, { hidden: true }]
  sheet['!cols'] = [{}, {}, { hidden: true }, { hidden: true }]
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, 'Staff')
  const { rows } = await read(write(book, { type: 'buffer', bookType: 'xlsx', cellStyles: true }) as Buffer)
  t.strictSame(rows[1], ['1', 'Ana', 'ana@example.com'])
})

await t.test('what is no workbook, or cannot be read, is said with the way out', async (t) => {
  const locked = CFB.utils.cfb_new()
  CFB.utils.cfb_add(locked, '/EncryptionInfo', Buffer.from('0400040040000000', 'hex'))
  CFB.utils.cfb_add(locked, '/EncryptedPackage', Buffer.alloc(64))
  const word = CFB.utils.cfb_new()
  CFB.utils.cfb_add(word, '/WordDocument', Buffer.alloc(64))
  const whole = bookOf({ Staff: utils.aoa_to_sheet([HEADER]) }, 'xlsx')
  const cases: [name: string, bytes: Buffer, message: RegExp][] = [
    ['a password', CFB.write(locked, { type: 'buffer' }) as Buffer, /has a password\. Save it without one/],
    ['a password of an archive', writeArchive([{ name: 'xl/workbook.xml', content: '', flags: 1 }]), /has a password/],
    ['an old Word document', CFB.write(word, { type: 'buffer' }) as Buffer, /damaged\. Open it and save it again/],
    ['a Word document', writeArchive([{ name: 'word/document.xml', content: '' }]), /Word document/],
    ['Apple Numbers', writeArchive([{ name: 'Index/Document.iwa', content: '' }]), /Apple Numbers\. Export it as/],
    ['another archive', writeArchive([{ name: 'staff.csv', content: '' }]), /Unpack it/],
    ['.xlsb', writeArchive([{ name: 'xl/workbook.bin', content: '' }]), /\.xlsb\)\. Save it as/],
    ['half a workbook', whole.subarray(0, whole.length / 2), /damaged\. Open it and save it again/],
    ['a PDF', Buffer.from('%PDF-1.7\n'), /PDF file\. Export/],
  ]
  for (const [name, bytes, message] of cases) t.match(await faultOf(bytes), message, name)
})

await t.test(
  'no row is lost because a sheet is long: empty rows at its end are none, and others are named',
  async (t) => {
    const people = [rowOf(1, HEADER), rowOf(2, ['1', 'Ana', 'ana@example.com'])].join('')
    t.equal((await read(workbookOf(`${people}<row r="1048576"/>`))).rows.length, 2)
    t.match(await faultOf(workbookOf(people + rowOf(250_000, HEADER))), /The sheet has more than 200000 rows/)
  },
)

await t.test('the process that reads a file ends with its reader, and at the signal', async (t) => {
  const bytes = workbookOf(Array.from({ length: 20_000 }, (_, at) => rowOf(at + 1, HEADER)).join(''))
  const stopping = new AbortController()
  const { signal } = stopping
  const rows = readApart(holdFile(bytes), UNANSWERED, createNotes(), { signal })
  t.equal((await rows.next()).done, false)
  stopping.abort(new Error('the client has left'))
  await t.rejects(rows.next(), { message: 'the client has left' })
  await t.rejects(readApart(holdFile(bytes), UNANSWERED, createNotes(), { signal }).next(), /has left/)
  for await (const { items } of readApart(holdFile(bytes), UNANSWERED, createNotes())) {
    t.ok(items.length > 0)
    break
  }
  await eventually('no process is left', async () => !process.getActiveResourcesInfo().includes('ProcessWrap'))
})

/** A web page as programs write it that call it .xls. */
const pageOf = (rows: string, head = '') =>
  `<html><head>${head}</head><body><table border=1>${rows}</table></body></html>`

await t.test('a web page with a table is read as its table', async (t) => {
  const page = pageOf(
    `<thead><tr><th colspan=4>Staff</th></tr>
     <tr>
       <th>Employee&nbsp;ID</th>
       <th>First name</th>
       <th>Email</th>
       <th>Start</th>
     </tr></thead><tbody>
     <tr class="odd">
       <td>00042</td>
       <td>Zoë &amp; <b>Bo</b></td>
       <td><a href="#">zoe@example.com</a></td>
       <td>01/02/2024</td>
     </tr>
     <tr>
       <td>43</td>
       <td rowspan="2">D&#39;Arc, B&eacute;a &Scaron;</td>
       <td></td>
       <td>TRUE</td>
     </tr>
     <tr>
       <td>44</td>
       <td>&#x141;a &lt;c&gt; &#150; &copy;</td>
       <td>3</td>
     </tr></tbody>`,
    '<meta http-equiv=Content-Type content="text/html; charset=windows-1252"><style>td{color:red}</style>',
  )
  const rows = [
    ['Employee ID', 'First name', 'Email', 'Start'],
    ['00042', 'Zoë & Bo', 'zoe@example.com', '01/02/2024'],
    ['43', "D'Arc, Béa Š", '', 'TRUE'],
    ['44', "D'Arc, Béa Š", 'Ła <c> – ©', '3'],
  ]
  t.strictSame((await read(Buffer.from(page, 'latin1'))).rows, rows, 'in the encoding that it names')
  t.strictSame((await read(Buffer.from(`\n${page}`))).rows, rows, 'in UTF-8, whatever it names')
  t.strictSame((await read(Buffer.from(`\ufeff${page}`, 'utf16le'))).rows, rows)
  const two = `${pageOf('<tr><td>Report</td></tr>')}${page}`
  t.strictSame((await read(Buffer.from(two))).rows, rows, 'a table without people is not the one')
})

await t.test('an XML Spreadsheet 2003 is read as other workbooks are', async (t) => {
  const sheet = utils.aoa_to_sheet(
    [
      [...HEADER, 'start_date', 'active'],
      ['00042', 'Zoë', 'zoe@example.com', new Date(Date.UTC(2024, 1, 1)), true],
    ],
    { cellDates: true, UTC: true },
  )
  const xml = bookOf({ People: sheet }, 'xlml')
  const rows = [
    [...HEADER, 'start_date', 'active'],
    ['00042', 'Zoë', 'zoe@example.com', '2024-02-01', 'TRUE'],
  ]
  t.strictSame((await read(xml)).rows, rows)
  const byExcel = xml.toString().replace('?>', '?>\r\n<?mso-application progid="Excel.Sheet"?>\r\n')
  t.strictSame((await read(Buffer.from(byExcel))).rows, rows)
})

await t.test('what has no table, or names a character that is not known, says so', async (t) => {
  for (const [text, message] of [
    ['<?xml version="1.0"?><employees><employee id="1"/></employees>', /^This is XML/],
    ['<html><body>Sign in</body></html>', /has no table/],
    ['<Workbook', /has no table/],
    [pageOf('<tr><td>Bj&lambda;</td></tr>'), /writes a character as "&lambda;"/],
    [pageOf('<tr><td>2&frac12;</td></tr>'), /writes a character as "&frac12;"/],
  ] as const)
    t.match(await faultOf(Buffer.from(text)), message)
})
