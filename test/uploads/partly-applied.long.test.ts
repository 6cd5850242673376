import t from 'tap'
import { inCompany } from '../../src/postgres/company-scope.ts'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { holdHead, holdRow, letGo } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { send, startService } from '../support/service.ts'

/* Files with rows that cannot be applied, applied without them: whatever happens meanwhile, the numbers add up. */

const service = await startService(t, { MAX_RECORDS: '4' })
const processes: Awaited<ReturnType<typeof startService>>[] = []
/** Starts the workers of another process. Until then, nothing goes on that no request does. */
const startAnother = async () =>
  processes.push(await startService(t, { SWEEP_INTERVAL_MS: '100' }, { urls: service.urls, workers: true }))

type Company = Awaited<ReturnType<typeof service.makeCompany>>
const HEADER = 'external_id,first_name,last_name,phone,manager_external_id'
/** Rows by their phone numbers: none, one that a call refuses, or one that cannot be read. */
const [OK, REFUSED, UNREADABLE] = ['', '12', '4.9E+12']
const rowOf = (id: string, phone: string, manager = '') => `${id},F,${id},${phone},${manager}`

const upload = (company: Company, rows: string[], query = '') =>
  send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: [HEADER, ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
const get = async (company: Company, path: string) => (await service.admin(path, company.admin.token)).body
const apply = (company: Company, id: string, query: string) =>
  service.manage('POST', `/uploads/${id}/apply${query}`, undefined, company.admin.token)
/** Uploads rows, and looks at their preview, so that the next thing is the call. */
async function preview(company: Company, rows: string[]): Promise<string> {
  const { id } = (await upload(company, rows)).body
  await get(company, `/uploads/${id}/parts/1/preview`)
  return id as string
}
const ended = (company: Company, id: string) =>
  eventually('the upload has ended', async () => {
    const body = await get(company, `/uploads/${id}`)
    return body.state === 'ended' ? body : null
  })

/** The rows that were not applied: the id, the index, and the errors of each. */
async function listLeft(company: Company, id: string): Promise<string[]> {
  const csv = (await get(company, `/uploads/${id}/not-applied.csv`)) as string
  const rows = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => /^(\w*),(\d*),("(?:[^"]|"")*"|[^,]*),([\w-]+),/.exec(line)!)
  return rows.map(([, logId, index, errors, name]) => `${name} ${logId === '' ? '-' : index} ${errors}`)
}

async function listPeople({ id, key }: Company): Promise<string[]> {
  await service.project(id)
  const { items } = (await service.call('GET', '/v1/employees?limit=200', { key })).body
  return items.map(({ external_id: name }: { external_id: string }) => name)
}

async function listEntries(company: Company) {
  await service.project(company.id)
  return (await get(company, '/bulk-user-logs?limit=200')).items.toReversed()
}

const ROWS = [
  rowOf('P-1', OK),
  rowOf('P-2', REFUSED),
  rowOf('P-3', UNREADABLE),
  rowOf('P-4', OK),
  ...['P-5', 'P-6', 'P-7', 'P-8'].map((id) => rowOf(id, REFUSED)),
  ...['P-9', 'P-10', 'P-11', 'P-12'].map((id) => rowOf(id, UNREADABLE)),
  rowOf('P-13', OK, 'P-2'),
  rowOf('P-14', OK, 'P-13'),
  rowOf('P-15', OK, 'P-1'),
  rowOf('P-16', OK),
]

await t.test('the page offers to apply what can be applied, and says what was left out', async (t) => {
  const company = await service.makeCompany('Page')
  const cookie = await cookieOf(service, company.admin)
  const { body } = await upload(company, [
    rowOf('A-1', OK),
    rowOf('A-2', REFUSED),
    rowOf('A-3', UNREADABLE),
    rowOf('A-4', OK),
  ])
  const path = `/settings/bulk-user-logs/upload/${body.id}`
  const open = async () => (await browse(service, path, { cookie })).text.replaceAll(/<[^>]+>|\s+/g, ' ')
  t.match(await open(), /2 records have errors\. .* Apply 2 of 4 records .*Created +2 .*Refused +1 .*Unreadable +1/)
  const { text } = await browse(service, path, { cookie })
  t.match(text, 'name="all_or_none" value="false"')
  await browse(service, `${path}/apply`, { cookie, form: { all_or_none: 'false' } })
  t.match(await open(), /File applied in part.*2 of 4 rows were applied; 2 were refused\..*Download rows not applied/)
  t.strictSame(await listPeople(company), ['A-1', 'A-4'])
  const [entry, ...others] = await listEntries(company)
  t.match(entry, { status: 'Completed', counts: { total: 3, failed: 1 }, file: { name: 'staff.csv', rows: 3 } })
  t.strictSame(others, [])
  t.match(await listLeft(company, body.id), [/^A-2 1 .*phone needs a country code/, /^A-3 - .*Column 4: .*4\.9E\+12/])
  t.match(await get(company, `/uploads/${body.id}`), {
    state: 'ended',
    all_or_none: false,
    parts: [{ state: 'applied' }],
    summary: { text: 'staff.csv: 4 rows: 2 created, 0 changed, 0 unchanged, 2 refused', applied: 2, refused: 2 },
  })
})

