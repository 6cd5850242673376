import t from 'tap'
import { createNotes, findTable } from '../../src/spreadsheets/tables/find-table.ts'
import { readCsv } from '../../src/spreadsheets/formats/read-csv.ts'

/* Where the table is in a file that a system or a person wrote. */

/** The lines of the header and of the records, and the lines that are left out, each with its reason. */
async function find(lines: readonly string[], headerLine: number | null = null) {
  const notes = createNotes()
  const rows: { line: number; cells: readonly string[] }[] = []
  async function* texts() {
    yield lines.join('\n')
  }
  for await (const some of findTable(readCsv(texts()), headerLine, notes)) rows.push(...some)
  const [header, ...records] = rows
  return {
    header: header?.line,
    names: header?.cells,
    records: records.map(({ line }) => line),
    last: records.at(-1)?.cells.at(-1),
    leftOut: notes.leftOut.map(({ line, lastLine, reason }) => `${line}-${lastLine} ${reason}`),
  }
}

const HEADER = 'Employee ID,First Name,Last Name,Email,Start Date,Salary'
const ROWS = ['001,Ana,Perez,ana@x.example,2020-01-02,10', '002,Bo,Li,bo@x.example,2021-03-04,20']

await t.test('a plain table is read as it is', async (t) => {
  t.match(await find([HEADER, ...ROWS]), { header: 1, records: [2, 3], leftOut: [] })
  t.match(await find(['email', 'a@x.example', 'b@x.example']), { header: 1, records: [2, 3], leftOut: [] })
  const updates = ['external_id,job_title,phone', 'A-1,Lead,', 'A-2,,', '', 'A-3,,']
  t.match(await find(updates), { header: 1, records: [2, 3, 5], leftOut: ['4-4 empty'] }, 'records with few cells stay')
  t.match(await find(['email,x', 'a,b,c,d,e,f']), { header: 1, records: [2] }, 'a row may have too many cells')
})

await t.test('what stands above the header is left out', async (t) => {
  t.match(await find(['Staff list', 'Printed,2026-03-31', '', HEADER, ...ROWS]), {
    header: 4,
    records: [5, 6],
    leftOut: ['1-2 above_header', '3-3 empty'],
  })
  t.match(await find(['sep=,', HEADER, ...ROWS]), { header: 2, records: [3, 4], leftOut: ['1-1 separator_line'] })
  t.match(await find(['#TYPE Selected.User', '"mail","name"', '"a@x.example","A"']), {
    header: 2,
    records: [3],
    leftOut: ['1-1 separator_line'],
  })
})

await t.test(
  'what stands below the table is left out, and totals and repeated headers wherever they stand',
  async (t) => {
    for (const total of ['Total: 2 employees', 'Summe;2', 'Razem: 2 pracowników', 'Count,2', '合計 2'])
      t.match(await find([HEADER, ...ROWS, '', total, 'Report run 03/31/2026 by JADLER.']), {
        records: [2, 3],
        leftOut: ['4-4 empty', '5-5 total', '6-6 below_table'],
      })
    t.match(await find([HEADER, ROWS[0]!, 'Subtotal,1', HEADER, ROWS[1]!]), {
      records: [2, 5],
      leftOut: ['3-3 total', '4-4 repeated_header'],
    })
    t.match(await find([HEADER, ...ROWS, 'Sum,Li,sum1@x.example,,,']), { records: [2, 3, 4] }, 'a name is no total')
  },
)

await t.test('a file that ends within the row of a person is told, wherever it was cut', async (t) => {
  const rows = [HEADER, ...ROWS, ...ROWS]
  const text = [...rows, ROWS[0]!].join('\n')
  const last = text.lastIndexOf('\n') + 1
  for (let end = text.indexOf(',', last) + 1; end <= text.lastIndexOf(','); end += 1)
    await t.rejects(find([text.slice(0, end)]), {
      name: 'FileError',
      message: /^The file ends within this line, which has [2-5] cells instead of 6/,
      fault: { line: rows.length + 1 },
    })
  for (const whole of [text, `${text.slice(0, last)}7,Ana,Ek\n`, `${text}\n\nTotal,4`]) await t.resolves(find([whole]))
})

await t.test('a last cell that may be cut off is told, wherever it was cut', async (t) => {
  const names = ['Email,Job title', 'a@x.example,Accountant', 'b@x.example,Clerk', 'c@x.example,Accountant']
  const dates = ['Email,Start date', 'a@x.example,2020-01-02', 'b@x.example,2021-03-04', 'c@x.example,2022-05-06']
  for (const lines of [names, [...dates, 'd@x.example,2023-07-08']]) {
    const text = lines.join('\n')
    for (let end = text.lastIndexOf(',') + 2; end < text.length; end += 1)
      t.match(await find([text.slice(0, end)]), { leftOut: [`${lines.length}-${lines.length} incomplete`] })
    for (const whole of [text, `${text}\n`]) t.strictSame((await find([whole])).leftOut, [])
  }
})

await t.test('a table below the first one, with other columns, is refused', async (t) => {
  const other = HEADER.replace('Start Date', 'End Date')
  for (const between of [[], [''], ['', 'Former staff', '']])
    await t.rejects(find([HEADER, ...ROWS, ...between, other, ...ROWS]), {
      name: 'FileError',
      fault: { line: 4 + between.length, message: /^Another table begins here/ },
    })
  const same = await find([HEADER, ...ROWS, '', HEADER, ...ROWS])
  t.match(same, { records: [2, 3, 6, 7] })
})

