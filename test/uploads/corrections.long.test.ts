import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { openRebuilding } from '../support/rebuilding.ts'
import { eventually } from '../support/eventually.ts'
import { csvRecords } from '../support/http/csv-rows.ts'
import { employee, send, startService } from '../support/service.ts'

/* What is known of a failed call once files correct its records. */

const service = await startService(t, { MAX_RECORDS: '5' }, { workers: true })
const { company } = service

const upload = (content: string, query = 'file_name=fixed.csv', type = 'text/csv') =>
  send(service.address, 'POST', `/admin/v1/uploads?${query}`, {
    key: null,
    body: content,
    headers: { 'content-type': type, authorization: `Bearer ${company.admin.token}` },
  })
const isIn = (id: string, state: string) =>
  eventually(`the upload is ${state}`, async () => (await service.admin(`/uploads/${id}`)).body.state === state)
const apply = async (id: string) => (await service.manage('POST', `/uploads/${id}/apply`)).body
const sendFile = async (...sent: Parameters<typeof upload>) => {
  const { body } = await upload(...sent)
  await apply(body.id)
  return body
}
const fail = async (records: object[], method: 'POST' | 'PATCH' = 'POST') => {
  const { status, body } = await service.call(method, '/v1/employees', { body: records })
  t.equal(status, 422)
  return body.log_id as string
}
const correctionOf = async (id: string) => (await service.admin(`/bulk-user-logs/${id}`)).body.correction
const csvOf = (rows: object[]) =>
  [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map((cells) => cells.join(',')).join('\n')
const download = async (id: string) => {
  const { status, body } = await service.admin(`/bulk-user-logs/${id}/failed-records.csv`)
  t.equal(status, 200)
  // Those below are the valid ones of a failed call.
  return csvRecords(body).filter(({ errors }) => errors !== '')
}
let people = 0
const person = (more: object = {}) => employee({ external_id: `P-${(people += 1)}`, ...more })

await t.test('a completed entry that left records out is corrected once each of these was applied', async (t) => {
  const records = [person(), person({ phone: '12' }), person({ phone: '34' }), person()]
  const { body } = await service.call('POST', '/v1/employees?all_or_none=false', { body: records })
  const id = body.log_id as string
  const refused = await download(id)
  t.match(refused, [{ index: '1' }, { index: '2' }], 'only what was refused')
  const fixed = refused.map((row) => ({ ...row, errors: '', phone: '' }))
  await sendFile(csvOf(fixed.slice(0, 1)))
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 1, total: 2 })
  await sendFile(csvOf([{ log_id: id, index: 0, ...records[0], email: 'new@example.com', external_id: 'new' }]))
  t.strictSame(
    await correctionOf(id),
    { state: 'partly_corrected', applied: 1, total: 2 },
    'a record that was applied corrects nothing',
  )
  await sendFile(csvOf(fixed.slice(1)))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 2, total: 2 })
})

await t.test('records that were refused for whatever reason can be sent back as they were downloaded', async (t) => {
  const refused = [
    person({ email: '' }),
    person({ email: '', phone: '' }),
    person({ email: ' ', manager_email: '' }),
    person({ email: 7, first_name: '' }),
    { ...person(), 'shoe size': 43, "X'41'": "X'42'" },
    { external_id: '', email: '' },
    { external_id: '', email: '' },
    { id: '', status: 'gone' },
  ]
  for (const records of [refused.slice(0, 5), refused.slice(5)]) {
    const id = await fail([...records, person({ phone: '12' })].slice(-5))
    const { body: csv } = await service.admin(`/bulk-user-logs/${id}/failed-records.csv`)
    const { body: made } = await upload(csv)
    const { body: preview } = await service.admin(`/uploads/${made.id}/parts/1/preview`)
    t.match(preview, { counts: { unreadable: 0 } }, JSON.stringify(preview.errors))
    const { body: again } = await service.admin(`/uploads/${made.id}/not-applied.csv`)
    const { body: second } = await upload(again)
    t.match((await service.admin(`/uploads/${second.id}/parts/1/preview`)).body, { counts: preview.counts })
  }
})

