import fc from 'fast-check'
import { utils, write as writeBook } from '@e965/xlsx'
import t from 'tap'
import type { Mapping } from '../../src/spreadsheets/mapping/mapping.ts'
import { planRows } from '../../src/spreadsheets/rows/plan-rows.ts'
import { openWorkbook } from '../../src/spreadsheets/formats/read-workbook.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'
import { canonicalJson } from '../../src/ledger/integrity/canonical-json.ts'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { COLUMN_NAMES } from '../support/files/column-names.ts'
import { proposeFor } from '../support/files/propose-for.ts'
import { inputs } from '../support/quick.ts'

/* Any table that any system writes is read as the people whom it lists. */

const FIRST = ['Ana', 'Björn', 'Chloé', 'Dirk', 'Ewa', 'Gerard', 'Łukasz', 'Nils', '太郎']
const LAST = ["'t Hooft", "O'Neil", 'Perez', 'Sørlie', 'Yıldız', 'de la Cruz', 'von der Heide', 'Kim', '山田']

interface Person {
  external_id: string
  first_name: string
  last_name: string
  email: string
  department: string
  job_title: string
  phone: string
  start_date: string
  status: 'active' | 'inactive'
  /** The index of the manager, who may stand anywhere; null for none. */
  manager: number | null
}

const day = fc
  .record({ year: fc.integer({ min: 1960, max: 2040 }), day: fc.integer({ min: 0, max: 364 }) })
  .map(({ year, day }) => new Date(Date.UTC(year, 0, 1 + day)).toISOString().slice(0, 10))
const people = fc
  .array(
    fc.record({
      first_name: fc.constantFrom(...FIRST),
      last_name: fc.constantFrom(...LAST),
      department: fc.constantFrom('Sales', 'Küche & Bar', '=Ops', 'R&D, north'),
      job_title: fc.constantFrom('Head of "it"', 'Buyer', 'Disponentin'),
      digits: fc.integer({ min: 1_000_000, max: 9_999_999 }),
      start_date: day,
      status: fc.constantFrom('active' as const, 'inactive' as const),
      above: fc.option(fc.nat()),
    }),
    { minLength: 2, maxLength: 9 },
  )
  .chain((drawn) =>
    fc.shuffledSubarray([...drawn.keys()], { minLength: drawn.length }).map((ranks) =>
      drawn.map(({ digits, above, ...person }, at): Person => {
        // Managers have a lower rank, so that there are no circles.
        const higher = [...ranks.keys()].filter((other) => ranks[other]! < ranks[at]!)
        const manager = above === null || higher.length === 0 ? null : higher[above % higher.length]!
        return { ...person, external_id: `0${at}7`, email: `p.${at}@example.com`, phone: `+49171${digits}`, manager }
      }),
    ),
  )

const DATES: Record<string, (date: string) => string> = {
  iso: (date) => date,
  day_first: (date) => date.split('-').toReversed().join('.'),
  month_first: (date) => date.replace(/(\d+)-0?(\d+)-0?(\d+)/, '$2/$3/$1'),
  serial: (date) => String(Date.parse(date) / 86_400_000 + 25_569),
  japanese: (date) => date.replace(/(\d+)-0?(\d+)-0?(\d+)/, '$1年$2月$3日'),
}
const STATUSES = [
  ['Active', 'Terminated'],
  ['Aktiv', 'Ausgeschieden'],
  ['在職中', '離職'],
  ['Actif', 'Sorti'],
] as const

const system = fc.record({
  language: fc.constantFrom('en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'ja', 'zh', 'ru'),
  word: fc.nat(),
  dates: fc.constantFrom(...Object.keys(DATES)),
  statuses: fc.constantFrom(...STATUSES),
  names: fc.constantFrom('two', 'comma', 'last_first'),
  managers: fc.constantFrom('email' as const, 'external_id' as const, 'full_name' as const),
  isLocal: fc.boolean(),
  // Most are text, which takes less time.
  workbook: fc.constantFrom(...Array.from({ length: 8 }, () => null), 'xlsx' as const, 'biff8' as const),
  order: fc.infiniteStream(fc.nat()),
})
type System = typeof system extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** Writes people as a system does: the header and the rows. */
function write(all: readonly Person[], { language, word, dates, statuses, names, managers, isLocal, order }: System) {
  const header = (meaning: string) => {
    const words = COLUMN_NAMES[meaning]![language]!
    return words[word % words.length]!
  }
  const nameOf = ({ first_name: first, last_name: last }: Person) =>
    names === 'two' ? `${first} ${last}` : `${last}${names === 'comma' || last.includes(' ') ? ',' : ''} ${first}`
  const managerOf = (person: Person) => {
    const manager = person.manager === null ? null : all[person.manager]!
    if (!manager) return ''
    return managers === 'full_name' ? nameOf(manager) : manager[managers as 'email']
  }
  const columns: [string, (person: Person) => string][] = [
    [header('employee_number'), ({ external_id: id }) => `="${id}"`],
    ...(names !== 'two'
      ? ([[header('full_name'), nameOf]] as [string, (person: Person) => string][])
      : ([
          [header('first_name'), (person) => person.first_name],
          [header('last_name'), (person) => person.last_name],
        ] as [string, (person: Person) => string][])),
    [header('email'), ({ email }) => email.toUpperCase()],
    [header('department'), ({ department }) => (department.startsWith('=') ? `'${department}` : department)],
    [header('job_title'), ({ job_title: title }) => title],
    [header('phone'), ({ phone }) => (isLocal ? phone.replace('+49', '0') : phone)],
    [header('start_date'), (person) => DATES[dates]!(person.start_date)],
    [header('status'), ({ status }) => statuses[status === 'active' ? 0 : 1]],
    [header('manager'), managerOf],
  ]
  const shuffled = columns
    .map((column) => ({ column, rank: order.next().value as number }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ column }) => column)
  return { header: shuffled.map(([name]) => name), rows: all.map((person) => shuffled.map(([, cell]) => cell(person))) }
}

