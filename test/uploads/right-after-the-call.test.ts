import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { employee, send, startService } from '../support/service.ts'

/* A call is known from the moment of its answer, although the read models follow later. Here they follow on request. */

const routes = collectRoutes()
const service = await startService(t, { HEAVY_READS: '20', POOL_SIZE: '80' })
const { company } = service
const cookie = await cookieOf(service, company.admin)
const fail = async () =>
  (await service.call('POST', '/v1/employees', { body: [employee({ phone: '1' })] })).body.log_id as string

await t.test('a file corrects a call that no read model has yet', async (t) => {
  const id = await fail()
  const csv = `log_id,index,email,first_name,last_name\n${id},0,a@example.com,A,B\n`
  for (const query of ['', `&corrects=${id}`]) {
    const { status, body } = await send(service.address, 'POST', `/admin/v1/uploads?file_name=a.csv${query}`, {
      key: null,
      body: csv,
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
    })
    t.match({ status, body }, { status: 201, body: { corrects: [id], operation: 'create' } })
  }
  const form = await browse(service, `/settings/bulk-user-logs/upload?log=${id}`, { cookie })
  t.equal(form.status, 200)
  t.match(form.text, new RegExp(`This file corrects <a href="[^"]*${id}"`))
  const found = await browse(service, '/settings/search', { cookie, form: { q: id } })
  t.match(found.text, `/settings/bulk-user-logs/${id}"`)
})

await t.test('whatever shows an entry waits until the log has its call', async (t) => {
  const id = await fail()
  const paths = routes
    .filter(({ method, url }) => method === 'GET' && url.includes(':log_id'))
    .map(({ url }) => url.replace(':log_id', id).replace(':index', '0'))
  t.ok(paths.length >= 7, paths.join(' '))
  const statements = watchStatements(t)
  let answered = 0
  const asked = paths.map(async (path) => {
    const headers = { authorization: `Bearer ${company.admin.token}` }
    const { status } = path.startsWith('/settings')
      ? await browse(service, path, { cookie })
      : await send(service.address, 'GET', path, { key: null, headers })
    answered += 1
    return [path, status]
  })
  await eventually('all of them wait, or one does not', async () => {
    const waiting = statements.filter(({ text }) => text.includes('from heads h left join checkpoints')).length
    return answered > 0 || waiting === paths.length
  })
  t.equal(answered, 0)
  await service.project()
  t.strictSame(
    await Promise.all(asked),
    // Of a call that has failed, there is nothing to undo.
    paths.map((path) => [path, path.endsWith('/undo') ? 409 : 200]),
  )
})

await t.test('an id that no call of the company has is not waited for', async (t) => {
  const other = await service.makeCompany('Other')
  const id = await fail()
  t.equal((await service.admin(`/bulk-user-logs/${id}`, other.admin.token)).status, 404)
  t.equal((await service.admin(`/bulk-user-logs/${id.slice(0, -2)}00`)).status, 404)
})
