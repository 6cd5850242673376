import fc from 'fast-check'
import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import type { FileRow } from '../../src/spreadsheets/tables/file-row.ts'
import { readCsv } from '../../src/spreadsheets/formats/read-csv.ts'
import { inputs } from '../support/quick.ts'

/** Reads a text in chunks of a size. */
async function read(text: string, size = text.length + 1): Promise<FileRow[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  }
  const rows: FileRow[] = []
  for await (const some of readCsv(chunks())) rows.push(...some)
  return rows
}

const cellsOf = async (text: string, size?: number) =>
  (await read(text, size)).flatMap(({ cells }) => (cells.length === 0 ? [] : [cells]))

async function faultOf(text: string, size?: number): Promise<string> {
  try {
    await read(text, size)
  } catch (error) {
    if (error instanceof FileError) return `${error.fault.line}: ${error.message}`
    throw error
  }
  return 'none'
}

await t.test('CRLF, LF, and CR end a line, in one file too, wherever a chunk is cut', async (t) => {
  const text = 'email,location\r\na@x.com,Paris\r\nb@x.com,Rome\nc@x.com,Oslo\rd@x.com,Bern\n\r\n\re@x.com,Riga'
  for (const size of [1, 2, 3, 7, 100]) {
    const rows = (await read(text, size)).filter(({ cells }) => cells.length > 0)
    t.strictSame(
      rows.map(({ cells }) => cells[1]),
      ['location', 'Paris', 'Rome', 'Oslo', 'Bern', 'Riga'],
      `chunks of ${size}`,
    )
    t.strictSame(
      rows.map(({ line }) => line),
      [1, 2, 3, 4, 5, 8],
    )
  }
  for (const end of ['\n', '\r', '\r\n', ''])
    t.strictSame(await cellsOf(`email\r\na@x.com${end}`), [['email'], ['a@x.com']], 'also the last line')
})

await t.test('lines without any text are told together, and count', async (t) => {
  for (const size of [1, 3, 100])
    t.strictSame(await read('\n\na,b\n,\n"",""\n\r\n\rc,\n,,\n\n', size), [
      { line: 1, cells: [], lastLine: 2 },
      { line: 3, cells: ['a', 'b'] },
      { line: 4, cells: [], lastLine: 7 },
      { line: 8, cells: ['c', ''] },
      { line: 9, cells: [], lastLine: 10 },
    ])
})

await t.test('blanks may stand around quotation marks', async (t) => {
  for (const size of [1, 3, 100]) {
    t.strictSame(await cellsOf('a, "b, c" , "d"\n  "x" ,y z , \n', size), [
      ['a', 'b, c', 'd'],
      ['x', 'y z ', ' '],
    ])
    t.match(await faultOf('a,"b" "c"\n', size), /^1: A quotation mark within a cell/)
  }
})

await t.test('the separator is that of the table, whatever stands above it', async (t) => {
  const below = 'id;name;note\n1;Ada;a, b, c, d\n2;Bo;x\n'
  t.strictSame((await cellsOf(`Staff, Paris, 2026, all, of it\n${below}`)).at(-1), ['2', 'Bo', 'x'])
  t.strictSame((await cellsOf(`sep=^\nid^name,x\n1^Ada, Bo\n`)).at(-1), ['1', 'Ada, Bo'])
})

await t.test('a cell in quotation marks is read as it is, with its line ends', async (t) => {
  const text = 'a;b\r\n"x\r\ny";"say ""z"", ok"\n"";last\n'
  for (const size of [1, 3, 100])
    t.strictSame(await read(text, size), [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x\r\ny', 'say "z", ok'] },
      { line: 4, cells: ['', 'last'] },
    ])
})

await t.test('a quotation mark behind other characters of a cell is one of them', async (t) => {
  for (const size of [1, 3, 100])
    t.strictSame(await cellsOf('a;b, c\n5" pipe;מנכ"ל\nRobert "Bob" Roe;x"\n', size), [
      ['a', 'b, c'],
      ['5" pipe', 'מנכ"ל'],
      ['Robert "Bob" Roe', 'x"'],
    ])
})

await t.test('what cannot be read is named with its line', async (t) => {
  for (const size of [1, 5, 100]) {
    t.match(await faultOf('a,b\r\r"x"z,y\n', size), /^3: A quotation mark within a cell/)
    t.match(await faultOf('a,b\n"x"y,z\n', size), /^2: A quotation mark within a cell/)
    t.match(await faultOf('a,b\nx,y\r\n\n"x\ny\n', size), /^4: A cell that begins with a quotation mark/)
  }
})

await t.test('rows and their cells are counted before they are kept', async (t) => {
  t.match(await faultOf(`a\n\n${'x'.repeat(262_145)}`, 1_000), /^3: The line has more than 262144 characters/)
  t.match(await faultOf(`a\r"\n${'x\n'.repeat(140_000)}`, 1_000), /^2: The line has more than 262144 characters/)
  t.match(await faultOf(`a\nb\n${','.repeat(2_000)}`), /^3: The line has more than 2000 cells/)
  t.match(await faultOf(','.repeat(2_000)), /^1: A file must have at most 512 columns/)
  t.equal(await faultOf(`a\n"${','.repeat(100_000)}"\n`), 'none', 'a text may have any number of commas')
  t.equal(await faultOf(`a\n${`${'x'.repeat(262_144)}\n`.repeat(2)}`), 'none')
})

const CELL = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', ',', ';', '"', '\n', '\r', "'"), maxLength: 6 })

await t.test('rows that are written as RFC 4180 says are read the same, whatever they contain', async () => {
  const quoted = (cell: string) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(CELL, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.array(fc.constantFrom('\n', '\r', '\r\n'), { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      async (drawn, ends, size) => {
        const rows = [['x', 'y'], ...drawn]
        const text = rows.map((cells, at) => cells.map(quoted).join(',') + (ends[at - 1] ?? '\n')).join('')
        const expected = rows.filter((cells) => cells.some((cell) => cell !== ''))
        return JSON.stringify(await cellsOf(text, size)) === JSON.stringify(expected)
      },
    ),
    { numRuns: inputs(300, 5_000) },
  )
})
