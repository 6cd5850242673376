import t from 'tap'
import type { Mapping } from '../../src/spreadsheets/mapping/mapping.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import type { Person } from '../support/files/compare-people.ts'
import { comparePeople } from '../support/files/compare-people.ts'
import { answerQuestions } from '../support/files/propose-for.ts'
import type { StaffList } from '../support/files/staff-lists.ts'
import { readStaffLists } from '../support/files/staff-lists.ts'
import { isQuick } from '../support/quick.ts'
import { send, startService } from '../support/service.ts'

/* Files of other systems, uploaded by tools: what their columns mean, and what only a person knows. */

const service = await startService(t, { MAX_RECORDS: '12' }, { workers: true })

type TestCompany = Awaited<ReturnType<typeof service.makeCompany>>

const upload = (company: TestCompany, content: string | Buffer, query = '') =>
  send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: content,
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
const get = (company: TestCompany, path: string) => service.admin(path, company.admin.token)

async function listPeople({ id, key }: TestCompany): Promise<Person[]> {
  await service.project(id)
  return (await service.call('GET', '/v1/employees?limit=200', { key })).body.items
}

function writeCsv({ header, rows }: Pick<StaffList, 'header' | 'rows'>): string {
  const write = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return [header, ...rows].map(({ cells }) => cells.map(write).join(',')).join('\n')
}

/** Waits for an upload that goes on by itself. */
async function settle(company: TestCompany, id: string) {
  return eventually('the file is applied, or only previewed', async () => {
    const { body } = await get(company, `/uploads/${id}`)
    return body.state === 'ended' || body.state === 'previewed' ? body : null
  })
}

// test/spreadsheets/mapped-staff-lists.test.ts reads all of them, without the service.
for (const list of (await readStaffLists()).filter((_, at) => !isQuick || at % 4 === 0))
  await t.test(`${list.expected.file_name} is imported by answering what is asked`, async (t) => {
    const company = await service.makeCompany(list.expected.file_name)
    const lists = [list]
    for (let rows = list.rows; lists.length > 0;) {
      lists.pop()
      const { body: made } = await upload(company, writeCsv({ ...list, rows }))
      const path = `/uploads/${made.id}`
      const { body: proposed } = await get(company, `${path}/mapping`)
      const mapping = answerQuestions(proposed as Mapping, list.expected)
      const set = await service.manage('PUT', `${path}/mapping`, mapping, company.admin.token)
      t.match(set, { status: 200, body: { parts: [{ rows: rows.length }] } })
      const preview = (await get(company, `${path}/parts/1/preview`)).body as { errors: { line: number }[] }
      const refused = new Set(preview.errors.map(({ line }) => line - 2))
      const kept = rows.filter((_, at) => !refused.has(at))
      if (refused.size > 0) lists.push({ ...list, rows: (rows = kept) })
      else await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
    }
    t.strictSame(comparePeople(list.expected, await listPeople(company)), [])
  })

const HEADER = 'Personalnummer,Vorname,Nachname,E-Mail,Eintritt,Vorgesetzter,Status'