await t.test('an entry is corrected once each of its records was applied, the valid ones too', async (t) => {
  const [first, second, third] = [person(), person({ phone: '12' }), person()]
  const id = await fail([first, second, third])
  t.equal(await correctionOf(id), null)

  const refused = await download(id)
  t.match(refused, [{ log_id: id, index: '1', phone: "'12" }])
  const one = await sendFile(csvOf(refused.map((row) => ({ ...row, errors: '', phone: '' }))))
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 1, total: 3 })
  const fixed = csvOf(refused.map((row) => ({ ...row, errors: '', phone: '' })))
  const again = await sendFile(fixed, 'file_name=fixed.csv&operation=upsert')
  t.strictSame(
    await correctionOf(id),
    { state: 'partly_corrected', applied: 1, total: 3 },
    'a second time adds nothing',
  )

  const two = await sendFile(csvOf([{ log_id: id, index: 0, ...first }]))
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 2, total: 3 })
  const three = await sendFile(csvOf([{ log_id: id, index: 2, ...third }]))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 3, total: 3 })
  const { body } = await service.admin(`/bulk-user-logs/${id}`)
  t.match(
    body.corrected_by,
    [three, two, again, one].map(({ parts }) => parts[0].log_id),
  )
})

await t.test('an index that the entry does not have is none', async (t) => {
  const records = [person({ phone: '1' }), person({ phone: '2' })]
  const id = await fail(records)
  await sendFile(csvOf([{ log_id: id, index: 2, ...person() }]))
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 0, total: 2 })
  const row = (index: number | string) => ({ log_id: id, index, ...person() })
  await sendFile(csvOf([row(2), row('')]))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 2, total: 2 }, 'the rows are all records of it')
})

await t.test('a refused file corrects nothing', async (t) => {
  const id = await fail([person({ phone: '1' })])
  await sendFile(csvOf([{ log_id: id, index: 0, ...person({ phone: '1' }) }]))
  t.match((await service.admin(`/bulk-user-logs/${id}`)).body, { correction: null, corrected_by: [] })
})

await t.test('a file that is applied in part corrects only the records that it applied', async (t) => {
  const [one, other] = [person({ phone: '1' }), person({ phone: '2' })]
  const id = await fail([one, other])
  const mended = csvOf([
    { log_id: id, index: 0, ...one, phone: '' },
    { log_id: id, index: 1, ...other },
  ])
  const partly = (await upload(mended, 'file_name=fixed.csv&apply=true&all_or_none=false')).body
  t.match(partly, { state: 'ended', summary: { applied: 1, refused: 1 } })
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 1, total: 2 })
  const [row] = await download(partly.parts[0].log_id)
  await sendFile(csvOf([{ ...row, errors: '', phone: '' }]))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 2, total: 2 })
})

await t.test('a file of which only records of one call are applied does not correct the other call', async (t) => {
  const [one, other] = [person({ phone: '1' }), person({ phone: '2' })]
  const [first, second] = [await fail([one]), await fail([other])]
  const rows = [
    { log_id: first, index: 0, ...one },
    { log_id: second, index: 0, ...other, phone: '' },
  ]
  await upload(csvOf(rows), 'file_name=fixed.csv&apply=true&all_or_none=false')
  t.match((await service.admin(`/bulk-user-logs/${first}`)).body, { correction: null, corrected_by: [] })
  t.strictSame(await correctionOf(second), { state: 'corrected', applied: 1, total: 1 })
})

await t.test('the correction of a refused correction corrects the first call, too', async (t) => {
  const id = await fail([person({ phone: '1' }), person()])
  const again = await sendFile(csvOf([{ log_id: id, index: 0, ...person({ phone: '1' }) }]))
  const [row] = await download(again.parts[0].log_id)
  const last = await sendFile(csvOf([{ ...row, errors: '', phone: '' }]))
  t.same(new Set(last.corrects), new Set([id, again.parts[0].log_id]))
  t.strictSame(await correctionOf(again.parts[0].log_id), { state: 'corrected', applied: 1, total: 1 })
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 1, total: 2 })
})

await t.test('a file without places has all records of a call, or the refused ones, if it has as many', async (t) => {
  const records = [person({ phone: '1' }), person(), person({ phone: '2' })]
  const fixed = records.map(({ phone: _phone, ...record }: { phone?: string }) => record)
  const json = (rows: unknown[]) => JSON.stringify({ employees: rows })
  const [all, refused, others] = [await fail(records), await fail(records), await fail(records)]
  const query = (id: string) => `file_name=fixed.json&operation=upsert&corrects=${id}`
  await sendFile(json(fixed), query(all), 'application/json')
  t.strictSame(await correctionOf(all), { state: 'corrected', applied: 3, total: 3 })
  await sendFile(json([fixed[0], fixed[2]]), query(refused), 'application/json')
  t.strictSame(await correctionOf(refused), { state: 'partly_corrected', applied: 2, total: 3 })
  await sendFile(json([fixed[0]]), query(others), 'application/json')
  t.strictSame(await correctionOf(others), { state: 'partly_corrected', applied: 0, total: 3 }, 'nobody knows which')
})

