import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* A file about people who were entered by hand, without an external id: they are the same people, or others. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { company } = service

const HEADER = 'external_id,first_name,last_name,email'
const upload = async (rows: string[], query = '') => {
  const { body } = await send(service.address, 'POST', `/admin/v1/uploads?file_name=staff.csv${query}`, {
    key: null,
    body: [HEADER, ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  return body
}
const apply = (id: string) => service.manage('POST', `/uploads/${id}/apply`)
const people = async () => {
  await service.project()
  const { items } = (await service.call('GET', '/v1/employees?limit=200')).body
  return (items as Record<string, string>[]).map(({ external_id: id, email, status }) => `${id} ${email} ${status}`)
}
const hire = (email: string, more: object = {}) =>
  service.call('POST', '/v1/employees', { body: [{ first_name: 'Ana', last_name: 'By Hand', email, ...more }] })

await hire('ana@x.example')
await hire('bo@x.example')
await hire('cy@x.example', { status: 'inactive' })
await hire('dan@x.example', { external_id: 'D-0' })

const ROWS = ['A,Ana,A,Ana@X.example', 'B,Bo,B,bo@x.example', 'C,Cy,C,cy@x.example', 'D,Dan,D,dan@x.example']

await t.test('a program is told the question; its rows are refused until somebody answers', async (t) => {
  const { questions, parts } = await upload([...ROWS, 'E,Eve,E,eve@x.example'], '&apply=true&all_or_none=false')
  t.strictSame(questions, [{ about: 'same_addresses', rows: 2 }], 'neither an inactive person nor another id')
  t.match(parts, [{ state: 'applied', counts: { created: 1, refused: 4 } }])
  t.strictSame((await people()).at(-1), 'E eve@x.example active')
})

await t.test('one answer links all of them, and is remembered with the mapping', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const { id } = await upload(ROWS.slice(0, 1))
  const path = `/settings/bulk-user-logs/upload/${id}`
  const { text } = await browse(service, path, { cookie })
  t.match(text, /1 row: people without an external ID already have these addresses. Are they the same people\?/)
  const answered = await browse(service, `${path}/mapping`, { cookie, form: { same_addresses: 'link' } })
  t.equal(answered.status, 303)
  t.match((await browse(service, path, { cookie })).text, /Changed/)
  await apply(id)
  t.strictSame(
    (await people()).filter((one) => one.includes('ana@')),
    ['A ana@x.example active'],
  )

  const second = await upload(ROWS.slice(1, 2))
  t.strictSame(second.questions, [], 'the company has answered')
  await apply(second.id)
  t.strictSame(
    (await people()).filter((one) => one.includes('bo@')),
    ['B bo@x.example active'],
  )
})

await t.test('who is inactive, or has another external id, stays refused', async (t) => {
  const { id } = await upload(ROWS.slice(2))
  const { body } = await service.admin(`/uploads/${id}/parts/1/preview`)
  t.match(body.errors, [{ message: /^The inactive employee/ }, { message: /and another external id/ }])
})
