import { inTurns } from '#admission/turns'
import { zip, type ZipEntry } from '#evidence/zip'
import type { CsvColumn } from '#log/csv-text'

/*
 * A workbook (Office Open XML, ECMA-376) of one sheet, whose cells are all texts, so that no program changes a number or a
 * date, or takes one for a formula.
 */

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The most characters of a cell. */
const MAX_CELL = 32_767
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Writes rows as a workbook, page by page. */
export async function* writeWorkbook<Row>(
  sheet: string,
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<Buffer> {
  async function* files(): AsyncGenerator<ZipEntry> {
    yield* listParts(sheet)
    yield { name: 'xl/worksheets/sheet1.xml', content: writeSheet(columns, pages) }
  }
  yield* zip(files(), { zip64: false })
}

function* listParts(sheet: string): Generator<ZipEntry> {
  const part = (name: string, content: string) => ({ name, content: [HEAD + content] })
  yield part(
    '[Content_Types].xml',
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  )
  const relate = (type: string, target: string) =>
    `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/${type}" ` +
    `Target="${target}"/></Relationships>`
  yield part('_rels/.rels', relate('officeDocument', 'xl/workbook.xml'))
  yield part('xl/_rels/workbook.xml.rels', relate('worksheet', 'worksheets/sheet1.xml'))
  yield part(
    'xl/workbook.xml',
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escape(sheet)}" sheetId="1" r:id="r1"/>` +
      `</sheets></workbook>`,
  )
}

async function* writeSheet<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: AsyncIterable<Row[]>,
): AsyncGenerator<string> {
  yield `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${writeRow(columns.map(([name]) => name))}`
  for await (const page of pages) {
    let text = ''
    for await (const row of inTurns(page)) text += writeRow(columns.map(([, cell]) => cell(row)))
    yield text
  }
  yield '</sheetData></worksheet>'
}

function writeRow(cells: readonly (string | number | null)[]) {
  const written = cells.map((cell) =>
    cell === null
      ? '<c/>'
      : `<c t="inlineStr"><is><t xml:space="preserve">${escape(String(cell).slice(0, MAX_CELL))}</t></is></c>`,
  )
  return `<row>${written.join('')}</row>`
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes a text in XML 1.0, without the characters that it can't have. */
function escape(text: string) {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!)
    .replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
}
