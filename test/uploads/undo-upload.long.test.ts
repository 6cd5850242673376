import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* Uploads that are taken back: all of their calls, the last one first. */

const service = await startService(t, { MAX_RECORDS: '2', SIGN_IN_LIMIT: '0' })
const { company } = service
await startService(t, { SWEEP_INTERVAL_MS: '100' }, { urls: service.urls, workers: true })

const upload = async (rows: string[]) => {
  const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv&apply=true', {
    key: null,
    body: ['external_id,first_name,email,job_title', ...rows].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  return ended(body.id as string)
}
const ended = (id: string) =>
  eventually('the upload has ended', async () => {
    const { body } = await service.admin(`/uploads/${id}`)
    return body.state === 'ended' ? body : null
  })
const undo = (id: string) => service.manage('POST', `/uploads/${id}/undo`)
const people = async () => {
  await service.project()
  const { items } = (await service.call('GET', '/v1/employees?limit=200')).body
  return (items as Record<string, string>[]).map(
    ({ external_id: id, job_title: job, status }) => `${id} ${job} ${status}`,
  )
}
const entries = async () => {
  await service.project()
  const { body } = await service.admin('/bulk-user-logs?operation=undo')
  return body.items as { id: string; undoes: string; counts: object; requested_at: string }[]
}

await upload(['A,A,a@x.example,Dev', 'B,B,b@x.example,Dev', 'C,C,c@x.example,Dev'])
const wrong = await upload([
  'A,A,a@x.example,Wrong',
  'B,B,b@x.example,Wrong',
  'C,C,c@x.example,Wrong',
  'D,D,d@x.example,Wrong',
  'E,E,e@x.example,Wrong',
])

await t.test('all of its calls are taken back, the last first, and what was changed since stays', async (t) => {
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'B', job_title: 'Boss' }] })
  const { status, body, headers } = await undo(wrong.id)
  t.match({ status, location: headers['location'] }, { status: 201, location: `/admin/v1/uploads/${body.id}` })
  const done = await ended(body.id)
  t.match(done, { parts: [{ state: 'applied' }, { state: 'applied' }, { state: 'applied' }], summary: { rows: 5 } })
  t.strictSame(await people(), [
    'A Dev active',
    'B Boss active',
    'C Dev active',
    'D Wrong inactive',
    'E Wrong inactive',
  ])
  t.strictSame(
    (await entries()).map(({ undoes }) => undoes),
    wrong.parts.map(({ log_id: id }: { log_id: string }) => id),
    'newest first, so the last part was taken back first',
  )
})

await t.test('a process that dies after a commit, before it records it, makes no second call', async (t) => {
  const { body } = await undo((await upload(['F,F,f@x.example,Dev'])).id)
  await ended(body.id)
  const before = await entries()
  const place = [toUuid(company.id), toUuid(body.id)]
  await service.pool.query(
    `update upload_parts set state = 'waiting', outcome = null where company_id = $1 and upload_id = $2`,
    place,
  )
  await service.pool.query(`update uploads set state = 'applying' where company_id = $1 and upload_id = $2`, place)
  await service.manage('POST', `/uploads/${body.id}/apply`)
  t.match((await ended(body.id)).parts, [{ state: 'applied' }])
  t.strictSame(await entries(), before)
})

await t.test('an undo, or an upload that changed nothing, has nothing to undo as an upload', async (t) => {
  const same = await upload(['A,A,a@x.example,Dev'])
  t.match(await undo(same.id), { status: 409, body: { code: 'nothing_to_undo' } })
  const { body } = await service.admin('/uploads')
  const [own] = body.items as { id: string }[]
  t.ok(own)
  t.match(await undo('upl_01h455vb4pex5vsknk084sn02q'), { status: 404 })
})

await t.test('before that, a page says by name what would get its old value, and what stays and why', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const { id } = await upload(['A,Ana,a@x.example,New', 'B,Bo,b@x.example,New', 'H,Hal,h@x.example,New'])
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'B', job_title: 'Chief' }] })
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'H', location: 'Rome' }] })
  await service.project()
  const before = await people()
  const open = async (upload: string) => {
    const { status, text } = await browse(service, `/settings/bulk-user-logs/upload/${upload}/undo`, { cookie })
    const main = text.slice(text.indexOf('<main')).replaceAll(/<[^>]*>/g, ' ')
    return { status, main: main.replaceAll(/\s+/g, ' ') }
  }
  const { status, main } = await open(id)
  t.equal(status, 200)
  t.match(main, /People 3 Get all old values 1 Get some 1 Stay as they are 1 Already as before 0/)
  t.match(main, /3 attributes would get the old value back; 2 would stay/)
  t.match(main, /Bo Job title Changed since by log_/)
  t.match(main, /Hal Status The person was changed since by log_/)
  t.match(main, /Ana First name : from Ana → to A Job title : from New → to Dev/)
  t.match(main, /Undo what is possible: 2 people/)
  t.strictSame(await people(), before, 'looking changes nothing')
  const { body } = await undo(id)
  await ended(body.id)
  t.match((await open(id)).main, /Nothing can be undone/)
  t.equal((await open(body.id)).status, 409)
})

await t.test('the page of an upload asks, and then shows how far the undo is', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const { id } = await upload(['G,G,g@x.example,Dev'])
  const path = '/settings/bulk-user-logs/upload'
  t.match((await browse(service, `${path}/${id}`, { cookie })).text, `${path}/${id}/undo">Undo…`)
  const { status, headers } = await browse(service, `${path}/${id}/undo`, { cookie, form: {} })
  t.equal(status, 303)
  const location = headers['location']!
  await ended(location.split('/').at(-1)!)
  t.match((await browse(service, location, { cookie })).text, /1 of 1 person got their old values back/)
})

await t.test('the entry of a part leads to the undo of the whole file', async (t) => {
  const cookie = await cookieOf(service, company.admin)
  const { id, parts } = await upload(['I,I,i@x.example,Dev', 'J,J,j@x.example,Dev', 'K,K,k@x.example,Dev'])
  await service.project()
  const { text } = await browse(service, `/settings/bulk-user-logs/${parts[1].log_id}`, { cookie })
  t.match(text, `/settings/bulk-user-logs/upload/${id}/undo">Undo the whole file…`)
  t.match(text, `${parts[1].log_id}/undo">Undo this part…`)
})
