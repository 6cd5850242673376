import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* A domain in its own script and its Punycode are one address. */

const service = await startService(t)
const [own, punycode] = ['ana@bücher.example', 'ana@xn--bcher-kva.example']
const put = async (body: object) => (await service.call('PUT', '/v1/employees', { body: [body] })).body
const find = async (email: string) =>
  (await service.call('GET', `/v1/employees?email=${encodeURIComponent(email)}`)).body.items

await t.test('whichever is sent, it finds the same person, and is no change', async (t) => {
  t.equal((await put(employee({ email: punycode }))).results[0].result, 'created')
  t.match(await find(own), [{ email: own }])
  t.match(await find(punycode), [{ email: own }])
  for (const email of [own, punycode, 'Ana@BÜCHER.example', 'ANA@XN--BCHER-KVA.example'])
    t.equal((await put({ email, first_name: 'Ana', last_name: 'P' })).results[0].id, (await find(own))[0].id)
  const { status, body } = await service.call('POST', '/v1/employees', { body: employee({ email: own }) })
  t.strictSame([status, body.code], [409, 'already_exists'])
  t.equal((await put(employee({ email: 'x@xn--zzzzzzzz.example' }))).results[0].result, 'created', 'what is none stays')
})
