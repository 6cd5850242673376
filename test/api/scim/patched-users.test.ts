import t from 'tap'
import { connectProvider } from '../../support/scim-client.ts'
import { startService } from '../../support/service.ts'

/* What a patch does to a user depends on the user: what a filter finds, how long a list becomes, what stays. */

const service = await startService(t)
const idp = await connectProvider(service, 'Provider')
let serial = 0

async function create(more: object = {}) {
  serial += 1
  const userName = `u${serial}@example.com`
  const emails = [{ value: userName, type: 'work', primary: true }]
  const { status, body } = await idp.post({ userName, name: { givenName: 'Uta' }, emails, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

await t.test('a filter in a path finds entries by every operator, as one of a list does', async (t) => {
  const found = ['type pr', 'value co "@"', 'value sw "u"', 'value ew "com"', 'type ne "home"', 'not (type eq "home")']
  const joined = ['type eq "work" and value co "@"', 'type eq "other" or primary eq true', 'value gt "a"']
  for (const filter of [...found, ...joined]) {
    const { id } = await create()
    const value = `found${serial}@example.com`
    const patched = await idp.patch(id, { op: 'replace', path: `emails[${filter}].value`, value })
    t.match(patched, { status: 200, body: { emails: [{ type: 'work', value }] } }, filter)
    const nobody = await idp.patch(id, { op: 'replace', path: `photos[${filter}].value`, value })
    t.match(nobody, { status: 400, body: { scimType: 'noTarget' } }, `${filter}, which describes nothing`)
  }
})

await t.test('a list that becomes too long only with what is there is refused', async (t) => {
  const entries = (from: number) =>
    Array.from({ length: 30 }, (_, at) => ({ type: `t${from + at}`, value: `t${from + at}@example.com` }))
  const { id } = await create()
  t.match(await idp.patch(id, { op: 'add', path: 'emails', value: entries(0) }), { status: 200 })
  const refused = await idp.patch(id, { op: 'add', path: 'emails', value: entries(30) })
  t.match(refused, { status: 400, body: { scimType: 'invalidValue', detail: /at most 50 entries/ } })
  t.match((await idp.lastEntry()).entry, { status: 'Failed', http_status: 400, counts: { failed: 1 } })
})

await t.test('an activity without a value in a whole user, or a part of one, changes nothing', async (t) => {
  for (const active of [null, '', '  ']) {
    const user = await create({ active })
    t.equal(user.active, true)
    t.equal((await idp.put(user.id, { userName: user.userName, active: false })).body.active, false)
    t.match(await idp.put(user.id, { userName: user.userName, active }), { status: 200, body: { active: false } })
    const patched = await idp.patch(user.id, { op: 'replace', value: { active, title: 'A' } })
    t.match(patched, { status: 200, body: { active: false, title: 'A' } })
    t.match(await idp.patch(user.id, { op: 'replace', path: 'active', value: active }), { status: 400 })
  }
})
