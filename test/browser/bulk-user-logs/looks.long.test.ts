import t from 'tap'
import { looksOf, openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, send, startService } from '../../support/service.ts'

const browser = await openBrowser()
const service = await startService(t)

async function call(method: 'POST' | 'PATCH', body: unknown): Promise<{ path: string; ids: string[] }> {
  const answer = await service.call(method, '/v1/employees', { body })
  const ids = (answer.body.employees ?? []).map(({ id }: { id: string }) => id)
  return { path: `/settings/bulk-user-logs/${answer.body.log_id}`, ids }
}

const LONG = 'unbroken'.repeat(30)
const made = await call('POST', [
  employee({ first_name: LONG.slice(0, 80), custom_attributes: { [LONG.slice(0, 64)]: LONG } }),
  employee(),
  employee(),
])
const [first, second, third] = made.ids
const changed = await call('PATCH', [
  { id: first, job_title: LONG.slice(0, 120), custom_attributes: { more: LONG } },
  { id: second, status: 'inactive' },
  { id: third },
])
const failed = await call('PATCH', [
  {
    id: first,
    email: LONG,
    phone: 7,
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`field${at}`, LONG])),
  },
  { last_name: 'Nobody' },
])
const unreadable = await call('POST', `{"employees": [{"first_name": "${LONG}"},\n{"last_name": ]}\n${LONG.repeat(9)}`)
const { body: file } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv&apply=true', {
  key: null,
  body: 'external_id,first_name\nU-1,Ana\nU-2,Bo',
  headers: { 'content-type': 'text/csv', authorization: `Bearer ${service.company.admin.token}` },
})
await service.project()

const PAGES = {
  'an entry with changes': changed.path,
  'a creation': made.path,
  'a failed entry': failed.path,
  'the records with a cause': `${failed.path}?error=invalid_type%3A%2Fphone`,
  'a body that could not be read': unreadable.path,
  'a record': `${failed.path}/records/0`,
  'the form that fixes a failed call': `${failed.path}/fix`,
  'the preview of an undo': `${changed.path}/undo`,
  'the preview of the undo of a file': `/settings/bulk-user-logs/upload/${file.id}/undo`,
  'the causes of refused records': '/settings/bulk-user-logs/refusals',
  'the form of an employee': `/settings/employees/${first}/edit`,
}

for (const [name, path] of Object.entries(PAGES)) {
  await t.test(`${name} looks right in both color schemes and at every width`, async (t) => {
    const { page, faults } = await openPage(t, browser, service)
    await signIn(page, service.company, 'admin')
    t.same(await looksOf(page, path), [])
    t.same(faults, [])
  })
}