await t.test('of two header rows, headings tell apart columns with the same name', async (t) => {
  t.match(await find([',Work,,Home,', 'Employee ID,Phone,Email,Phone,City', '1,+4930,a@x.example,+4940,Bonn']), {
    header: 2,
    names: ['Employee ID', 'Work Phone', 'Email', 'Home Phone', 'City'],
    leftOut: ['1-1 above_header'],
  })
  t.match(
    await find([
      'USERID,EMAIL,HIREDATE',
      'User ID,Email Address,Hire Date',
      ...ROWS.map((_, at) => `${at},a@x.example,2020-01-02`),
    ]),
    {
      header: 1,
      records: [3, 4],
      leftOut: ['2-2 second_header'],
    },
  )
})

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => `${at + 100},Ana${at},Ek,a${at}@x.example,2020-01-02,5`)
const HEADINGS: Record<string, string[]> = {
  'behind many rows': [HEADER, ...people(400), 'Former employees', ...ROWS],
  'above names that are repeated': ['Staff', HEADER, ...people(3), 'Leavers', HEADER, ...ROWS],
  'above a gap and names that are repeated': [HEADER, ...people(3), '', 'Leavers', '', HEADER, ...ROWS],
  'with the number of those below': [HEADER, ...people(5), 'Leavers,,,2', ...ROWS],
  'of two cells': [HEADER, ...people(3), 'Former,employees', ...ROWS],
}
for (const [name, lines] of Object.entries(HEADINGS))
  await t.test(`a heading of people who have left is a value of their rows: ${name}`, async (t) => {
    const { names, last, leftOut } = await find(lines)
    t.equal(names!.at(-1), 'Heading above the rows')
    t.match(last, /^(?:Former employees|Leavers)$/)
    t.ok(leftOut.some((note) => note.endsWith(' heading')))
  })

await t.test('titles of pages, and the number of the rows above, are no headings', async (t) => {
  const pages = await find(['Staff, page 1', HEADER, ...people(3), 'Staff, page 2', HEADER, ...ROWS])
  t.strictSame(pages.leftOut, ['1-1 above_header', '6-6 above_header', '7-7 repeated_header'])
  const count = await find([HEADER, ...people(3), 'Sales,,,3', ...ROWS, 'Buying,,,2', ...people(1)])
  t.strictSame(count.leftOut, ['5-5 total', '8-8 total'])
})

await t.test('cells below a heading that is merged name its columns', async (t) => {
  const rows = ['1,Ek,a@x.example,030 12345,2020-01-02,', '2,Li,b@x.example,030 12346,2021-03-04,2024-05-31']
  t.match(await find(['No,Name,Contact,,Dates,', ',,Email,Phone,From,To', ...rows]), {
    names: ['No', 'Name', 'Contact Email', 'Contact Phone', 'Dates From', 'Dates To'],
    records: [3, 4],
    leftOut: ['2-2 second_header'],
  })
})

await t.test('headings of groups are no names of columns, also if they are those of attributes', async (t) => {
  const names = ['Badge', 'Employee', 'Department Name', 'Code', 'Site Name', 'Email']
  const header = 'Badge,Employee,Name,Code,Name,Email'
  const rows = ['7,Ana Ek,Sales,10,Bonn,ana@x.example', '8,Bo Fox,Sales,10,Bonn,bo@x.example']
  t.match(await find([',,Department,,Site,', header, ...rows]), { header: 2, names, leftOut: ['1-1 above_header'] })
})

await t.test('blank cells are empty', async (t) => {
  t.match(await find([HEADER, ROWS[0]!, ' , ,\u00a0', ROWS[1]!]), { records: [2, 4], leftOut: ['3-3 empty'] })
})

await t.test('the header may be named', async (t) => {
  t.match(await find(['Staff list', HEADER, ...ROWS], 1), { header: 1, records: [2, 3, 4] })
  t.match(await find([HEADER, 'a,b,c,d,e,f', ...ROWS], 2), {
    header: 2,
    records: [3, 4],
    leftOut: ['1-1 above_header'],
  })
  await t.rejects(find([HEADER, '', ...ROWS], 2), { name: 'FileError', fault: { line: 2 } })
  await t.rejects(find([HEADER, ...ROWS], 99), { name: 'FileError', fault: { line: 99 } })
})

await t.test('the list of rows that are left out is limited', async (t) => {
  const notes = createNotes()
  async function* texts() {
    yield `${HEADER}\n${`${ROWS[0]!}\n\n`.repeat(150)}`
  }
  for await (const _ of findTable(readCsv(texts()), null, notes));
  t.equal(notes.leftOut.length, 100)
  t.equal(notes.leftOutMore, 50)
})

await t.test('a file whose columns have a width instead of separators is refused with what to do', async (t) => {
  const lines = ['EMPNO  SURNAME    HIRED', '000101 ABBOT      2012-01-09', '000102 BELL       2016-05-16']
  await t.rejects(find(lines), { name: 'FileError', message: /no separators/ })
  t.match(await find(['email', 'a@x.example', 'b@x.example']), { records: [2, 3] })
})
