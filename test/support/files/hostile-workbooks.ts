import { MOST_ROWS, type HostileFile } from './hostile-files.ts'
import { writeArchive } from './write-archive.ts'

const MIB = 1_048_576
const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`
const RELATIONS = (type: string, target: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`

/** An Excel workbook with one sheet, whose rows, and what stands around them, are written as XML. */
export function workbookOf(
  rows: string,
  more: Parameters<typeof writeArchive>[0] = [],
  [prolog, epilog] = ['', ''],
): Buffer {
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
      content: `${prolog}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData>${epilog}</worksheet>`,
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
    { name: 'META-INF/manifest.xml', content: '<manifest/>' },
    { name: 'styles.xml', content: '<styles/>' },
    {
      name: 'content.xml',
      content: `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Staff">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    },
  ])
}

/** A cell of an OpenDocument sheet, perhaps with more attributes. */
const cellOf = (text: string, more = '') =>
  `<table:table-cell ${more} office:value-type="string"><text:p>${text}</text:p></table:table-cell>`
const rowsOf = (cells: string, times = 1) =>
  `<table:table-row table:number-rows-repeated="${times}">${cells}</table:table-row>`
const NAMES = rowsOf(['external_id', 'first_name', 'email'].map((name) => cellOf(name)).join(''))
const repeated = (times: number) => cellOf('a', `table:number-columns-repeated="${times}"`)
const linked = (cells: string): [string, string] => [
  '',
  `<hyperlinks><hyperlink ref="${cells}" location="a"/></hyperlinks>`,
]
const strings = (items: string) => [{ name: 'xl/sharedStrings.xml', content: `<sst>${items}</sst>` }]
const SHARED = '<c t="s"><v>0</v></c>'

/** A workbook of ordinary people, by default as many as it may have. */
export function ordinaryWorkbook(rows = MOST_ROWS): HostileFile {
  const people = Array.from({ length: rows }, (_, at) => rowOf(at + 2, [`E-${at}`, 'Ana', `ana.${at}@example.com`]))
  const content = workbookOf(`${HEADER}${people.join('')}`)
  return { name: 'ordinary', content, type: 'application/octet-stream' }
}

/** Makes the workbooks that are wanted, which take a reader without limits minutes or gigabytes. */
export function hostileWorkbooks(isWanted: (name: string) => boolean = () => true): HostileFile[] {
  const books: [name: string, make: () => Buffer][] = [
    [
      'a part that unpacks to 320 MiB',
      () => workbookOf(HEADER, [{ name: 'xl/a.xml', content: Buffer.alloc(320 * MIB) }]),
    ],
    ['a part that unpacks to more than it says', () => workbookOf(HEADER, [{ ...ZEROS, inflated: 10 }])],
    ['a row number of 2,000,000,000', () => workbookOf(`${HEADER}${rowOf(2_000_000_000, ['a', 'b', 'c'])}`)],
    ['a cell in column ZZZZZZ', () => workbookOf(`${HEADER}<row r="2"><c r="ZZZZZZ2"><v>1</v></c></row>`)],
    ['a cell in column MWLQKWU', () => workbookOf(`${HEADER}<row r="2"><c r="MWLQKWU2"><v>1</v></c></row>`)],
    ['a link of all cells', () => workbookOf(HEADER, [], linked('A1:XFD1048576'))],
    ['a row that is repeated', () => openDocumentOf(NAMES + rowsOf(cellOf('a'), 100_000_000))],
    ['a cell that is repeated', () => openDocumentOf(NAMES + rowsOf(repeated(100_000_000)))],
    ['the most repeated rows and cells', () => openDocumentOf(NAMES + rowsOf(repeated(1_999), 199_999))],
    [
      'entities that refer to each other',
      () => workbookOf(HEADER, [], ['<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>', '']),
    ],
    ['a million cells in a row', () => workbookOf(`${HEADER}<row r="2">${'<c><v>1</v></c>'.repeat(1_000_000)}</row>`)],
    ['20 million empty cells in a row', () => workbookOf(`${HEADER}<row r="2">${'<c/>'.repeat(20_000_000)}</row>`)],
    ['25 million ends of shared texts', () => workbookOf(HEADER, strings('</si>'.repeat(25_000_000)))],
    [
      'one long text in all cells',
      () => workbookOf(`${HEADER}${rowOfShared(5).repeat(100_000)}`, strings(`<si><t>${'x'.repeat(32_000)}</t></si>`)),
    ],
    [
      'a million rows',
      () =>
        workbookOf(
          `${HEADER}${Array.from({ length: 1_000_000 }, (_, at) => `<row r="${at + 2}"><c><v>1</v></c></row>`).join('')}`,
        ),
    ],
    ['an archive that is cut off', () => workbookOf(HEADER).subarray(0, 600)],
  ]
  return books
    .filter(([name]) => isWanted(name))
    .map(([name, make]) => ({ name, content: make(), type: 'application/octet-stream' }))
}

const ZEROS = { name: 'xl/a.xml', content: Buffer.alloc(64 * MIB) }
const rowOfShared = (cells: number) => `<row>${SHARED.repeat(cells)}</row>`