/** Writes a table as a workbook, with numbers and dates as such, and reads its rows. */
function throughWorkbook({ header, rows }: ReturnType<typeof write>, all: readonly Person[], type: 'xlsx' | 'biff8') {
  const sheet = utils.aoa_to_sheet([header, ...rows])
  for (const [at, cells] of rows.entries())
    for (const [column, cell] of cells.entries()) {
      const place = utils.encode_cell({ r: at + 1, c: column })
      const { external_id: id, start_date: date } = all[at]!
      const serial = Date.parse(date) / 86_400_000 + 25_569
      if (cell === `="${id}"`) sheet[place] = { t: 'n', v: Number(id), z: '000' }
      if (Object.values(DATES).some((format) => format(date) === cell))
        sheet[place] = { t: 'n', v: serial, z: 'd.m.yy' }
    }
  const book = utils.book_new()
  utils.book_append_sheet(book, sheet, 'Staff')
  const read = [...openWorkbook(writeBook(book, { type: 'buffer', bookType: type }) as Buffer, null).rows]
  return { header: [...read[0]!.cells], rows: read.slice(1).map(({ cells }) => [...cells]) }
}

/** Answers what only the system's users know. */
function answer(mapping: Mapping, { dates, managers, names }: System): Mapping {
  return {
    ...mapping,
    country: 'DE',
    unknown_managers: 'refuse',
    columns: mapping.columns.map((column) => ({
      ...column,
      ...(column.dates === null ? { dates: dates as 'day_first' } : {}),
      ...(column.to === 'full_name' && names === 'last_first' ? { names } : {}),
      ...(column.to === 'manager' ? { by: managers } : {}),
    })),
  }
}

await t.test('a table of random people is read as these people, with the hints of its system', async () => {
  fc.assert(
    fc.property(people, system, (all, given) => {
      const written = write(all, given)
      const { header, rows } = given.workbook ? throughWorkbook(written, all, given.workbook) : written
      const file = openRows(
        { line: 1, cells: header },
        answer(proposeFor(header, rows, '2026-03-31'), given),
        '2026-03-31',
      )
      const lines = rows.map((cells, at) => ({ line: at + 2, cells }))
      const { plans, order } = doAtOnce(planRows(lines.map(file.readKeys), { shared_emails: 'refuse' }, String))
      const known = new Set<string>()
      for (const at of order) {
        const { json, faults } = file.read(lines[at]!, plans.get(at))
        const person = all[at]!
        known.add(person.external_id)
        const manager = person.manager === null ? null : all[person.manager]!
        const isAmbiguous =
          given.managers === 'full_name' &&
          all.filter((one) => one.first_name === manager?.first_name && one.last_name === manager.last_name).length > 1
        if (isAmbiguous && faults.length === 1) continue
        const { manager_email: email, manager_external_id: id, ...record } = JSON.parse(json)
        const { manager: _manager, ...wanted } = person
        const found = all.find((one) => one.email === email?.toLowerCase() || one.external_id === id)
        const isRight =
          JSON.stringify([file.faults, faults]) === '[[],[]]' &&
          canonicalJson({ ...record, email: record.email.toLowerCase() }) === canonicalJson(wanted) &&
          found === (manager ?? undefined) &&
          // Managers come first.
          (!manager || known.has(manager.external_id) || isAmbiguous)
        if (!isRight) throw new Error(JSON.stringify({ header, row: rows[at], json, faults, all: file.faults }))
      }
    }),
    { numRuns: inputs(500, 5_000) },
  )
})
