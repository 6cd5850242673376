import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import type { TestCompany } from '../../support/service.ts'
import { startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'

const service = await startService(t)
const { company } = service
const UNKNOWN = 'usr_01h455vb4pex5vsknk084sn02q'

let count = 0
const invite = async (more: object = {}) => {
  count += 1
  const person = { email: `person.${count}@example.com`, name: 'Bo Li', role: 'member', ...more }
  return service.manage('POST', '/users', person)
}
const typesOf = async (id: string, companyId?: string) =>
  (await streamOf(service, id, companyId)).map(({ type }) => type)

await t.test("an invitation's one-time token is shown once and lasts 7 days", async (t) => {
  const answer = await invite({ email: 'BO@Example.com', name: ' Bo Li ', role: 'auditor' })
  t.equal(answer.status, 201)
  t.equal(answer.headers['location'], `/admin/v1/users/${answer.body.id}`)
  t.equal(answer.headers['cache-control'], 'no-store')
  const { invitation, ...user } = answer.body
  t.match(invitation.token, /^el_link_[0-9a-z]{26}_[0-9A-Za-z]{49}$/)
  t.equal(Date.parse(invitation.expires_at) - Date.parse(user.created_at), 7 * 86_400_000)
  t.match(user, { email: 'bo@example.com', name: 'Bo Li', role: 'auditor', status: 'pending', removed_at: null })
  t.strictSame((await service.manage('GET', `/users/${user.id}`)).body, user)
  const [event] = await streamOf(service, user.id)
  t.match(event, { type: 'UserInvited', version: 1, actor: company.admin.user_id })
  t.strictSame(event!.data, { email: 'bo@example.com', name: 'Bo Li', role: 'auditor' })
  t.equal(answer.headers['x-ledger-position'], String(event!.position))
})

await t.test('the list is newest first, and has removed users only on request', async (t) => {
  const other = await service.makeCompany('Other')
  const as = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    service.manage(method, path, body, other.admin.token)
  const { body: pending } = await as('POST', '/users', { email: 'new@example.com', name: 'New', role: 'member' })
  await as('DELETE', `/users/${other.auditor.user_id}`)
  const idsOf = async (query: string) =>
    (await as('GET', `/users?${query}`)).body.items.map(({ id }: { id: string }) => id)
  t.strictSame(await idsOf(''), [pending.id, other.member.user_id, other.admin.user_id])
  t.strictSame(await idsOf('status=pending'), [pending.id])
  t.strictSame(await idsOf('status=active'), [other.member.user_id, other.admin.user_id])
  t.strictSame(await idsOf('status=removed'), [other.auditor.user_id])
})

await t.test(
  'an e-mail address, in any spelling, belongs to one user of a company; removing the user frees it',
  async (t) => {
    const { body } = await invite({ email: 'one@example.com' })
    const again = await invite({ email: 'ONE@example.com' })
    t.match(again, { status: 409, body: { code: 'user_exists' } })
    t.notMatch(again.body.detail, /one@/i)
    const other = await service.makeCompany('Namesake')
    const namesake = { email: 'one@example.com', name: 'x', role: 'member' }
    const elsewhere = await service.manage('POST', '/users', namesake, other.admin.token)
    t.equal(elsewhere.status, 201)
    await service.manage('DELETE', `/users/${body.id}`)
    t.equal((await invite({ email: 'one@example.com' })).status, 201)
    const at = await Promise.all([1, 2, 3].map(() => invite({ email: 'race@example.com' })))
    t.strictSame(
      at.map(({ status }) => status).sort((a, b) => a - b),
      [201, 409, 409],
    )
  },
)

const BAD_BODIES: [string, object, string, string][] = [
  ['no address', { email: 'nobody' }, '/email', 'invalid_format'],
  ['a long address', { email: `${'x'.repeat(250)}@example.com` }, '/email', 'too_long'],
  ['an unknown role', { role: 'owner' }, '/role', 'invalid_value'],
  ['a blank name', { name: '  ' }, '/name', 'too_short'],
  ['an unknown field', { password: 'correct horse battery' }, '/password', 'unknown_field'],
]
for (const [name, more, pointer, code] of BAD_BODIES) {
  await t.test(`an invitation with ${name} is refused`, async (t) => {
    t.match(await invite(more), { status: 422, body: { code: 'validation_failed', errors: [{ pointer, code }] } })
  })
}

await t.test('a new role applies at once; the current one again is no event', async (t) => {
  const own = company.member
  t.equal((await service.manage('GET', '/users', undefined, own.token)).status, 403)
  const promoted = await service.manage('PATCH', `/users/${own.user_id}`, { role: 'admin' })
  t.match(promoted, { status: 200, body: { role: 'admin' } })
  t.equal((await service.manage('GET', '/users', undefined, own.token)).status, 200)
  for (const body of [{ role: 'admin' }, {}]) {
    const answer = await service.manage('PATCH', `/users/${own.user_id}`, body)
    t.match(answer, { status: 200, body: { role: 'admin' } })
    t.notOk(answer.headers['x-ledger-position'])
  }
  t.match(await service.manage('PATCH', `/users/${own.user_id}`, { role: 'member' }), {
    status: 200,
    body: { role: 'member' },
  })
  t.equal((await service.manage('GET', '/users', undefined, own.token)).status, 403)
  const changes = (await streamOf(service, own.user_id)).filter(({ type }) => type === 'UserRoleChanged')
  t.strictSame(
    changes.map(({ data }) => data),
    [
      { from: 'member', to: 'admin' },
      { from: 'admin', to: 'member' },
    ],
  )
})

await t.test(
  "a removed user's tokens end at once, the user stays readable, and removing twice is one event",
  async (t) => {
    const { id, admin, auditor } = await service.makeCompany('Leaver')
    const as = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
      service.manage(method, path, body, admin.token)
    t.equal((await service.manage('GET', '/tokens', undefined, auditor.token)).status, 200)
    t.equal((await as('DELETE', `/users/${auditor.user_id}`)).status, 204)
    t.match(await service.manage('GET', '/tokens', undefined, auditor.token), {
      status: 401,
      body: { code: 'invalid_credentials' },
    })
    const again = await as('DELETE', `/users/${auditor.user_id}`)
    t.equal(again.status, 204)
    t.notOk(again.headers['x-ledger-position'])
    t.match((await as('GET', `/users/${auditor.user_id}`)).body, { status: 'removed', removed_at: /^20/ })
    t.match(await as('PATCH', `/users/${auditor.user_id}`, { role: 'admin' }), {
      status: 409,
      body: { code: 'user_removed' },
    })
    t.match(await as('POST', `/users/${auditor.user_id}/reset-password`), {
      status: 409,
      body: { code: 'user_removed' },
    })
    t.equal((await typesOf(auditor.user_id, id)).at(-1), 'UserRemoved')
  },
)

await t.test("the last administrator can't be removed or demoted; invited ones do not count", async (t) => {
  const { admin, member } = await service.makeCompany('Last')
  const as = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    service.manage(method, path, body, admin.token)
  const path = `/users/${admin.user_id}`
  const leave = async () => [await as('DELETE', path), await as('PATCH', path, { role: 'member' })]
  for (const answer of await leave()) t.match(answer, { status: 409, body: { code: 'last_admin' } })
  await as('POST', '/users', { email: 'second@example.com', name: 'Second', role: 'admin' })
  for (const answer of await leave()) t.match(answer, { status: 409, body: { code: 'last_admin' } })
  await as('PATCH', `/users/${member.user_id}`, { role: 'admin' })
  t.match(await as('PATCH', `/users/${admin.user_id}`, { role: 'member' }), { status: 200, body: { role: 'member' } })
  t.match(await as('PATCH', `/users/${member.user_id}`, { role: 'member' }), {
    status: 403,
    body: { code: 'admin_only' },
  })
})

for (const others of [0, 1]) {
  await t.test(`two administrators who demote each other at once, ${others} others: one wins`, async (t) => {
    const made = await service.makeCompany(`Duel ${others}`)
    const { admin, auditor, member } = made
    const rivals = others === 0 ? [admin, member] : [auditor, member]
    for (const { user_id: id } of rivals.filter((rival) => rival !== admin)) {
      t.equal((await service.manage('PATCH', `/users/${id}`, { role: 'admin' }, admin.token)).status, 200)
    }
    const holder = await holdHead(service, made)
    const [one, two] = rivals as [typeof admin, typeof admin]
    const answers = [
      service.manage('PATCH', `/users/${one.user_id}`, { role: 'member' }, two.token),
      service.manage('PATCH', `/users/${two.user_id}`, { role: 'member' }, one.token),
    ]
    await lockIsAwaited(service, 'heads')
    await letGo(holder)
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    t.strictSame(
      statuses.sort((a, b) => a - b),
      [200, 403],
      'a demoted administrator demotes nobody',
    )
    t.equal(await adminsOf(made), 1 + others)
    t.strictSame(await ledgerFaults(service.db, made.id), [])
  })
}

async function adminsOf({ admin, auditor, member }: TestCompany): Promise<number> {
  const ids = [admin, auditor, member]
  const rows = await service.pool.query(
    `select 1 from users where role = 'admin' and removed_at is null
       and company_id = (select t.company_id from user_tokens t where t.token_hash = sha256($1::text::bytea))`,
    [ids[0]!.token],
  )
  return rows.rowCount ?? 0
}

await t.test("another company's user is answered exactly like one that does not exist", async (t) => {
  const foreign = (await service.makeCompany('Foreign')).member.user_id
  const bytes = new Set<string>()
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
    ['POST', '/reset-password'],
  ] as const) {
    for (const id of [foreign, UNKNOWN, 'me']) {
      const answer = await service.manage(method, `/users/${id}${path}`, body)
      t.match(answer, { status: 404, body: { code: 'user_not_found' } })
      bytes.add(JSON.stringify({ ...answer.body, request_id: '' }))
    }
  }
  t.equal(bytes.size, 1)
})