await t.test('the valid records may be added to the downloaded file, without saying which they are', async (t) => {
  const records = [person(), person({ phone: '1' }), person()]
  const id = await fail(records)
  const row = (record: object, at = '') => ({ log_id: at && id, index: at, ...record })
  await sendFile(csvOf([row(person(), '1'), row(records[0]!), row(records[2]!)]))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 3, total: 3 })
  const other = await fail(records.map((record) => ({ ...record, phone: '1' })))
  await sendFile(
    csvOf([
      { log_id: other, index: 1, ...person() },
      { log_id: '', index: '', ...person() },
    ]),
  )
  t.strictSame(await correctionOf(other), { state: 'partly_corrected', applied: 1, total: 3 }, 'one is of nobody knows')
})

await t.test('each part of a file corrects only the calls whose records it has', async (t) => {
  const calls = [await fail([person({ phone: '1' }), person()]), await fail([person({ phone: '1' })])]
  const rows = [
    ...Array.from({ length: 4 }, () => ({ log_id: '', index: '', ...person() })),
    { log_id: calls[0], index: 0, ...person() },
    { log_id: calls[0], index: 1, ...person() },
    { log_id: calls[1], index: 0, ...person() },
  ]
  const { body } = await upload(csvOf(rows))
  t.strictSame(new Set(body.corrects), new Set(calls))
  await isIn(body.id, 'previewed')
  await apply(body.id)
  await isIn(body.id, 'ended')
  const [first, second] = body.parts.map(({ log_id: id }: { log_id: string }) => id)
  const correctsOf = async (id: string) => (await service.admin(`/bulk-user-logs/${id}`)).body.corrects
  t.strictSame(await correctsOf(first), [calls[0]])
  t.strictSame(new Set(await correctsOf(second)), new Set(calls))
  t.strictSame(await correctionOf(calls[0]!), { state: 'corrected', applied: 2, total: 2 })
  t.strictSame((await service.admin(`/bulk-user-logs/${calls[0]}`)).body.corrected_by, [second, first])
})

await t.test('a file does what its calls asked for, unless it says otherwise', async (t) => {
  const unknown = { email: 'mistyped@example.com', job_title: 'Dev' }
  const update = await fail([unknown], 'PATCH')
  const file = (id: string) => csvOf([{ log_id: id, index: 0, ...unknown, first_name: 'Ada', last_name: 'L' }])
  t.match((await upload(file(update))).body, { operation: 'update_many', corrects: [update] })
  t.match((await upload(file(update), 'file_name=a.csv&operation=upsert')).body, { operation: 'upsert' })
  const creation = await fail([person({ phone: '1' })])
  t.match((await upload(file(creation))).body, { operation: 'create' })
  const taken = person()
  t.equal((await service.call('POST', '/v1/employees', { body: [taken] })).status, 201)
  const made = (await upload(csvOf([{ log_id: creation, index: 0, ...taken }]))).body
  const { body: preview } = await service.admin(`/uploads/${made.id}/parts/1/preview`)
  t.match(preview, { counts: { refused: 1 }, errors: [{ message: /^The employee emp_\w+ has this email address/ }] })
  t.match((await upload(`${file(update)}\n${creation},0,b@example.com,,A,B`)).body, { operation: 'upsert' })
  t.match((await upload(csvOf([person()]))).body, { operation: 'upsert' })
})

await t.test('an erasure leaves what is known of a correction, and takes nothing that it still lacks', async (t) => {
  const [kept, gone] = [person({ email: 'kept@example.com' }), person({ email: 'gone-1@example.com', phone: '1' })]
  const id = await fail([kept, gone])
  await sendFile(csvOf([{ log_id: id, index: 1, ...gone, phone: '' }]))
  t.equal((await service.manage('POST', '/erasures', { email: 'gone-1@example.com' })).status, 200)
  t.strictSame(await correctionOf(id), { state: 'partly_corrected', applied: 1, total: 2 })
  await sendFile(csvOf([{ log_id: id, index: 0, ...kept }]))
  t.strictSame(await correctionOf(id), { state: 'corrected', applied: 2, total: 2 })
})

await t.test('a rebuild of the log changes nothing in what is known of corrections', async (t) => {
  const id = await fail([person({ phone: '1' }), person()])
  await sendFile(csvOf([{ log_id: id, index: 0, ...person() }]))
  const before = (await service.admin(`/bulk-user-logs/${id}`)).body
  const owner = await openRebuilding(t, service)
  await owner.rebuild(bulkUserLogs)
  t.strictSame((await service.admin(`/bulk-user-logs/${id}`)).body, before)
})
