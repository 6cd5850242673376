import fc from 'fast-check'
import t from 'tap'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { addColumns, orderColumns, writeRecord } from '../../src/spreadsheets/mapping/record-columns.ts'
import { collectSamples } from '../../src/spreadsheets/proposals/column-samples.ts'
import type { Mapping } from '../../src/spreadsheets/mapping/mapping.ts'
import { NamedPeople } from '../../src/spreadsheets/rows/named-people.ts'
import { keysOfRecord } from '../../src/spreadsheets/rows/plan-rows.ts'
import { proposeMapping } from '../../src/spreadsheets/proposals/propose-mapping.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'
import { canonicalJson } from '../../src/ledger/integrity/canonical-json.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { inputs } from '../support/quick.ts'

/** Reads rows of which the first is the header. */
function read([header = [], ...rows]: string[][], choices: Partial<Mapping> = {}) {
  const lines = rows.map((cells, at) => ({ line: at + 2, cells }))
  const { sample, add } = collectSamples(header.length)
  for (const { cells } of lines) add(cells)
  const mapping = doAtOnce(proposeMapping(header, sample))
  const file = openRows({ line: 1, cells: header }, { ...mapping, ...choices }, '2026-03-31')
  const read = lines.map((row) => file.read(row))
  const records = read.map(({ json }) => JSON.parse(json) as unknown)
  const faults = [...file.faults, ...read.flatMap(({ faults }) => faults)]
  return { ...file, columns: file.fields, records, faults, notes: read.flatMap(({ notes }) => notes) }
}

await t.test('a row is a record with the attributes of its cells', async (t) => {
  const logId = newId('log')
  const {
    records,
    columns,
    faults,
    logId: logIdColumn,
  } = read([
    ['log_id', 'index', 'errors', 'external_id', 'First name', 'E-Mail', 'phone', 'custom_attributes.grade'],
    [logId, '0', 'phone must be …', 'X-1', 'Ana', 'ana@example.com', "'+4915112345678", '7'],
    [logId, '1', '', 'X-2', '(empty)', '', '', "'7"],
    ['', '', '', "'00123", '', '', '', 'TRUE'],
  ])
  t.strictSame(faults, [])
  t.strictSame(records, [
    {
      external_id: 'X-1',
      first_name: 'Ana',
      email: 'ana@example.com',
      phone: '+4915112345678',
      custom_attributes: { grade: 7 },
    },
    { external_id: 'X-2', first_name: null, custom_attributes: { grade: '7' } },
    { external_id: '00123', custom_attributes: { grade: true } },
  ])
  t.equal(logIdColumn, 1)
  t.equal(columns.get('phone'), 7)
  t.equal(columns.get('custom_attributes.grade'), 8)
})