await t.test('nothing is applied before the questions are answered, and the answers are remembered', async (t) => {
  const company = await service.makeCompany('Remembers')
  const rows = ['1,Ana,Perez,ana@example.com,03.04.2019,,Aktiv', '2,Bo,Ek,bo@example.com,05.06.2020,Ana Perez,Ruhend']
  const first = await upload(company, [HEADER, ...rows].join('\n'), '&apply=true')
  t.match(first, { status: 201, body: { state: 'previewed' } })
  const seen = { Aktiv: { rows: 1, past_end_dates: 0 }, Ruhend: { rows: 1, past_end_dates: 0 } }
  t.strictSame(first.body.questions, [
    { about: 'dates', column: 5, header: 'Eintritt' },
    { about: 'words', column: 7, header: 'Status', words: ['Ruhend'], seen },
  ])
  const path = `/uploads/${first.body.id}`
  t.match((await get(company, `${path}/parts/1/preview`)).body, {
    counts: { unreadable: 2 },
    errors: [
      { line: 1, message: /Column 5: Column "Eintritt" has dates that may be two different days/ },
      { line: 1, message: /Column 7: Column "Status" has words whose meaning isn't known: "Ruhend"/ },
    ],
  })
  const apply = () => service.manage('POST', `${path}/apply`, undefined, company.admin.token)
  t.match(await apply(), { status: 409, body: { detail: 'The file has rows that cannot be read' } })
  const { body: mapping } = await get(company, `${path}/mapping`)
  mapping.columns[4].dates = 'day_first'
  mapping.columns[6].words.Ruhend = 'inactive'
  t.match((await service.manage('PUT', `${path}/mapping`, mapping, company.admin.token)).body.questions, [])
  t.match((await apply()).body, { state: 'ended', parts: [{ state: 'applied' }] })
  t.match(await listPeople(company), [
    { external_id: '1', start_date: '2019-04-03', status: 'active' },
    { external_id: '2', start_date: '2020-06-05', status: 'inactive' },
  ])
  const nightly = [HEADER, ...rows, '3,Cy,Fox,cy@example.com,07.08.2021,Bo Ek,Ruhend'].join('\n')
  t.match((await upload(company, nightly, '&apply=true')).body, { state: 'ended', parts: [{ state: 'applied' }] })
  t.match((await listPeople(company))[2], { external_id: '3', start_date: '2021-08-07', status: 'inactive' })
  t.match(
    (await upload(company, nightly.replace('Aktiv', 'Neu'), '&apply=true')).body,
    { state: 'previewed', questions: [{ about: 'words', words: ['Neu'] }] },
    'a new word is asked',
  )
  const { rows: kept } = await service.pool.query('select mapping::text from upload_mappings where company_id = $1', [
    toUuid(company.id),
  ])
  t.notMatch(kept[0].mapping, /Nachname|Perez|2019/)
})

await t.test(
  'the country of local phone numbers is asked unless the company, a column, or a code says it',
  async (t) => {
    const company = await service.makeCompany('Local phones')
    const ask = async (header: string, row: string) =>
      (await upload(company, `Email,First Name,${header}\nana@example.com,Ana,${row}`)).body.questions
    t.strictSame(await ask('Phone', '020 7946 0412'), [{ about: 'country', rows: 1 }])
    t.strictSame(await ask('Phone', '+44 20 7946 0412'), [])
    t.strictSame(await ask('Phone,Country', '020 7946 0412,GB'), [])
    const { body } = await upload(company, 'Email,First Name,Phone\nana@example.com,Ana,020 7946 0412')
    const path = `/uploads/${body.id}`
    const { body: mapping } = await get(company, `${path}/mapping`)
    const set = (more: object) => service.manage('PUT', `${path}/mapping`, { ...mapping, ...more }, company.admin.token)
    t.match((await set({ unreadable_values: 'leave_out' })).body.questions, [{ about: 'country', rows: 1 }])
    const preview = (await get(company, `${path}/parts/1/preview`)).body
    t.match(preview, { counts: { created: 1 }, notes: [{ message: /has no country code: left out/ }] })
    const phonesAs = (to: string) => ({ columns: [...mapping.columns.slice(0, 2), { header: 'Phone', to }] })
    for (const to of ['nothing', 'custom'])
      t.strictSame((await set(phonesAs(to))).body.questions, [], `no phone number is left to ask about: ${to}`)
    t.match((await set({ country: 'GB' })).body.questions, [])
    await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
    t.match(await listPeople(company), [{ phone: '+442079460412' }])
    t.strictSame(await ask('Mobile,Region', '020 7946 0412,'), [], 'it is remembered for files of the kind')
    await service.manage('PATCH', '/company', { country: 'GB' }, company.admin.token)
    t.strictSame(await ask('Telephone', '020 7946 0412'), [])
  },
)

await t.test('what was left open is asked where it matters', async (t) => {
  const company = await service.makeCompany('Left open')
  const of = (phone: string) => upload(company, `Email,First Name,Phone\nana@example.com,Ana,${phone}`)
  const path = `/uploads/${(await of('020 7946 0412')).body.id}`
  const { body: mapping } = await get(company, `${path}/mapping`)
  await service.manage('PUT', `${path}/mapping`, { ...mapping, unreadable_values: 'leave_out' }, company.admin.token)
  await service.manage('POST', `${path}/apply`, undefined, company.admin.token)
  t.strictSame((await of('+44 20 7946 0412')).body.questions, [])
  t.strictSame((await of('020 7946 0412')).body.questions, [{ about: 'country', rows: 1 }])
})

await t.test('a large file sorted by name is applied in one request, whoever is whose manager', async (t) => {
  const company = await service.makeCompany('Large')
  const people = Array.from(
    { length: 100 },
    (_, at) => `P${String(at).padStart(3, '0')},F${at},L${at},,,F${99 - ((99 - at) >> 1)} L${99 - ((99 - at) >> 1)},`,
  )
  people[99] = 'P099,F99,L99,,,,'
  const { body: seen } = await upload(company, [HEADER, people[99]].join('\n'))
  await service.manage('POST', `/uploads/${seen.id}/apply`, undefined, company.admin.token)
  const made = await upload(company, [HEADER, ...people].join('\n'), '&apply=true')
  t.match(made, { status: 201, body: { state: 'previewing', questions: [] } })
  t.match(await settle(company, made.body.id), {
    state: 'ended',
    parts: Array.from({ length: 9 }, () => ({ state: 'applied' })),
  })
  const found = await listPeople(company)
  const byId = new Map(found.map((person) => [person.id, person]))
  t.equal(found.length, 100)
  for (const { external_id: id, manager_id: manager } of found) {
    const at = Number(String(id).slice(1))
    const wanted = at === 99 ? undefined : `P${String(99 - ((99 - at) >> 1)).padStart(3, '0')}`
    if (byId.get(manager ?? '')?.['external_id'] !== wanted) t.fail(`${String(id)} has another manager`)
  }
})

await t.test('mappings that are set at once lose no row and double none', async (t) => {
  const company = await service.makeCompany('At once')
  const people = Array.from({ length: 40 }, (_, at) => `${at},F${at},L${at},,,F${(at + 1) % 40} L${(at + 1) % 40},`)
  people[39] = '39,F39,L39,,,,'
  const { body } = await upload(company, [HEADER, ...people].join('\n'))
  const path = `/uploads/${body.id}`
  const { body: mapping } = await get(company, `${path}/mapping`)
  const ways = [mapping, { ...mapping, columns: mapping.columns.with(5, { header: 'Vorgesetzter', to: 'nothing' }) }]
  const set = (way: object) => service.manage('PUT', `${path}/mapping`, way, company.admin.token)
  const answers = await Promise.all([...ways, ...ways, ...ways].map(set))
  t.ok(answers.every(({ status }) => status === 200))
  const csv = (await get(company, `${path}/not-applied.csv`)).body as string
  const ids = [...csv.matchAll(/F(\d+),L\1/g)].map(([, id]) => Number(id))
  t.strictSame(
    ids.toSorted((a, b) => a - b),
    [...people.keys()],
  )
})

await t.test('unknown, ambiguous, and circular managers are named with their lines', async (t) => {
  const company = await service.makeCompany('Managers')
  const rows = ['1,Ana,Perez,,,Cy Fox,', '2,Bo,Ek,,,Ana Perez,', '3,Cy,Fox,,,Bo Ek,', '4,Dan,Kim,,,,', '5,Dan,Kim,,,,']
  const csv = [HEADER, ...rows, '6,Eve,Lee,,,Dan Kim,', '7,Flo,May,,,Nobody Else,'].join('\n')
  const { body } = await upload(company, csv)
  t.match(body.questions, [{ about: 'unknown_managers', rows: 2 }], 'asked once for the file')
  const { body: mapping } = await get(company, `/uploads/${body.id}/mapping`)
  const choice = { ...mapping, unknown_managers: 'refuse' }
  await service.manage('PUT', `/uploads/${body.id}/mapping`, choice, company.admin.token)
  const errors = (await get(company, `/uploads/${body.id}/parts/1/preview`)).body.errors as object[]
  const circle = 'is part of a circle of managers: line 2 → line 4 → line 3'
  t.match(errors, [
    { line: 2, message: `Column 6: "Cy Fox" ${circle}` },
    { line: 3, message: `Column 6: "Ana Perez" ${circle}` },
    { line: 4, message: `Column 6: "Bo Ek" ${circle}` },
    { line: 7, message: 'Column 6: "Dan Kim" is several people: line 5, line 6' },
    { line: 8, message: /Column 6: "Nobody Else" is nobody in the file/ },
  ])
  t.equal(errors.length, 5)
})

await t.test('a mapping must be one of the columns of its file', async (t) => {
  const company = await service.makeCompany('Strict')
  const { body } = await upload(company, `${HEADER}\n1,Ana,Perez,,,,`)
  const set = (mapping: object) => service.manage('PUT', `/uploads/${body.id}/mapping`, mapping, company.admin.token)
  t.match(
    await set({
      columns: [
        { header: 'Personalnummer', to: 'external_id' },
        { header: 'Alter', to: 'nothing' },
      ],
    }),
    {
      status: 422,
      body: { errors: [{ message: /"Alter", which the file doesn't have/ }, { message: /"Vorname" isn't mapped/ }] },
    },
  )
  const columns = HEADER.split(',').map((header) => ({ header, to: header.endsWith('name') ? 'last_name' : 'nothing' }))
  t.match(await set({ columns }), { status: 422, body: { errors: [{ message: /"Vorname", becomes last_name, too/ }] } })
  t.match(await set({ columns: [{ header: 'Personalnummer', to: 'salary' }] }), { status: 422 })
})

await t.test(
  'a column with more words than a mapping may have stays open, and its mapping can be sent back',
  async (t) => {
    const company = await service.makeCompany('Words')
    const rows = Array.from({ length: 210 }, (_, at) => `${at},Ana,Perez,,,,Word ${at}`)
    const { body } = await upload(company, [HEADER, ...rows].join('\n'))
    const path = `/uploads/${body.id}`
    const { body: mapping } = await get(company, `${path}/mapping`)
    const set = async () => {
      const answer = await service.manage('PUT', `${path}/mapping`, mapping, company.admin.token)
      t.equal(answer.status, 200)
      Object.assign(mapping, (await get(company, `${path}/mapping`)).body)
      const [question] = answer.body.questions as { about: string; words: string[] }[]
      return [answer.body.questions.length, question?.about, question?.words.length]
    }
    mapping.columns[6].to = 'status'
    t.strictSame(await set(), [1, 'words', 200])
    const { words } = mapping.columns[6]
    for (const word of Object.keys(words)) words[word] = 'active'
    t.strictSame(await set(), [1, 'words', 10])
    t.equal(Object.keys(mapping.columns[6].words).length, 200)
    const preview = (await get(company, `${path}/parts/1/preview`)).body
    t.match(preview.errors, [{ line: 1, message: /or, if there are more than 200 words, another column/ }])
  },
)
