import t from 'tap'
import { createNotes } from '../../src/spreadsheets/find-table.ts'
import { UNANSWERED } from '../../src/spreadsheets/file-question.ts'
import { openContent } from '../../src/spreadsheets/open-content.ts'
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
function writeBook(styles: readonly number[], hidden: readonly number[] = []): Buffer {
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
    { name: 'xl/styles.xml', content: STYLES },
    {
      name: 'xl/workbook.xml',
      content: `<workbook ${MAIN}><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relationsOf('worksheet', 'worksheets/sheet1.xml') },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<worksheet ${MAIN}><sheetData>${xml.join('')}</sheetData></worksheet>`,
    },
  ])
}

async function listNotes(styles: readonly number[], hidden: readonly number[] = []): Promise<string[]> {
  async function* chunks() {
    yield writeBook(styles, hidden)
  }
  const content = await openContent(chunks, UNANSWERED)
  const notes = createNotes()
  let rows = 0
  if (content.kind === 'table') for await (const some of content.read(notes)) rows += some.length
  t.equal(rows, styles.length + 1)
  return notes.leftOut.map(({ message }) => message)
}

await t.test('rows that are struck through are noted, and so are a few that are colored', async (t) => {
  const what = 'which is not read: say in a column who has left'
  t.strictSame(await listNotes([PLAIN, STRUCK, PLAIN, STRUCK]), [`Rows 3, 5 are struck through, ${what}`])
  t.strictSame(await listNotes([PLAIN, RED, PLAIN, PLAIN]), [`Row 3 is colored, ${what}`])
  t.strictSame(await listNotes([PLAIN, RED, PLAIN, RED]), [], 'stripes')
  t.strictSame(await listNotes([PLAIN, PLAIN]), [], 'a header with a color')
})

await t.test('rows that are hidden are noted', async (t) => {
  const what = 'which is not read: say in a column who has left'
  t.strictSame(await listNotes([PLAIN, PLAIN, PLAIN], [3]), [`Row 3 is hidden, ${what}`])
})