await t.test('a column that is not an attribute is named, and becomes what somebody chooses', async (t) => {
  const rows = [
    ['email', 'Shoe size'],
    ['a@example.com', '42'],
  ]
  t.match(read(rows), { unused: ['Shoe size'], records: [{ email: 'a@example.com' }] })
  const email = { header: 'email', to: 'email' } as const
  const size = { header: 'Shoe size', to: 'custom', name: 'size', type: 'number' } as const
  t.strictSame(read(rows, { columns: [email, size] }).records, [
    { email: 'a@example.com', custom_attributes: { size: 42 } },
  ])
  t.strictSame(
    read([
      ['errors', 'record'],
      ['', '(json) 7'],
    ]).unused,
    [],
    'what this program writes',
  )
  t.match(read(rows, { columns: [email] }).faults, [{ line: 1, column: 2, message: /"Shoe size" isn't mapped/ }])
  t.match(read(rows, { columns: [email, size, { header: 'Left', to: null }] }).faults, [
    { line: 1, column: null, message: /"Left", which the file doesn't have/ },
  ])
})

await t.test(
  'what a spreadsheet has damaged, and what cannot be read, is a fault at its line and column',
  async (t) => {
    const places = (rows: string[][]) => read(rows).faults.map(({ line, column }) => [line, column])
    const cells = ['4.91511E+12', '4,9E+12', '#####', '(json) {', `(json) ${'['.repeat(40)}${']'.repeat(40)}`]
    for (const cell of cells)
      t.strictSame(
        places([
          ['email', 'phone'],
          ['a@example.com', cell],
        ]),
        [[2, 2]],
        cell,
      )
    const errors = read([
      ['email', 'phone', 'department'],
      ['a@example.com', '#NAME?', '#N/A'],
    ])
    t.strictSame(errors.records, [{ email: 'a@example.com' }], 'what a formula has not found is left out, and noted')
    t.match(errors.notes, [
      { column: 2, message: '"#NAME?" is an error of the spreadsheet: left out' },
      { column: 3, message: /^"#N\/A"/ },
    ])
    for (const name of ['last_name', 'status', 'termination_date', 'external_id'])
      t.not(
        places([
          ['email', name],
          ['a@example.com', '#N/A'],
        ]).length,
        0,
        name,
      )
    t.strictSame(
      places([['email', 'email']]),
      [
        [1, 1],
        [1, 2],
      ],
      'a column twice',
    )
    t.strictSame(places([['email'], ['a@example.com', 'b']]), [[2, 2]], 'a cell without a column')
    t.strictSame(
      places([
        ['email', 'record'],
        ['', '{"email":"a@exam'],
      ]),
      [[2, 2]],
      'a truncated record',
    )
    t.strictSame(
      places([
        ['email', 'record'],
        ['a@example.com', '(json) {}'],
      ]),
      [[2, null]],
      'a record and attributes',
    )
    const wide = Array.from({ length: 10_000 }, (_, at) => `c${at}`)
    t.strictSame(places([wide]), [[1, 513]], 'too many columns')
    t.strictSame(places([['email', '"'.repeat(257)]]), [[1, 2]], 'a name that is too long')
  },
)

/** The API refuses a body with such a member. */
const isAccepted = (value: unknown) => !JSON.stringify(value).includes('"__proto__"')

await t.test('a file that was exported is read as the records that it was written from', async () => {
  const name = fc.oneof(
    fc.constantFrom('id', 'email', 'phone', 'first_name', 'external_id', 'manager_email', 'shoe size', '=1+1'),
    fc.constantFrom('index', 'record', 'custom_attributes', 'custom_attributes.a', "'x", ''),
    fc.string({ unit: 'grapheme' }),
  )
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('+4915112345678', '00123', '2026-01-05', '4.9E+12', '#NAME?', '(empty)', "'7", '7', 'true', ''),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const record = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fc.dictionary(name, value), fc.option(fc.dictionary(name, value))) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 4 }).filter(isAccepted), (drawn) => {
      // As JSON: a record that a client sent has no -0 and no other prototype.
      const records = drawn.map((one) => {
        const isPair = Array.isArray(one) && typeof one[0] === 'object' && one.length === 2
        const whole = isPair && one[1] !== null ? { ...(one[0] as object), custom_attributes: one[1] } : one
        return JSON.parse(JSON.stringify(isPair && one[1] === null ? one[0] : whole)) as unknown
      })
      const columns = new Set<string>()
      for (const one of records) addColumns(columns, one)
      const ordered = orderColumns(columns)
      const rows = records.map((one) => {
        const cells = writeRecord(one, columns)
        return ['log', ...ordered.map((column) => cells.get(column) ?? '')]
      })
      const file = read([['errors', ...ordered], ...rows])
      const [before, after] = [records, file.records].map((all) => all.map(canonicalJson))
      return file.faults.length === 0 && JSON.stringify(before) === JSON.stringify(after)
    }),
    { numRuns: inputs(500, 5_000) },
  )
})

await t.test('whoever a row names as a manager, in any column or record, is named by the file', async (t) => {
  const record = {
    external_id: 'X-1',
    manager_id: 'emp_1',
    manager_external_id: 'X-2',
    manager_email: 'Bo@example.com',
  }
  const [header, cells] = [Object.keys(record), Object.values(record)]
  const file = read(
    [
      [...header, 'Manager'],
      [...cells, 'X-3'],
    ],
    {
      columns: [
        ...header.map((name) => ({ header: name, to: name as 'manager_id' })),
        { header: 'Manager', to: 'manager' as const, by: 'external_id' as const },
      ],
    },
  )
  const nobody = { email: null, external_id: null, employee_number: null, first_name: null, last_name: null }
  const people = ['emp_1', 'X-2', 'bo@example.com', 'X-3'].map((text) => ({ ...nobody, id: text }))
  for (const [keys, expected] of [
    [file.readKeys({ line: 2, cells: [...cells, 'X-3'] }), people],
    [{ ...keysOfRecord(record), line: 1 }, people.slice(0, 3)],
  ] as const) {
    const named = new NamedPeople()
    t.ok(named.add(keys))
    t.strictSame(
      people.filter((person) => named.has(person)),
      expected,
    )
  }
})
