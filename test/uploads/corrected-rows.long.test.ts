import t from 'tap'
import { readCsv } from '../../src/spreadsheets/formats/read-csv.ts'
import { send, startService } from '../support/service.ts'

/* What was refused of a file of another system arrives once somebody has corrected it in a spreadsheet. */

const service = await startService(t)
type TestCompany = Awaited<ReturnType<typeof service.makeCompany>>

const write = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')

/** Uploads a file, says what its columns mean if that is given, and applies the rows that can be applied. */
async function load({ admin }: TestCompany, rows: readonly (readonly string[])[], mapping?: object) {
  const headers = { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` }
  const path = '/admin/v1/uploads?file_name=staff.csv'
  const { body } = await send(service.address, 'POST', path, { key: null, body: write(rows), headers })
  if (mapping) {
    const set = await service.manage('PUT', `/uploads/${body.id}/mapping`, mapping, admin.token)
    t.equal(set.status, 200, JSON.stringify(set.body.errors))
  }
  await service.manage('POST', `/uploads/${body.id}/apply?all_or_none=false`, undefined, admin.token)
  const csv = (await service.admin(`/uploads/${body.id}/not-applied.csv`, admin.token)).body as string
  const left: string[][] = []
  for await (const some of readCsv(ofText(csv))) left.push(...some.map(({ cells }) => [...cells]))
  return left
}

async function* ofText(text: string) {
  yield text
}

async function listPeople({ id, key }: TestCompany) {
  await service.project(id)
  return (await service.call('GET', '/v1/employees?limit=200', { key })).body.items
}

const COLUMNS = [
  { header: 'Badge', to: 'external_id' },
  { header: 'Vorname', to: 'first_name' },
  { header: 'Nachname', to: 'last_name' },
  { header: 'Mail', to: 'email' },
  { header: 'Telefon', to: 'phone' },
  { header: 'Eintritt', to: 'start_date', dates: 'day_first' },
  { header: 'Zustand', to: 'status', words: { da: 'active' } },
  { header: 'Chef', to: 'manager', by: 'full_name' },
] as const
const HEADER = COLUMNS.map(({ header }) => header)
type Row = Record<(typeof HEADER)[number], string>

/** What is wrong with a row, by the column that somebody corrects; the row of an id that two rows have is another one. */
const FAULTS: readonly Partial<Row>[] = [
  {},
  { Mail: 'no address' },
  { Mail: 'a0@x.example' },
  { Telefon: '12' },
  { Telefon: '???' },
  { Eintritt: '31.02.2015' },
  { Zustand: 'fort' },
  { Chef: 'Nobody Known' },
  { Badge: 'B-0' },
  { Vorname: '', Nachname: '' },
  { Nachname: '\u0007' },
]

/** A cell without the apostrophe that keeps spreadsheets from computing it. */
const plain = (cell = '') => cell.replace(/^'(?=[=+@-])/, '')

await t.test('whatever was refused of a mapped file arrives once it is corrected and sent again', async (t) => {
  for (const count of [FAULTS.length, 3 * FAULTS.length]) {
    const company = await service.makeCompany(`${count} rows`)
    const right = Array.from({ length: count }, (_, at): Row => {
      const names = { Vorname: 'Ana', Nachname: `=Roe ${at}`, Chef: at % 4 === 0 ? '' : 'Ana =Roe 0' }
      const [Badge, Mail] = [`B-${at}`, `a${at}@x.example`]
      return { Badge, ...names, Mail, Telefon: '', Eintritt: '01.02.2015', Zustand: 'da' }
    })
    const wrong = right.map((row, at) => ({ ...row, ...FAULTS[at % FAULTS.length] }))
    const cells = wrong.map((row) => HEADER.map((name) => row[name]))
    const mapping = { columns: COLUMNS, country: 'DE', unknown_managers: 'refuse', past_end_dates: 'keep' }
    const [header, ...left] = await load(company, [[...HEADER], ...cells], mapping)
    t.ok(left.length >= count - count / FAULTS.length, 'nearly all are refused')
    // As in a spreadsheet: the cells that are wrong are written again, and nothing else.
    const corrected = left.map((row) => {
      const sent = wrong.findIndex((one) => HEADER.every((name) => plain(row[header!.indexOf(name)]) === one[name]))
      return row.map((cell, at) => {
        const name = HEADER.find((known) => known === header![at])
        return name && wrong[sent]![name] !== right[sent]![name] ? right[sent]![name] : cell
      })
    })
    t.strictSame((await load(company, [header!, ...corrected])).slice(1), [])
    const people = await listPeople(company)
    const manager = people.find((person: { external_id: string }) => person.external_id === 'B-0')
    const found = people.map((person: Record<string, unknown>) =>
      [person['external_id'], person['email'], person['last_name'], person['start_date'], person['manager_id']].join(),
    )
    const wanted = right.map(({ Badge, Mail, Nachname, Chef }) =>
      [Badge, Mail, Nachname, '2015-02-01', Chef === '' ? null : manager.id].join(),
    )
    t.strictSame(found.toSorted(), wanted.toSorted())
  }
})

await t.test('a mapping of many columns with long names is stored, and remembered', async (t) => {
  const company = await service.makeCompany('Long names')
  const names = Array.from({ length: 400 }, (_, at) => (at === 0 ? 'Kennung' : `${'Überschrift '.repeat(20)}${at}`))
  const rowOf = (id: string) => names.map((_, at) => (at === 0 ? id : at === 1 ? 'Ana' : 'x'))
  const columns = names.map((header, at) => ({ header, to: ['external_id', 'first_name'][at] ?? 'nothing' }))
  t.ok(Buffer.byteLength(JSON.stringify(columns)) > 65_536)
  t.equal((await load(company, [names, rowOf('K-1')], { columns })).length, 1)
  t.equal((await load(company, [names, rowOf('K-1'), rowOf('K-2')])).length, 1)
  t.match(await listPeople(company), [{ external_id: 'K-1' }, { external_id: 'K-2', first_name: 'Ana' }])
})
