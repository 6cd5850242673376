import { readConfig } from '../../../src/config.ts'
import { MAX_PARTS } from '../../../src/uploads/row-store.ts'

/* Files that cost a reader much more than their bytes, unless it is careful. */

const MIB = 1_048_576
/** The default limits of a file. */
const MAX_CSV = 32 * MIB
const MAX_JSON = 8 * MIB
export const MOST_ROWS = MAX_PARTS * readConfig({}).MAX_RECORDS

/** A file of a hostile shape. */
export interface HostileFile {
  name: string
  type: 'text/csv' | 'application/json' | 'application/octet-stream'
  content: Buffer
}

/** The largest file of a shape that has at most this many bytes. */
type Shape = (bytes: number) => Buffer

const HEADER = 'email\na@b.example\n'

/** A text, and behind it another one as often as it fits, and an end. */
function filled(start: string, repeated: string, end = ''): Shape {
  const [head, tail] = [Buffer.from(start), Buffer.from(end)]
  return (bytes) => {
    const unit = Buffer.from(repeated)
    const times = Math.floor((bytes - head.length - tail.length) / unit.length)
    return Buffer.concat([head, Buffer.alloc(times * unit.length, unit), tail])
  }
}

/** A header, and rows until the file is full. */
function rows(header: string, rowOf: (at: number) => string, max = Infinity): Shape {
  return (bytes) => {
    const lines = [header]
    for (let at = 0, size = header.length; at < max; at += 1) {
      const row = rowOf(at)
      size += Buffer.byteLength(row) + 1
      if (size >= bytes) break
      lines.push(row)
    }
    return Buffer.from(`${lines.join('\n')}\n`)
  }
}

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`)
const columnNamed = (name: string) => rows(`email,${name}`, (at) => `a${at}@b.example,x`)
/** Windows-1252, whose letters take three bytes in UTF-8. */
const euros: Shape = (bytes) => {
  const start = Buffer.from('email,first_name\n')
  const row = Buffer.from(`${'x'.repeat(20)},${'x'.repeat(300)}\n`).map((byte) => (byte === 0x78 ? 0x80 : byte))
  return Buffer.concat([start, Buffer.alloc(Math.floor((bytes - start.length) / row.length) * row.length, row)])
}
const utf16 =
  (shape: Shape): Shape =>
  (bytes) =>
    Buffer.from(`\ufeff${shape(bytes / 2 - 2).toString()}`, 'utf16le')

const ordinaryRows = rows(
  'external_id,first_name,last_name,email,department',
  (at) => `E-${at},Ana,Pérez,ana.${at}@example.com,R&D`,
  MOST_ROWS,
)

/** Rows of 400 columns, each of which may be what any other is. */
function wide(cellOf: (row: number, column: number) => string): Shape {
  const columns = numbered(400, 'c')
  return rows(columns.join(','), (at) => columns.map((_name, column) => cellOf(at, column)).join(','), MOST_ROWS)
}

const CSV_SHAPES: Record<string, Shape> = {
  'empty lines': filled(HEADER, '\n'),
  'empty lines, CR': filled('email\ra@b.example\r', '\r'),
  'empty lines, CRLF': filled('email\r\na@b.example\r\n', '\r\n'),
  'a lone CR in each line': filled(HEADER, '\r\n\r'),
  'lines of one comma': filled(HEADER, ',\n'),
  'lines of commas': filled(HEADER, `${','.repeat(511)}\n`),
  'empty quoted cells': filled(HEADER, '""\n'),
  'lines of a blank': filled(HEADER, ' \n'),
  'rows of one letter': filled('email\n', 'a\n'),
  'one line of commas': filled(HEADER, ','),
  'one line of letters': filled(HEADER, 'a'),
  'one quoted cell of line ends': filled(`${HEADER}"`, '\n'),
  'quoted cells of line ends': filled('email\n', `"${'\n'.repeat(1_000)}"\n`),
  'quotation marks': filled(HEADER, '"'),
  'a name of quotation marks': columnNamed(`"${'""'.repeat(130_000)}"`),
  'a name of control characters': columnNamed('\u0001'.repeat(260_000)),
  'a first line of commas': filled('', ','),
  'a first line without an end': filled('', 'a'),
  '512 columns and rows of one cell': rows(numbered(512, 'c').join(','), () => 'a', MOST_ROWS),
  '500 columns with long names, all full': rows(
    numbered(500, 'n'.repeat(90)).join(','),
    () => `${'x,'.repeat(499)}x`,
    MOST_ROWS,
  ),
  '500 columns, the last one full': rows(numbered(500, 'c').join(','), () => `${','.repeat(499)}x`),
  'wide rows of dates, which may be of anything': wide((at, column) => `${1 + (at % 28)}.${1 + (column % 12)}.2003`),
  'wide rows of names of others': wide((at, column) => `Ana P${(at + column) % 1_000}`),
  'wide rows of addresses': wide((at, column) => `a${at}.${column}@b.example`),
  'wide rows of words that nobody knows': wide((at, column) => `word ${(at * 7 + column) % 200}`),
  '400 columns with the longest names': rows(
    numbered(400, 'n'.repeat(250)).join(','),
    (at) => `${`w${at % 200},`.repeat(399)}w`,
  ),
  'the most ordinary rows': ordinaryRows,
  'the most wide rows': rows(
    `external_id,first_name,last_name,${numbered(30, 'custom_attributes.grade').join(',')}`,
    (at) => `E-${at},Ana,Pérez,${`grade ${at},`.repeat(29)}grade`,
    MOST_ROWS,
  ),
  'rows of one person': filled('email,first_name\n', 'a@b.example,Ana\n'),
  'an entry in each row': rows('log_id,email', (at) => `log_${String(at).padStart(26, '0')},a${at}@b.example`),
  'cells of control characters': filled('first_name\n', `${'\u0001'.repeat(1_000)}\n`),
  'cells of the signs of addresses': filled(
    'first_name,email,job_title\n',
    `${['@', '@.', 'a@'].map((sign) => sign.repeat(5_000)).join(',')}\n`,
  ),
  'cells of backslashes': filled('first_name\n', `${'\\'.repeat(1_000)}\n`),
  'cells of quotation marks': filled('first_name\n', `"${'""'.repeat(500)}"\n`),
  'cells of combining marks': filled('first_name\n', `a${'\u0301'.repeat(1_000)}\n`),
  'one cell of digits': (bytes) =>
    Buffer.from(`email,code\na@b.example,${'1'.repeat(Math.min(bytes, 260_000) - 100)}x\n`),
  'a name of digits': columnNamed('1'.repeat(260_000)),
  'a name of letters': columnNamed('aA'.repeat(130_000)),
  'cells of digits': filled('custom_attributes.a\n', `${'1'.repeat(100_000)}\n`),
  'records in cells': filled('record\n', `"(json) {${'""a"":1,'.repeat(10_000)}""b"":1}"\n`),
  'deep JSON in cells': filled('first_name\n', `(json) ${'['.repeat(100_000)}\n`),
  'a web page of tables without an end': filled('<html>', '<table>'),
  'a web page of merged cells': filled('<table><tr>', '<td rowspan=1000000 colspan=1000000>a</td>', '</table>'),
  'a web page of rows': filled('<table><tr><td>email</td></tr>', '<tr><td>a@b.example</td></tr>', '</table>'),
  'a web page of entities': filled('<table><tr><td>email</td></tr><tr><td>', '&#38;&', '</table>'),
  'XML of open cells': filled('<Workbook><Worksheet><Table>', '<Row><Cell><Data>'),
  'one wrong byte at the end': (bytes) => Buffer.concat([filled('email\né', 'a\n')(bytes - 1), Buffer.from([0xff])]),
  'bytes that are not UTF-8': euros,
  'U+0000': filled('email\n', '\0'),
  'UTF-16, empty lines': utf16(filled(HEADER, '\n')),
}

