import { MOST_ROWS, type HostileFile } from './hostile-files.ts'
import { writeArchive } from './write-archive.ts'

const MIB = 1_048_576
const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`
const RELATIONS = (type: string, target: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`

/** An Excel workbook with one sheet, whose rows are written as XML. */
export function workbookOf(rows: string, more: Parameters<typeof writeArchive>[0] = [], prolog = ''): Buffer {
  return writeArchive([
    { name: '[Content_Types].xml', content: TYPES },
    { name: '_rels/.rels', content: RELATIONS('officeDocument', 'xl/workbook.xml') },
    { name: 'xl/_rels/workbook.xml.rels', content: RELATIONS('worksheet', 'worksheets/sheet1.xml') },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Staff" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `${prolog}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    },
    ...more,
  ])
}

/** A row of texts. */
export const rowOf = (number: number, texts: readonly string[]) =>
  `<row r="${number}">${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`

const HEADER = rowOf(1, ['external_id', 'first_name', 'email'])

/** An OpenDocument sheet, whose rows are written as XML. */
export function openDocumentOf(rows: string): Buffer {
  return writeArchive([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    {
      name: 'content.xml',
      content: `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Staff">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])
}

const CELL = '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'

/** A workbook of ordinary people, as many as it may have. */
export function ordinaryWorkbook(): HostileFile {
  const people = Array.from({ length: MOST_ROWS }, (_, at) =>
    rowOf(at + 2, [`E-${at}`, 'Ana', `ana.${at}@example.com`]),
  )
  const content = workbookOf(`${HEADER}${people.join('')}`)
  return { name: 'ordinary', content, type: 'application/octet-stream' }
}

/** Workbooks that take a reader without limits minutes or gigabytes. */
export function hostileWorkbooks(): HostileFile[] {
  const zeros = Buffer.alloc(64 * MIB)
  const bomb = Array.from({ length: 5 }, (_, at) => ({ name: `xl/media/${at}`, content: zeros, inflated: 10 }))
  const books: [name: string, content: Buffer][] = [
    ['an archive that inflates to 320 MiB', workbookOf(HEADER, bomb)],
    ['a row number of 2,000,000,000', workbookOf(`${HEADER}${rowOf(2_000_000_000, ['a', 'b', 'c'])}`)],
    [
      'repeated rows and cells',
      openDocumentOf(
        `<table:table-row table:number-rows-repeated="100000000">${CELL.replace('<table:table-cell', '<table:table-cell table:number-columns-repeated="100000"')}</table:table-row>`,
      ),
    ],
    [
      'entities that refer to each other',
      workbookOf(HEADER, [], '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'),
    ],
    ['a million cells in a row', workbookOf(`${HEADER}<row r="2">${'<c><v>1</v></c>'.repeat(1_000_000)}</row>`)],
    [
      'a million rows',
      workbookOf(
        `${HEADER}${Array.from({ length: 1_000_000 }, (_, at) => `<row r="${at + 2}"><c><v>1</v></c></row>`).join('')}`,
      ),
    ],
    ['an archive that is cut off', workbookOf(HEADER).subarray(0, 600)],
  ]
  return books.map(([name, content]) => ({ name, content, type: 'application/octet-stream' }))
}