await t.test('what was left out can be corrected and sent again, and corrects the entry', async (t) => {
  const company = await service.makeCompany('Corrected')
  const { body } = await upload(company, [rowOf('B-1', OK), rowOf('B-2', REFUSED)], '&apply=true&all_or_none=false')
  t.match(body, { state: 'ended', summary: { applied: 1, refused: 1 } })
  const csv = (await get(company, `/uploads/${body.id}/not-applied.csv`)) as string
  const again = await send(service.address, 'POST', '/admin/v1/uploads?apply=true', {
    key: null,
    body: csv.replace(/,'?12,/, ",'+4930901820,"),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  t.match(again.body, { state: 'ended', summary: { applied: 1, refused: 0 } })
  await service.project(company.id)
  t.match(await get(company, `/bulk-user-logs/${body.parts[0].log_id}`), { correction: { state: 'corrected' } })
})

await t.test('rows about one person are left out, whichever parts they are in', async (t) => {
  const company = await service.makeCompany('Repeated')
  const rows = [rowOf('C-1', OK), rowOf('C-2', OK), rowOf('C-1', '+4930901821'), rowOf('C-3', OK)]
  const { body } = await upload(company, rows, '&apply=true&all_or_none=false')
  t.match(body.summary, { created: 2, refused: 2 })
  t.match(await listLeft(company, body.id), [/^C-1 - .*in the file again.*line 4/, /^C-1 - .*line 2/])
})

await t.test('all or none is the default, and all_or_none=false needs a file that is applied', async (t) => {
  const company = await service.makeCompany('Default')
  const rows = [rowOf('D-1', OK), rowOf('D-2', REFUSED)]
  t.match((await upload(company, rows, '&apply=true')).body, {
    state: 'ended',
    all_or_none: true,
    summary: { applied: 0, refused: 2 },
  })
  t.match(await upload(company, rows, '&all_or_none=false'), { status: 400, body: { detail: /add apply=true/ } })
  const unreadable = await upload(company, [rowOf('D-3', UNREADABLE)], '&apply=true&all_or_none=false')
  t.match(unreadable.body, { state: 'previewed' }, 'a file of which no row can be read')
  t.match(await apply(company, unreadable.body.id, '?all_or_none=false'), {
    status: 409,
    body: { detail: 'No row of the file can be read' },
  })
  t.strictSame(await listPeople(company), [])
})

/** Applies a part, and ends the connection when the call is made and not recorded yet. */
async function killAfterTheCall(company: Company, id: string): Promise<void> {
  const onItsMachine = (text: string, ...values: number[]) =>
    inCompany(company.id, () => service.pool.query<{ pid: number }>(text, values))
  const head = await holdHead(service, company)
  const applied = apply(company, id, '?all_or_none=false')
  await lockIsAwaited(service, 'heads')
  const progress = await holdRow(service, 'uploads', company)
  await letGo(head)
  const [connection] = await eventually('the process is about to record the call', async () => {
    const { rows: waiting } = await onItsMachine(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%from uploads%' and query like '%for up' || 'date%'`,
    )
    return waiting.length > 0 ? waiting : null
  })
  await onItsMachine('select pg_terminate_backend($1::integer)', connection!.pid)
  t.ok((await applied).status >= 500)
  await letGo(progress)
}

await t.test('after an erasure, no row that was applied seems to be left out', async (t) => {
  const company = await service.makeCompany('Erased')
  const id = await preview(company, [rowOf('G-1', OK), rowOf('G-2', REFUSED), rowOf('G-3', OK), rowOf('G-4', REFUSED)])
  await killAfterTheCall(company, id)
  t.match(await listLeft(company, id), [/^G-2 1 .*phone/, /^G-4 3 .*phone/])
  t.equal((await service.manage('POST', '/erasures', { external_id: 'G-1' }, company.admin.token)).status, 200)
  t.strictSame(await listLeft(company, id), [], 'nobody knows which rows they are, and the entry has them')

  const refused = await preview(company, [rowOf('G-5', REFUSED), rowOf('G-6', REFUSED)])
  await killAfterTheCall(company, refused)
  t.match(await listLeft(company, refused), [/^G-5 0 .*phone/, /^G-6 1 .*phone/])
  t.equal((await service.manage('POST', '/erasures', { external_id: 'G-5' }, company.admin.token)).status, 200)
  t.strictSame(await listLeft(company, refused), ['G-6  '], 'none was applied')
})

await t.test('a process that dies after the call of a part, before it records that, changes no number', async (t) => {
  const company = await service.makeCompany('Killed')
  const rows = [rowOf('E-1', OK), rowOf('E-2', UNREADABLE), rowOf('E-3', REFUSED), rowOf('E-4', OK)]
  const id = await preview(company, rows)
  await killAfterTheCall(company, id)

  const summary = { rows: 4, applied: 2, created: 2, refused: 2, waiting: 0 }
  const left = [/^E-2 - .*4\.9E\+12/, /^E-3 1 .*phone/]
  t.match(await get(company, `/uploads/${id}`), { state: 'applying', parts: [{ state: 'applied' }], summary })
  t.match(await listLeft(company, id), left, 'the ledger says so before it is recorded')
  await startAnother()
  t.match(await ended(company, id), { all_or_none: false, summary })
  t.match(await listLeft(company, id), left)
  t.equal((await listEntries(company)).length, 1)
  const { rows: stored } = await service.pool.query(
    `select content from upload_parts where content like '%E-%' and content like '%E-4%'`,
  )
  t.strictSame(stored, [], 'applied rows are deleted')
})

await t.test('two processes that apply a part at once make one call and leave the same rows', async (t) => {
  const company = await service.makeCompany('Twice')
  const rows = [rowOf('F-1', REFUSED), rowOf('F-2', UNREADABLE), rowOf('F-3', OK)]
  const id = await preview(company, rows)
  const head = await holdHead(service, company)
  const applied = apply(company, id, '?all_or_none=false')
  await lockIsAwaited(service, 'heads', 2)
  await letGo(head)
  t.equal((await applied).status, 200)
  t.match(await ended(company, id), { summary: { rows: 3, applied: 1, refused: 2 } })
  t.match(await listLeft(company, id), [/^F-1 0 .*phone/, /^F-2 - .*4\.9E\+12/])
  t.equal((await listEntries(company)).length, 1)
})

await t.test(
  'of several parts, the number of the button is what is applied, and every row is accounted for',
  async (t) => {
    const company = await service.makeCompany('Parts')
    const cookie = await cookieOf(service, company.admin)
    const { body } = await upload(company, ROWS)
    const path = `/settings/bulk-user-logs/upload/${body.id}`
    const open = async () => (await browse(service, path, { cookie })).text.replaceAll(/<[^>]+>|\s+/g, ' ')
    await eventually('the preview is complete', async () => (await open()).includes('Apply'))
    t.match(await open(), /12 records have errors\..*Apply 4 of 16 records.*Created +4 .*Refused +7 .*Unreadable +5/)
    t.match(await apply(company, body.id, '?all_or_none=false'), { status: 200, body: { all_or_none: false } })
    const states = ['applied', 'refused', 'refused', 'applied'].map((state) => ({ state }))
    const summary = { rows: 16, applied: 4, created: 4, refused: 12, canceled: 0, waiting: 0, erased: 0 }
    t.match(await ended(company, body.id), { parts: states, summary })
    t.match(await open(), /4 of 16 rows were applied; 12 were refused\./)
    t.strictSame(await listPeople(company), ['P-1', 'P-4', 'P-15', 'P-16'])
    t.strictSame(
      (await listLeft(company, body.id)).map((left) => left.split(' ').slice(0, 2).join(' ')),
      ['P-2 1', 'P-3 -', 'P-5 0', 'P-6 1', 'P-7 2', 'P-8 3', 'P-9 -', 'P-10 -', 'P-11 -', 'P-12 -', 'P-13 0', 'P-14 1'],
    )
    t.strictSame(
      (await listEntries(company)).map(({ status, counts: { total, failed } }: Entry) => [status, total, failed]),
      [
        ['Completed', 3, 1],
        ['Failed', 4, 4],
        ['Completed', 4, 2],
      ],
      'a part without a readable row has no entry',
    )
    // An erasure of a person who was left out.
    t.equal((await service.manage('POST', '/erasures', { external_id: 'P-3' }, company.admin.token)).status, 200)
    t.match((await get(company, `/uploads/${body.id}`)).summary, { rows: 16, applied: 4, refused: 11, erased: 1 })
    t.equal((await listLeft(company, body.id)).length, 11)
  },
)

await t.test('a large file is applied in one request without the rows that cannot be applied', async (t) => {
  const company = await service.makeCompany('Nightly')
  const made = await upload(company, ROWS, '&apply=true&all_or_none=false')
  t.match(made, { status: 201, body: { state: 'previewing', summary: { rows: 16, waiting: 16 } } })
  t.match((await ended(company, made.body.id)).summary, {
    text: 'staff.csv: 16 rows: 4 created, 0 changed, 0 unchanged, 12 refused',
    applied: 4,
    refused: 12,
  })
  const again = await upload(company, ROWS, '&apply=true&all_or_none=false')
  t.match((await ended(company, again.body.id)).summary, { created: 0, unchanged: 4, refused: 12 })
})

interface Entry {
  status: string
  counts: { total: number; failed: number }
}