const JSON_SHAPES: Record<string, Shape> = {
  'a million members': (bytes) => {
    const members = Array.from({ length: Math.floor(bytes / 8) }, (_, at) => `"${at.toString(36)}":1`)
    return Buffer.from(`[{${members.join(',').slice(0, bytes - 100)}"}]`.replace(/,?"[^"]*"\}\]$/, '}]'))
  },
  'one member again and again': filled('[{', '"email":1,', '"a":1}]'),
  'a name with an escape': filled(String.raw`[{"\u0065mail":"`, String.raw`\"`, '"}]'),
  'empty records': filled('[', '{},', '{}]'),
  numbers: filled('[', '0,', '0]'),
  'numbers in a record': filled('[{"email":[', '0,', '0]}]'),
  'open brackets': filled('', '['),
  'open brackets in a small file': (bytes) => filled('', '[')(Math.min(bytes, 65_000)),
  'open lists in objects': (bytes) => filled('', '{"a":[')(Math.min(bytes, 65_000)),
  'open objects': filled('', '{"a":'),
  blanks: filled('[', ' ', ']'),
  'line ends': filled('[', '\n', ']'),
  'blanks before the list': filled('', ' ', '[{}]'),
  'one long text': filled('[{"first_name":"', 'x', '"}]'),
  'a text of escapes': filled('[{"first_name":"', String.raw`\u0041`, '"}]'),
  'a text without an end': filled('[{"first_name":"', String.raw`\n`),
  digits: filled('[{"custom_attributes":{"a":', '9', '}}]'),
  'wide records': filled(
    '[',
    `{"custom_attributes":{${numbered(10_000, 'k')
      .map((name) => `"${name}":1`)
      .join(',')}}},`,
    '{}]',
  ),
  'ordinary records': (bytes) => {
    const records: string[] = []
    for (let at = 0, size = 2; ; at += 1) {
      const record = `{"external_id":"E-${at}","first_name":"Ana","last_name":"Pérez","email":"ana.${at}@example.com"}`
      size += Buffer.byteLength(record) + 2
      if (size >= bytes) return Buffer.from(`[${records.join(',\n')}]`)
      records.push(record)
    }
  },
  'fat records': filled(
    '[',
    `{"first_name":"Ana","custom_attributes":{${numbered(32, 'k')
      .map((name) => `"${name}":"${'x'.repeat(1_000)}"`)
      .join(',')}}},`,
    '{}]',
  ),
}

/** A CSV file of ordinary people, by default as many as it may have. */
export function ordinaryFile(bytes = MAX_CSV): HostileFile {
  return { name: 'ordinary', type: 'text/csv', content: ordinaryRows(bytes) }
}

/** Makes a file of each shape that is wanted, as large as it may be by default, or smaller. Some shapes end before. */
export function* hostileFiles(
  maxCsv = MAX_CSV,
  maxJson = Math.min(MAX_JSON, maxCsv),
  isWanted: (name: string, at: number) => boolean = () => true,
): Generator<HostileFile> {
  const wanted = (shapes: Record<string, Shape>) => Object.entries(shapes).filter(([name], at) => isWanted(name, at))
  for (const [name, shape] of wanted(CSV_SHAPES)) yield { name, type: 'text/csv', content: shape(maxCsv) }
  for (const [name, shape] of wanted(JSON_SHAPES)) yield { name, type: 'application/json', content: shape(maxJson) }
}
