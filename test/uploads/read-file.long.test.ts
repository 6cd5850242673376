import t from 'tap'
import { UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { FileFaultError } from '../../src/uploads/part-builder.ts'
import type { StoredRow } from '../../src/domain/uploads.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { readContent } from '../../src/ledger/uploads/read-uploads.ts'
import { planParts } from '../../src/uploads/plan-parts.ts'
import { readFile } from '../../src/uploads/read-file.ts'
import { holdFile } from '../support/files/hold-file.ts'

/* Splitting a file into parts that can be calls. */

const MIB = 1024 * 1024
const limits = { maxRecords: 3, bodyLimit: 8 * MIB }
async function read(text: string | Buffer, more: Partial<typeof limits> = {}) {
  const used = { ...limits, ...more }
  const file = await readFile(holdFile(Buffer.from(text as string)), UNANSWERED, used, null)
  const { header, proposal: mapping, rows, notes } = file
  const facts = {
    newId,
    today: '2026-03-31',
    countAbsent: async () => 0,
    countLinkable: async () => 0,
    countReturning: async () => 0,
  }
  const { parts } = await planParts({ header, mapping, rows }, used, new Map(), facts)
  const read: StoredRow[][] = []
  for await (const { content } of parts) read.push([...readContent(content.toString())])
  return { header, notes, parts: read }
}
const faultsOf = async (text: string | Buffer, more: Partial<typeof limits> = {}) => {
  try {
    await read(text, more)
  } catch (error) {
    if (error instanceof FileFaultError) return error.faults.map(({ line, message }) => `${line}: ${message}`)
    throw error
  }
  return []
}

await t.test('rows are numbered in the file, and keep their lines', async (t) => {
  const { header, parts } = await read('external_id,note\nA,"two\nlines"\n,\nB,\nC,\nD,\n')
  t.strictSame(header, ['external_id', 'note'])
  t.match(parts, [
    [
      { row: 1, line: 2, cells: ['A', 'two\nlines'] },
      { row: 2, line: 5 },
      { row: 3, line: 6 },
    ],
    [{ row: 4, line: 7, cells: ['D', ''] }],
  ])
})

await t.test('a JSON file is split alike', async (t) => {
  const records = Array.from({ length: 7 }, (_, at) => ({ external_id: `J-${at}` }))
  for (const text of [JSON.stringify(records), JSON.stringify({ employees: records })]) {
    const { header, parts } = await read(text)
    t.equal(header, null)
    t.strictSame(
      parts.map((part) => part.map(({ row, record }) => [row, (record as { external_id: string }).external_id])),
      [[1, 2, 3].map((row) => [row, `J-${row - 1}`]), [4, 5, 6].map((row) => [row, `J-${row - 1}`]), [[7, 'J-6']]],
    )
  }
  t.strictSame(await faultsOf('{"external_id":"J"}'), [
    '1: The file must be a list of employees, or an object with the list "employees"',
  ])
  t.strictSame(await faultsOf('[]'), ['1: There are no records in the list'])
})

await t.test('records of other systems become a table, and those of the API stay records', async (t) => {
  const people = [{ id: 7, name: { first: 'Ana' }, tags: ['a', 'b'], active: true, left: null }, { id: 8 }]
  for (const around of [
    people,
    { employees: people, total: 2 },
    { roles: ['a', ['b']], d: { none: [], results: people } },
  ]) {
    const { header, parts, notes } = await read(JSON.stringify(around, null, 1))
    t.strictSame(header, ['id', 'name.first', 'tags', 'active', 'left'])
    t.strictSame(
      parts.flat().map(({ cells }) => cells),
      [
        ['7', 'Ana', 'a; b', 'true', ''],
        ['8', '', '', '', ''],
      ],
    )
    t.strictSame(notes.leftOut, [])
  }
  const fields = [{ id: 'firstName', type: 'text', name: 'First name' }]
  const labeled = await read(JSON.stringify({ fields, employees: [{ firstName: 'Ana' }] }))
  t.strictSame(labeled.header, ['First name'])
  const page = {
    totalResults: 3,
    Resources: [{ userName: 'a' }, { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'] }],
  }
  t.match((await read(JSON.stringify(page))).notes.leftOut, [{ reason: 'incomplete' }, { reason: 'not_a_user' }])
  t.strictSame(await faultsOf(JSON.stringify({ list: ['a'], total: 1, none: [] })), [
    '1: The file must be a list of employees, or an object with the list "employees"',
  ])
  const large = JSON.stringify([{ id: 1 }]).replace('1', '12345678901234567890')
  t.match((await read(large.replace('"id"', '"code"'))).parts.flat()[0]!.cells, [/E|e\+/], 'is not taken for exact')
})

await t.test('a part is no larger than a body, however long the names of the columns are', async (t) => {
  const names = Array.from({ length: 200 }, (_, at) => `${'n'.repeat(100)}${at}`)
  const rows = Array.from({ length: 100 }, () => names.map(() => 'x').join(','))
  const { parts } = await read([names.join(','), ...rows].join('\n'), { maxRecords: 1_000, bodyLimit: MIB / 2 })
  t.ok(parts.length >= 4, `${parts.length} parts`)
  t.equal(parts.flat().length, 100)
})

await t.test('no character is lost where the text is cut for parsing', async (t) => {
  for (let at = 65_530; at < 65_540; at += 1) {
    const start = 'first_name\n'
    const padding = `${'x'.repeat(at - start.length - 1)}\n`
    const { parts } = await read(`${start}${padding}😀é\n`)
    t.strictSame(parts.flat().at(-1)!.cells, ['😀é'])
  }
})

await t.test('two rows of one employee are refused, each with the place of the other, in whatever parts', async (t) => {
  const planned = async (text: string) =>
    (await read(text)).parts.flat().flatMap(({ row, plan }) => (plan?.faults ?? []).map((fault) => `${row}: ${fault}`))
  const again = 'is in the file again: a file may change an employee only once'
  const jobs = '. If this person has several jobs, keep the row of the main one'
  const rows = ['A,a@x.com', 'B,b@x.com', 'A,a2@x.com', 'C,c@x.com', ',B@X.com']
  t.strictSame(await planned(['external_id,email', ...rows].join('\n')), [
    `1: The external_id of this row ${again} (line 4)${jobs}`,
    `2: The email of this row ${again} (line 6)`,
    `3: The external_id of this row ${again} (line 2)${jobs}`,
    `5: The email of this row ${again} (line 3)`,
  ])
  const records = [{ external_id: 'A' }, { external_id: 'B' }, { external_id: 'C' }, { external_id: 'B' }]
  t.strictSame(await planned(JSON.stringify(records)), [
    `2: The external_id of this row ${again} (record 4)${jobs}`,
    `4: The external_id of this row ${again} (record 2)${jobs}`,
  ])
})

await t.test('of a file with several parts, managers come first, wherever they stand', async (t) => {
  const rows = ['A,D', 'B,D', 'C,', 'D,F', 'E,A', 'F,']
  const { parts } = await read(['external_id,manager_external_id', ...rows].join('\n'))
  t.strictSame(
    parts.map((part) => part.map(({ cells, earlierManager = null }) => [cells![0], earlierManager])),
    [
      [
        ['F', null],
        ['D', null],
        ['A', null],
      ],
      [
        ['B', 4],
        ['C', null],
        ['E', 1],
      ],
    ],
  )
})

await t.test('the cells of passwords and the like are not kept', async (t) => {
  const { header, parts } = await read('email,Password [Required],Initial password\na@x.com,hunter2,hunter3\n')
  t.strictSame(header, ['email', 'Password [Required]', 'Initial password'])
  t.strictSame(parts.flat()[0]!.cells, ['a@x.com', '', ''])
})

await t.test('a row knows the row of its manager in an earlier part', async (t) => {
  const rows = ['A,', 'B,C', 'C,B', 'D,A', 'E,D']
  const { parts } = await read(['external_id,manager_external_id', ...rows].join('\n'))
  t.strictSame(
    parts.flat().map(({ earlierManager = null }) => earlierManager),
    [null, null, null, 1, null],
  )
})

await t.test('a file is split into a limited number of parts', async (t) => {
  const rows = Array.from({ length: 301 }, (_, at) => `P-${at}`)
  t.equal((await read(['external_id', ...rows.slice(1)].join('\n'))).parts.length, 100)
  t.match(await faultsOf(['external_id', ...rows].join('\n')), [/^302: A file must have at most 100 parts of 3 rows/])
})

await t.test('one line of 32 MB, open quotation marks, and a million separators end at their line', async (t) => {
  const large = 'x'.repeat(32 * MIB)
  t.match(await faultsOf(`email\n${large}\n`), [/^2: The line has more than/])
  t.match(await faultsOf(`email\n"${large}`), [/^\d+: The line has more than/])
  t.match(await faultsOf(`email\na\n${','.repeat(1_000_000)}`), [/^3: The line has more than/])
  t.match(await faultsOf(`${Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',')}\n`), [
    /^1: A file must have at most/,
  ])
  t.match(await faultsOf(Buffer.from('fffe', 'hex')), [/^1: The file is empty/])
})
