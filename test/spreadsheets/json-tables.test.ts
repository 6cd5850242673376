import t from 'tap'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'

/* Tables that other systems write as JSON. */

async function read(content: unknown) {
  async function* chunks() {
    yield Buffer.from(JSON.stringify(content))
  }
  const opened = await openContent(chunks, UNANSWERED)
  const rows: (readonly string[])[] = []
  if (opened.kind === 'table')
    for await (const some of opened.read(createNotes())) rows.push(...some.map(({ cells }) => cells))
  return rows
}

const ROWS = [
  ['No', 'Name', 'Email', 'Active'],
  [7, 'Ana Perez', 'ana@x.example', true],
  [8, 'Bo Li', 'bo@x.example', null],
]

await t.test('rows that are lists of cells are a table, as of the values of a sheet', async (t) => {
  const table = [
    ['No', 'Name', 'Email', 'Active'],
    ['7', 'Ana Perez', 'ana@x.example', 'true'],
    ['8', 'Bo Li', 'bo@x.example', ''],
  ]
  t.strictSame(await read(ROWS), table)
  t.strictSame(await read({ range: 'A1:D3', majorDimension: 'ROWS', values: ROWS }), table)
  const [names, ...rows] = ROWS
  t.strictSame(await read({ columns: names, index: [0, 1], data: rows }), table)
  t.strictSame(await read({ columns: names!.map((name) => ({ name, type: 'text' })), rows }), table)
  await t.rejects(read([...ROWS, { No: 9 }]), { message: 'This row is no list of cells, as those above it are' })
})

await t.test('each of several addresses is a column', async (t) => {
  t.strictSame(
    await read([
      { uid: 'a', mail: ['a@x.example', 'alias@x.example'], tags: ['x', 'y'] },
      { uid: 'b', mail: ['b@x.example'], tags: [] },
    ]),
    [
      ['uid', 'mail', 'mail.2', 'tags'],
      ['a', 'a@x.example', 'alias@x.example', 'x; y'],
      ['b', 'b@x.example', '', ''],
    ],
  )
})
