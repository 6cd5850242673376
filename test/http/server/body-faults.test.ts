import t from 'tap'
import { cookieOf, OWN_PAGE } from '../../support/http/sessions.ts'
import { send, startService } from '../../support/service.ts'

/* What an answer says of a body that breaks the schema of its operation, and of how many of its members. */

const service = await startService(t)

const unknownMembers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 1]))

await t.test('each member that does not exist is named, up to the number that an answer has room for', async (t) => {
  const { status, body } = await service.manage('POST', '/api-keys', { name: 'spare', ...unknownMembers(900) })
  t.equal(status, 422)
  t.equal(body.errors[0].pointer, '/a0')
  t.ok(body.errors.length > 10)
  t.match(body.detail, /^The body has 900 errors/)
})

await t.test('of a body with more than 1,000 members and items, the first fault is told', async (t) => {
  for (const body of [
    { name: 'spare', ...unknownMembers(1_001) },
    { name: 'spare', scopes: unknownMembers(1_001) },
  ]) {
    const answer = await service.manage('POST', '/api-keys', body)
    t.equal(answer.status, 422)
    t.equal(answer.body.errors.length, 1, JSON.stringify(answer.body))
  }
})

await t.test('a form has at most 16,384 fields, and a file is sent in no such form', async (t) => {
  const cookie = await cookieOf(service, service.company.admin)
  const upload = '/settings/bulk-user-logs/upload'
  const sendForm = (path: string, fields: number) =>
    send(service.address, 'POST', path, {
      key: null,
      headers: { ...OWN_PAGE, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: Array.from({ length: fields }, (_, at) => `f${at}=1`).join('&'),
    })
  t.equal((await sendForm(`${upload}/x/mapping`, 16_384)).status, 404)
  t.equal((await sendForm(`${upload}/x/mapping`, 16_385)).status, 400)
  t.equal((await sendForm(upload, 1)).status, 415)
})
