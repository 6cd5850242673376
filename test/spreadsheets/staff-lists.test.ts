import { readFileSync } from 'node:fs'
import t from 'tap'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { openContent } from '../../src/spreadsheets/formats/open-content.ts'
import type { FileRow } from '../../src/spreadsheets/tables/file-row.ts'

/* Files of employees as other systems write them: which rows are records, and what is left out. */

/** Reads a file as a table. */
async function read(name: string, encoding: 'windows-1252' | null = null) {
  const bytes = readFileSync(`test/fixtures/staff-lists/${name}`)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
  }
  const content = await openContent(chunks, { ...UNANSWERED, encoding })
  if (content.kind !== 'table') throw new Error('no table')
  const notes = createNotes()
  const rows: FileRow[] = []
  for await (const some of content.read(notes)) rows.push(...some)
  const [header, ...records] = rows
  return {
    header: header!,
    records,
    leftOut: notes.leftOut.map(({ line, lastLine, reason, message }) =>
      line === null ? message : `${line === lastLine ? line : `${line}-${lastLine}`} ${reason}`,
    ),
  }
}

const LISTS: readonly (readonly [name: string, header: number, first: number, last: number, leftOut: string[]])[] = [
  ['adp-roster.csv', 1, 2, 9, ['10 empty', '11 total', '12 below_table']],
  ['bamboohr-employees.csv', 1, 2, 9, ['10 empty']],
  ['comarch-pracownicy.csv', 1, 2, 7, ['8 total', '9 below_table']],
  ['datev-lodas-personal.csv', 5, 6, 11, ['1-3 above_header', '4 empty', '12 empty', '13 total']],
  ['erpnext-employee.ods', 1, 2, 8, []],
  ['google-workspace-users.csv', 1, 2, 7, []],
  ['personio-mitarbeitende.csv', 1, 2, 8, []],
  ['smarthr-crews.csv', 1, 2, 7, []],
  ['ukg-unicode-text.txt', 1, 2, 7, ['8 empty']],
  [
    'workday-workers.xlsx',
    4,
    5,
    10,
    ['Sheet "Report parameters" is not read', '1-2 above_header', '3 empty', '11 empty', '12 total'],
  ],
]

for (const [name, header, first, last, leftOut] of LISTS)
  await t.test(name, async (t) => {
    // Its names could be in another encoding, too.
    const found = await read(name, name.startsWith('datev') ? 'windows-1252' : null)
    t.equal(found.header.line, header)
    t.strictSame(
      found.records.map(({ line }) => line),
      Array.from({ length: last - first + 1 }, (_, at) => first + at),
    )
    t.strictSame(found.leftOut, leftOut)
    const expected = JSON.parse(
      readFileSync(`test/fixtures/staff-lists/${name.replace(/\.\w+$/, '')}.expected.json`, 'utf8'),
    ) as { employees: { first_name: string; last_name: string; row: number }[] }
    for (const { first_name: firstName, last_name: lastName, row } of expected.employees) {
      const text = found.records
        .find(({ line }) => line === row)!
        .cells.join('|')
        .normalize()
      t.ok(text.includes(firstName.normalize()) && text.includes(lastName.normalize()), `${row}: ${text}`)
    }
  })

await t.test('cells of workbooks are read as people see them, and dates as ISO 8601', async (t) => {
  const { records } = await read('workday-workers.xlsx')
  t.strictSame(records[0]!.cells.slice(0, 2), ['000200', 'Kofi'])
  t.equal(records[0]!.cells[9], '2012-01-09')
  t.equal(records[2]!.cells[7], 'wei.zhang@tidewater.example')
  t.equal((await read('erpnext-employee.ods')).records[0]!.cells[6], '2009-06-15')
})

await t.test('nested objects become columns', async (t) => {
  const okta = await read('okta-users.json')
  t.equal(okta.records.length, 6)
  const at = okta.header.cells.indexOf('profile.firstName')
  t.equal(okta.records[0]!.cells[at], 'Maya')

  const scim = await read('scim-users.json')
  t.equal(scim.records.length, 6, 'a group is left out')
  t.match(scim.leftOut, ['The file holds 7 of 9 records: it is one page of a list', / not_a_user$/])
  const second = Object.fromEntries(scim.header.cells.map((name, column) => [name, scim.records[1]!.cells[column]]))
  t.match(second, {
    externalId: 'L-2',
    'name.givenName': 'Pavel',
    'emails.work': 'pavel.novak@larkspur.example',
    'emails.home': 'pavel@home.example',
    'enterprise.employeeNumber': '70002',
    'enterprise.manager.value': '2819c223-0000-4000-8000-000000000004',
  })
})

await t.test('lists of interfaces are read, also a record a line, wherever a chunk is cut', async (t) => {
  const people = ['Ana', 'Bo'].map((name) => ({ name, jobs: [{ from: '2020-01-02' }, { from: '2021-03-04' }] }))
  const edges = people.map((node) => ({ node }))
  const files: [text: string, name: string, leftOut: number][] = [
    [people.map((one) => JSON.stringify(one)).join('\r\n'), 'name', 0],
    [JSON.stringify({ data: { company: { people: { edges, pageInfo: { hasNextPage: true } } } } }), 'node.name', 1],
    [JSON.stringify({ value: people, '@odata.nextLink': 'x' }), 'name', 1],
    [JSON.stringify({ data: people, links: { next: null }, meta: { total: 2 } }), 'name', 0],
  ]
  for (const [text, name, left] of files)
    for (const size of [1, 7, 4_096]) {
      const bytes = Buffer.from(text)
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const content = await openContent(chunks, UNANSWERED)
      const notes = createNotes()
      const rows: FileRow[] = []
      if (content.kind === 'table') for await (const some of content.read(notes)) rows.push(...some)
      const at = rows[0]!.cells.indexOf(name)
      t.strictSame([rows.slice(1).map(({ cells }) => cells[at]), notes.leftOut.length], [['Ana', 'Bo'], left])
      t.ok(rows[0]!.cells.includes(name.replace('name', 'jobs.2.from')))
    }
})
