import t from 'tap'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const cookie = await cookieOf(service, service.company.admin)
const LOGS = '/settings/bulk-user-logs'

async function open(path: string, form?: Record<string, string>) {
  const { status, text, headers } = await browse(service, path, { cookie, ...(form ? { form } : {}) })
  const main = text
    .slice(text.indexOf('<main'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
  return { status, main, text, location: headers['location'] }
}

const { body: made } = await service.call('POST', '/v1/employees', {
  body: [
    employee({ first_name: 'Ana', last_name: 'Pérez', job_title: 'Dev' }),
    employee({ first_name: 'Bob', last_name: '' }),
    employee({ first_name: 'Cleo', last_name: '' }),
  ],
})
const [ana, bob, cleo] = (made.employees as { id: string }[]).map(({ id }) => id)
const update = async (body: unknown) => (await service.call('PATCH', '/v1/employees', { body })).body.log_id as string
const changed = await update([
  { id: ana, job_title: 'Lead', location: 'Rome' },
  { id: bob, status: 'inactive' },
  { id: cleo, department: 'Sales' },
])
const later = await update([
  { id: ana, job_title: 'Boss' },
  { id: cleo, department: 'R&D' },
])
await service.project()

await t.test(
  'the page says by name what would be undone, and what stays and why, in numbers that add up',
  async (t) => {
    t.match((await open(`${LOGS}/${changed}`)).text, new RegExp(`href="${LOGS}/${changed}/undo">Undo…`))
    const { status, main, text } = await open(`${LOGS}/${changed}/undo`)
    t.equal(status, 200)
    t.match(main, /People 3 Get all old values 1 Get some 1 Stay as they are 1 Already as before 0/)
    t.match(main, /2 attributes would get the old value back; 2 would stay/)
    t.match(main, /Ana Pérez Job title Changed since by/)
    t.match(main, /Cleo Department Changed since by/)
    t.match(main, /Ana Pérez Location : from Rome → to not set/)
    t.match(main, /Bob Status : from inactive → to active/)
    t.match(main, /Undo what is possible: 2 people/)
    t.match(text, `${LOGS}/${later}`)
  },
)

await t.test('the button undoes what is possible, and leads to the entry of the undo', async (t) => {
  const { status, location } = await open(`${LOGS}/${changed}/undo`, { all_or_none: 'false' })
  t.equal(status, 303)
  await service.project()
  const { main } = await open(location!)
  t.match(main, /This undoes log_/)
  t.match(main, /Left as it was: Somebody has changed job_title in the meantime/)
  t.match((await open(`${LOGS}/${changed}`)).main, /Partly undone by log_/)
  t.match((await open(`${LOGS}/${changed}/undo`)).main, /Nothing can be undone/)
})

await t.test('what was changed while somebody looked at the page is told, and nothing is undone', async (t) => {
  const logId = await update([{ id: ana, division: 'North' }])
  await service.project()
  t.match((await open(`${LOGS}/${logId}/undo`)).main, /Undo all: 1 person/)
  await update([{ id: ana, division: 'South' }])
  await service.project()
  const { status, main } = await open(`${LOGS}/${logId}/undo`, { all_or_none: 'true' })
  t.equal(status, 422)
  t.match(main, /Nothing was undone, because something has changed in the meantime/)
})

await t.test('an entry that changed nothing has nothing to undo', async (t) => {
  const logId = await update([{ id: ana, phone: '12' }])
  await service.project()
  t.notMatch((await open(`${LOGS}/${logId}`)).text, '/undo"')
  t.equal((await open(`${LOGS}/${logId}/undo`)).status, 409)
})
