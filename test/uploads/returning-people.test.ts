import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* People who have come back: the end date that is stored for them is before the start date of their row. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { company } = service

const HEADER = 'external_id,first_name,last_name,start_date,termination_date,status'
const upload = async (rows: string[], query = '') => {
  const { body } = await send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: [HEADER, ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  return body
}
const datesOf = async (externalId: string) => {
  await service.project()
  const { items } = (await service.call('GET', `/v1/employees?external_id=${externalId}`)).body
  const [{ start_date: start, termination_date: end, status }] = items as [Record<string, string | null>]
  return [start, end, status]
}
const GONE = { start_date: '2020-01-01', termination_date: '2024-06-30', status: 'inactive' }
await service.call('POST', '/v1/employees', {
  body: ['A', 'B', 'C', 'D'].map((id) => ({ external_id: id, first_name: id, last_name: 'Back', ...GONE })),
})
await service.project()

const BACK = (id: string) => `${id},${id},Back,2026-02-01,,active`

await t.test('a program is told the question, and the rows are refused until somebody answers', async (t) => {
  const rows = [BACK('A'), BACK('B'), 'C,C,Back,2020-01-01,,inactive', 'D,D,Back,2026-02-01,2099-09-30,active']
  const { questions, parts } = await upload(rows, '&apply=true&all_or_none=false')
  t.strictSame(questions, [{ about: 'stored_end_dates', rows: 2 }], 'nobody who has not come back, or has a new end')
  t.match(parts, [{ state: 'applied', counts: { changed: 1, unchanged: 1, refused: 2 } }])
  t.strictSame(await datesOf('A'), ['2020-01-01', '2024-06-30', 'inactive'])
})

await t.test('the page names the people and asks once; the answer is remembered', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const { id } = await upload([BACK('A')])
  const path = `/settings/bulk-user-logs/upload/${id}`
  const { text } = await browse(service, path, { cookie })
  t.match(text, /1 row: people have come back, but their stored end date is before the new start date/)
  t.match(text, /A Back/, 'by name')
  const answered = await browse(service, `${path}/mapping`, { cookie, form: { stored_end_dates: 'clear' } })
  t.equal(answered.status, 303)
  await service.manage('POST', `/uploads/${id}/apply`)
  t.strictSame(await datesOf('A'), ['2026-02-01', null, 'active'])

  const second = await upload([BACK('B')], '&apply=true')
  t.strictSame(second.questions, [], 'the company has answered')
  t.strictSame(await datesOf('B'), ['2026-02-01', null, 'active'])
})

await t.test('an upsert clears the end date of whoever comes back with clear_end_dates=true', async (t) => {
  const body = [{ external_id: 'C', start_date: '2026-03-01', status: 'active' }]
  t.match(await service.call('PUT', '/v1/employees', { body }), { status: 422 })
  t.match(await service.call('PUT', '/v1/employees?clear_end_dates=true', { body }), { status: 200 })
  t.strictSame(await datesOf('C'), ['2026-03-01', null, 'active'])
  const own = [{ external_id: 'D', start_date: '2027-03-01' }]
  t.match(
    await service.call('PUT', '/v1/employees?clear_end_dates=true', { body: own }),
    { status: 200 },
    'an end date in the past',
  )
})
