import t from 'tap'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { uploadCall } from '../support/ledger/calls.ts'

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const EMPLOYEES = '/settings/employees'
const open = (path: string) => browse(service, EMPLOYEES + path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, EMPLOYEES + path, { cookie, form })

async function makeEmployee(email: string) {
  const body = employee({ first_name: 'Ana', last_name: 'שגוי', email, external_id: `ext-${email}` })
  return (await service.call('POST', '/v1/employees', { body })).body.employees[0].id as string
}
const isThere = async (id: string) => (await service.call('GET', `/v1/employees/${id}`)).status === 200

await t.test('the report of personal data asks for exactly one identifier', async (t) => {
  for (const form of [{}, { email: 'one@example.com', external_id: 'ext-one' }])
    t.match(await send('/personal-data', form), {
      status: 422,
      text: /Enter exactly one: an employee ID, an email, an external ID, or/,
    })
})

await t.test('the page says who will be erased, and how much, before the read model knows it', async (t) => {
  const id = await makeEmployee('who@example.com')
  await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Engineer' } })
  await service.call('PATCH', `/v1/employees/${id}`, { body: { phone: 'not a phone' } })
  const { status, text } = await open(`/${id}/erase`)
  t.equal(status, 200)
  t.match(text, '<h1>Erase <bdi>Ana שגוי</bdi>?</h1>')
  t.match(text, '<bdi>who@example.com</bdi>')
  t.match(text, 'the data of 2 events and 1 refused record')
  t.equal((await open('/emp_00000000000000000000000000/erase')).status, 404)
})

await t.test('a wrong or missing text is an error of the field, and erases nothing', async (t) => {
  const id = await makeEmployee('typed@example.com')
  for (const form of [{}, { typed: '' }, { typed: id }, { typed: 'typed@example.org' }, { sure: 'yes' }]) {
    const { status, text } = await send(`/${id}/erase`, form)
    t.equal(status, 422)
    t.match(text, /aria-invalid="true"[^]*id="typed-fault">This doesn&#39;t match\. Nothing was deleted\.</)
    t.ok(await isThere(id))
  }
  t.match(await send(`/${id}/erase`, { typed: ' Typed@Example.com ' }), { location: `${EMPLOYEES}/${id}?done=erased` })
  t.notOk(await isThere(id))
})

await t.test('an email changed meanwhile must be typed as it is now', async (t) => {
  const id = await makeEmployee('before@example.com')
  await service.call('PATCH', `/v1/employees/${id}`, { body: { email: 'after@example.com' } })
  const refused = await send(`/${id}/erase`, { typed: 'before@example.com' })
  t.match(refused, { status: 422, text: /Type <bdi>after@example\.com<\/bdi> to confirm/ })
  t.equal((await send(`/${id}/erase`, { typed: 'after@example.com' })).status, 303)
})

await t.test('who was erased before is named by id when newer refused records mention them', async (t) => {
  const id = await makeEmployee('again@example.com')
  await service.manage('POST', '/erasures', { employee_id: id })
  t.match(await open(`/${id}/erase`), { status: 404 }, 'nothing is left')
  await service.call('PATCH', '/v1/employees', { body: [{ id, phone: '+34911222333' }] })
  const { status, text } = await open(`/${id}/erase`)
  t.equal(status, 200)
  t.match(text, `Type <bdi>${id}</bdi> to confirm`)
  t.equal((await send(`/${id}/erase`, { typed: id })).status, 303)
})

await t.test('finding an employee by email or external id leads to their page, and erases nothing', async (t) => {
  const id = await makeEmployee('found@example.com')
  for (const form of [{ email: 'Found@example.com' }, { external_id: 'ext-found@example.com' }]) {
    t.match(await send('/erase', { ...form, typed: 'found@example.com' }), {
      status: 303,
      location: `${EMPLOYEES}/${id}/erase`,
    })
  }
  t.ok(await isThere(id))
  t.equal((await send('/erase', { email: 'nobody@example.com' })).status, 404)
})

await t.test('a person in refused records only is named by what was entered', async (t) => {
  const body = [{ first_name: 'Only', external_id: 'only-refused', phone: '1' }]
  const refused = await service.call('POST', '/v1/employees', { body })
  t.equal(refused.status, 422)
  const found = await send('/erase', { external_id: 'only-refused' })
  t.match(found, { status: 200, text: /Type <bdi>only-refused<\/bdi> to confirm/ })
  t.equal((await send('/erase', { external_id: 'only-refused', typed: 'x' })).status, 422)
  t.match(await send('/erase', { external_id: 'only-refused', typed: 'only-refused' }), {
    location: `${EMPLOYEES}?done=erased`,
  })
  t.equal((await send('/erase', { external_id: 'only-refused' })).status, 404)
})

await t.test('a person in the name of a file only is named by what was entered, and the page says so', async (t) => {
  const { company } = service
  const { commit } = openAppends(t, service)
  await commit([uploadCall(company, [employee()], { fileName: 'of only.file@example.com.csv' })])
  const found = await send('/erase', { email: 'only.file@example.com' })
  t.match(found, { status: 200, text: /Will be deleted<\/dt>\s*<dd>1 file name<\/dd>/ })
  t.match(await send('/erase', { email: 'only.file@example.com', typed: 'only.file@example.com' }), { status: 303 })
  t.equal((await send('/erase', { email: 'only.file@example.com' })).status, 404)
})
