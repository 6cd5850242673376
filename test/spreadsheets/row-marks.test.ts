import { utils, write as writeWorkbook } from '@e965/xlsx'
import t from 'tap'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'
import { writeArchive } from '../support/files/write-archive.ts'

/* Rows of a workbook that look different, as those of people who have left may. */

const FORMATS = 'http://schemas.openxmlformats.org'
const DOCUMENT = `${FORMATS}/officeDocument/2006/relationships`
const MAIN = `xmlns="${FORMATS}/spreadsheetml/2006/main" xmlns:r="${DOCUMENT}"`

function typesOf(...parts: [name: string, type: string][]): string {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const list = parts.map(([name, of]) => `<Override PartName="/xl/${name}.xml" ContentType="${type}.${of}+xml"/>`)
  return `<Types xmlns="${FORMATS}/package/2006/content-types">${list.join('')}</Types>`
}

function relationsOf(type: string, target: string): string {
  const relation = `<Relationship Id="r1" Type="${DOCUMENT}/${type}" Target="${target}"/>`
  return `<Relationships xmlns="${FORMATS}/package/2006/relationships">${relation}</Relationships>`
}

const STYLES = `<styleSheet><fonts><font><sz val="11"/></font><font><strike/></font></fonts>
<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFFF0000"/>
</patternFill></fill></fills><cellXfs><xf fontId="0" fillId="0"/><xf fontId="1" fillId="0"/><xf fontId="0" fillId="1"/>
</cellXfs></styleSheet>`
const [PLAIN, STRUCK, RED] = [0, 1, 2]

/** Writes a workbook whose rows have these styles, below a red header. */
function writeBook(styles: readonly number[], hidden: readonly number[] = [], change = (xml: string) => xml): Buffer {
  const rows = [['Last name', 'First name', 'Email'], ...styles.map((_, at) => [`Ek${at}`, 'Ana', `e${at}@x.example`])]
  const cell = (text: string, style: number) => `<c s="${style}" t="inlineStr"><is><t>${text}</t></is></c>`
  const xml = rows.map((cells, at) => {
    const style = at === 0 ? RED : styles[at - 1]!
    const look = hidden.includes(at + 1) ? ' hidden="1"' : ''
    return `<row r="${at + 1}"${look}>${cells.map((text) => cell(text, style)).join('')}</row>`
  })
  return writeArchive([
    { name: '[Content_Types].xml', content: typesOf(['workbook', 'sheet.main'], ['worksheets/sheet1', 'worksheet']) },
    { name: '_rels/.rels', content: relationsOf('officeDocument', 'xl/workbook.xml') },
    { name: 'xl/styles.xml', content: change(STYLES) },
    {
      name: 'xl/workbook.xml',
      content: change(`<workbook ${MAIN}><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`),
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relationsOf('worksheet', 'worksheets/sheet1.xml') },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: change(`<worksheet ${MAIN}><sheetData>${xml.join('')}</sheetData></worksheet>`),
    },
  ])
}

const OPEN_STYLES = `<office:automatic-styles>${['', 'text-line-through-style="solid"', 'background-color="#ff0000"']
  .map(
    (look, at) =>
      `<style:style style:name="ce${at}" style:family="table-cell"><style:text-properties ${look}/></style:style>`,
  )
  .join('')}</office:automatic-styles>`

/** Writes an OpenDocument sheet with the same rows, whose elements have another prefix, and without a part for styles. */
function writeOpenDocument(styles: readonly number[], hidden: readonly number[] = []): Buffer {
  const rows = [['Last name', 'First name', 'Email'], ...styles.map((_, at) => [`Ek${at}`, 'Ana', `e${at}@x.example`])]
  const xml = rows.map((cells, at) => {
    const style = at === 0 ? RED : styles[at - 1]!
    const look = hidden.includes(at + 1) ? ' t:visibility="collapse"' : ''
    const cell = (text: string) =>
      `<t:table-cell t:style-name="ce${style}" office:value-type="string"><text:p>${text}</text:p></t:table-cell>`
    return `<t:table-row${look}>${cells.map(cell).join('')}<t:table-cell t:number-columns-repeated="9"/></t:table-row>`
  })
  const names = 'office text style table:t'.split(' ').map((name) => {
    const [of, prefix = of] = name.split(':')
    return `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${of}:1.0"`
  })
  const body = `<office:body><office:spreadsheet><t:table t:name="A">${xml.join('')}</t:table></office:spreadsheet></office:body>`
  return writeArchive([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'META-INF/manifest.xml', content: '<manifest/>' },
    {
      name: 'content.xml',
      content: `<office:document-content ${names.join(' ')}>${OPEN_STYLES}${body}</office:document-content>`,
    },
  ])
}

/** Writes a workbook as some programs do, with a prefix before the names of all elements. */
function writePrefixed(styles: readonly number[], hidden: readonly number[] = []): Buffer {
  const prefix = (xml: string) =>
    xml
      .replaceAll(/<(\/?)(?=[a-z])/gi, '<$1x:')
      .replace(`xmlns="${FORMATS}/spreadsheetml`, `xmlns:x="${FORMATS}/spreadsheetml`)
  return writeBook(styles, hidden, prefix)
}

const WRITERS = { xlsx: writeBook, 'xlsx with prefixes': writePrefixed, ods: writeOpenDocument }

async function listNotes(
  styles: readonly number[],
  hidden: readonly number[] = [],
  write: (styles: readonly number[], hidden: readonly number[]) => Buffer = writeBook,
): Promise<string[]> {
  async function* chunks() {
    yield write(styles, hidden)
  }
  const content = await openContent(chunks, UNANSWERED)
  const notes = createNotes()
  let rows = 0
  if (content.kind === 'table') for await (const some of content.read(notes)) rows += some.length
  t.equal(rows, styles.length + 1)
  return notes.leftOut.map(({ message }) => message)
}

for (const [name, write] of Object.entries(WRITERS))
  await t.test(
    `rows that are struck through, a few that are colored, and hidden ones are noted: ${name}`,
    async (t) => {
      const what = 'which is not read: say in a column who has left'
      const list = (styles: readonly number[], hidden: readonly number[] = []) => listNotes(styles, hidden, write)
      t.strictSame(await list([PLAIN, STRUCK, PLAIN, STRUCK]), [`Rows 3, 5 are struck through, ${what}`])
      t.strictSame(await list([PLAIN, RED, PLAIN, PLAIN]), [`Row 3 is colored, ${what}`])
      t.strictSame(await list([PLAIN, RED, PLAIN, RED]), [], 'stripes')
      t.strictSame(await list([PLAIN, PLAIN]), [], 'a header with a color')
      t.strictSame(await list([PLAIN, PLAIN, PLAIN], [3]), [`Row 3 is hidden, ${what}`])
    },
  )

await t.test('that the looks of rows are not read is noted for an .xls', async (t) => {
  const book = utils.book_new()
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['Last name', 'Email'],
      ['Ek', 'e@x.example'],
    ]),
    'A',
  )
  const notes = await listNotes([PLAIN], [], () => writeWorkbook(book, { type: 'buffer', bookType: 'biff8' }) as Buffer)
  t.match(notes, [/struck through, colored, or hidden are read as others are/])
})
