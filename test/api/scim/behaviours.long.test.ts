import t from 'tap'
import { startService } from '../../support/service.ts'
import { connectProvider, CORE, ENTERPRISE, PATCH_OP } from '../../support/scim-client.ts'

/* What identity providers send, and what has broken people elsewhere. */

const service = await startService(t)
const idp = await connectProvider(service, 'Provider')
let serial = 0
const person = (more: object = {}) => {
  serial += 1
  const name = `u${serial}@example.com`
  const emails = [{ value: name, type: 'work', primary: true }]
  return { userName: name, name: { givenName: 'Uta', familyName: 'Orr' }, emails, ...more }
}
async function create(more: object = {}) {
  const { status, body } = await idp.post(person(more))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** Patches of a user with `given`, and the user that they make. */
const PATCHES: [what: string, given: object, operations: unknown[], want: object][] = [
  ['SailPoint disables by add', {}, [{ op: 'add', value: { active: false } }], { active: false }],
  ['no operations', { title: 'A' }, [], { title: 'A' }],
  [
    'add for replace, and replace for add',
    { title: 'A' },
    [
      { op: 'Add', path: 'title', value: 'B' },
      { op: 'Replace', path: 'nickName', value: 'N' },
    ],
    { title: 'B', nickName: 'N' },
  ],
  [
    'an entry that is not there',
    {},
    [{ op: 'Replace', path: 'emails[type eq "home"].value', value: 'h@example.com' }],
    {
      emails: [{ type: 'work' }, { type: 'home', value: 'h@example.com' }],
    },
  ],
  [
    'two operations with one filter make one entry',
    {},
    [
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'PL' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Gdynia' },
    ],
    { addresses: [{ type: 'work', country: 'PL', locality: 'Gdynia' }] },
  ],
  [
    'the only entry of a list where one value is meant',
    {},
    [
      { op: 'replace', path: 'emails[type eq "work"]', value: [{ value: 'w@example.com' }] },
      { op: 'replace', path: 'emails[type eq "home"].value', value: ['h@example.com'] },
      { op: 'replace', path: 'name.givenName', value: [{ value: 'Ute' }] },
      { op: 'replace', path: 'title', value: ['Dean'] },
      { op: 'replace', value: [{ active: 'False' }] },
    ],
    {
      name: { givenName: 'Ute' },
      title: 'Dean',
      active: false,
      emails: [
        { type: 'work', value: 'w@example.com' },
        { type: 'home', value: 'h@example.com' },
      ],
    },
  ],
  ['a manager as an object', {}, [{ op: 'add', path: `${ENTERPRISE}:manager`, value: { value: 'nobody' } }], {}],
  [
    'another primary entry',
    {},
    [
      { op: 'add', path: 'emails[type eq "home"].value', value: 'h@example.com' },
      { op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' },
    ],
    {
      emails: [
        { type: 'work', primary: false },
        { type: 'home', primary: true },
      ],
    },
  ],
  [
    'a quoted boolean in a filter',
    {
      roles: [
        { value: 'a', primary: true },
        { value: 'b', type: 'x' },
      ],
    },
    [{ op: 'replace', path: 'roles[primary eq "True"].value', value: 'c' }],
    {
      roles: [
        { value: 'c', primary: true },
        { value: 'b', type: 'x' },
      ],
    },
  ],
  [
    'an extension of its own',
    {},
    [{ op: 'add', path: 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User:tag', value: '701984' }],
    { 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User': { tag: '701984' } },
  ],
  [
    'remove takes only the value that it names',
    { title: 'A', nickName: 'N' },
    [
      { op: 'remove', path: 'title', value: 'B' },
      { op: 'remove', path: 'nickName', value: 'N' },
    ],
    { title: 'A', nickName: undefined },
  ],
  [
    'remove with a filter on the value',
    { roles: [{ value: 'a' }, { value: 'b' }] },
    [{ op: 'remove', path: 'roles[value eq "a"]' }],
    { roles: [{ value: 'b' }] },
  ],
  [
    'what only the service sets, inside an object',
    {},
    [{ op: 'replace', value: { id: 'x', meta: {}, title: 'T' } }],
    { title: 'T' },
  ],
  [
    'Microsoft clears by an empty text',
    { title: 'A' },
    [{ op: 'replace', path: 'title', value: '' }],
    { title: undefined },
  ],
  ['a password', {}, [{ op: 'replace', path: 'password', value: 'hush' }], { password: undefined }],
  ['a number where a text is meant', {}, [{ op: 'replace', path: 'title', value: 7 }], { title: '7' }],
]
for (const [what, given, operations, want] of PATCHES)
  await t.test(`PATCH: ${what}`, async (t) => {
    const { id } = await create(given)
    const { status, body } = await idp.patch(id, ...operations)
    t.match({ status, ...body }, { status: 200, ...want })
    t.strictSame((await idp.get(id)).body, body, 'GET shows the same')
    const version = body.meta.version
    t.equal((await idp.put(id, body)).body.meta.version, version, 'PUT of what GET gave changes nothing')
  })

const FAULTS: [what: string, operations: unknown[], status: number, scimType: string][] = [
  ['an unknown op', [{ op: 'copy', path: 'title' }], 400, 'invalidSyntax'],
  ['no path to remove', [{ op: 'remove' }], 400, 'noTarget'],
  ['a path that cannot be read', [{ op: 'add', path: 'emails[type eq', value: 'x' }], 400, 'invalidPath'],
  ['a path to the prototype', [{ op: 'add', path: '__proto__.polluted', value: 'x' }], 400, 'invalidPath'],
  ['the id', [{ op: 'replace', path: 'id', value: 'x' }], 400, 'mutability'],
  ['no user name', [{ op: 'remove', path: 'userName' }], 400, 'invalidValue'],
  ['active that says neither', [{ op: 'replace', path: 'active', value: 'maybe' }], 400, 'invalidValue'],
  ['a title that is an object', [{ op: 'replace', path: 'title', value: { a: 1 } }], 400, 'invalidValue'],
  ['an operation that is a text', ['replace'], 400, 'invalidSyntax'],
]
for (const [what, operations, status, scimType] of FAULTS)
  await t.test(`PATCH of ${what} is refused, and changes nothing`, async (t) => {
    const user = await create()
    const refused = await idp.patch(user.id, { op: 'replace', path: 'title', value: 'Half' }, ...operations)
    t.match(refused, { status, body: { scimType, status: String(status) } })
    t.strictSame((await idp.get(user.id)).body, user)
    t.equal(({} as Record<string, unknown>)['polluted'], undefined)
  })

await t.test('a creation takes what others send', async (t) => {
  const old = await idp.post({
    schemas: ['urn:scim:schemas:core:2.0', CORE],
    UserName: 'no.address',
    EMAILS: [{ Value: 'a.b@example.com' }],
  })
  t.match(old, { status: 201, body: { userName: 'no.address', emails: [{ value: 'a.b@example.com', type: 'work' }] } })
  t.match(old.body.name, { givenName: 'no.address' })
  const { body } = await idp.post(
    person({
      phoneNumbers: [
        { type: 'work', value: '+48 600 100 200' },
        { type: 'fax', value: '55555555555' },
      ],
    }),
  )
  t.match(body.phoneNumbers, [{ value: '+48 600 100 200' }, { value: '55555555555', type: 'fax' }])
  t.equal((await service.call('GET', `/v1/employees/${body.id}`)).body.phone, '+48600100200')
  const unreadable = await idp.post(
    person({ phoneNumbers: [{ type: 'work', value: 'ask Uta' }], [CORE]: { title: 'T' } }),
  )
  t.match(unreadable, { status: 201, body: { title: 'T', phoneNumbers: [{ value: 'ask Uta' }] } })
  t.match((await idp.lastEntry()).entry.notes, [{ path: 'phoneNumbers.value', code: 'kept_as_text' }])
})

await t.test(
  'what a version kept beside the attributes before it had one of this path stays until it is sent',
  async (t) => {
    const { id } = await create()
    await service.call('PATCH', `/v1/employees/${id}`, { body: { custom_attributes: { title: 'Dean' } } })
    t.match(await idp.get(id), { body: { title: 'Dean' } })
    t.match(await idp.patch(id, { op: 'replace', path: 'title', value: 'Rector' }), { body: { title: 'Rector' } })
    const { body } = await service.call('GET', `/v1/employees/${id}`)
    t.match(body, { job_title: 'Rector' })
    t.strictSame(body.custom_attributes, {})
  },
)

await t.test('uniqueness is checked by PUT and PATCH, too, whatever the case', async (t) => {
  const [one, other] = [await create(), await create()]
  const taken = { status: 409, body: { scimType: 'uniqueness', detail: /^(?!.*needs none)/ } }
  t.match(await idp.put(one.id, { userName: other.userName.toUpperCase() }), taken)
  t.match(
    await idp.patch(one.id, { op: 'replace', path: 'emails[type eq "work"].value', value: other.userName }),
    taken,
  )
})

await t.test('whoever leaves is not kept active by another value', async (t) => {
  const user = await create({ title: 'Old' })
  const bad = { title: 'x'.repeat(200), active: false, [ENTERPRISE]: { department: 'New' } }
  const left = await idp.put(user.id, { ...user, ...bad })
  t.match(left, { status: 200, body: { active: false, title: 'Old', [ENTERPRISE]: { department: 'New' } } })
  t.match((await idp.lastEntry()).entry.notes, [{ path: 'title', code: 'left_out' }])
})

await t.test('paging counts what there is, from 1', async (t) => {
  await service.project()
  const { body } = await idp.ask('GET', '/Users?startIndex=0&count=1')
  t.match(body, { startIndex: 1, itemsPerPage: 1 })
  const total = body.totalResults
  t.match((await idp.ask('GET', `/Users?startIndex=${total + 1}`)).body, { totalResults: total, itemsPerPage: 0 })
  t.match((await idp.ask('GET', '/Users?count=0')).body, { totalResults: total, Resources: [] })
  t.match((await idp.ask('GET', '/Users?count=-1')).body, { itemsPerPage: 0 })
  t.equal((await idp.ask('GET', '/Users?count=ten')).status, 400)
  t.equal((await idp.ask('GET', '/Users?aadOptscim062020&count=1&')).status, 200)
  const pages = await Promise.all([1, 3].map((from) => idp.ask('GET', `/Users?startIndex=${from}&count=2`)))
  t.equal(new Set(pages.flatMap(({ body: page }) => page.Resources.map(({ id }: { id: string }) => id))).size, 4)
})

await t.test('filters find whom they mean, and are refused if they cannot be read', async (t) => {
  const user = await create({ externalId: 'Case', title: 'Glazer' })
  await service.project()
  const idsOf = async (filter: string) => (await idp.find(filter)).body.Resources.map(({ id }: { id: string }) => id)
  t.strictSame(await idsOf('externalId eq "Case"'), [user.id])
  t.strictSame(await idsOf('externalId eq "case"'), [])
  t.strictSame(await idsOf('title sw "GLA" and emails co "@example" and not (active eq false)'), [user.id])
  t.strictSame(await idsOf(`emails[type eq "work"].value eq "${user.userName.toUpperCase()}"`), [user.id])
  t.match(await idp.find('hatSize eq "58"'), { status: 400, body: { scimType: 'invalidFilter' } })
  t.match((await idp.find('title eq "Glazer"', '&attributes=userName')).body.Resources, [
    { id: user.id, title: undefined },
  ])
})

await t.test('clients choose by any path what they get', async (t) => {
  const { id } = await create({ title: 'A', [ENTERPRISE]: { department: 'D', division: 'S' } })
  await service.project()
  const names = async (query: string) => {
    const { body } = await idp.ask('GET', `/Users/${id}?${query.replaceAll('"', '%22').replaceAll(' ', '%20')}`)
    const { schemas, id: own, ...others } = body
    t.ok(schemas && own === id, query)
    return others
  }
  t.strictSame(await names('attributes=NAME.givenName,name.familyName,nobody,a[b'), {
    name: { givenName: 'Uta', familyName: 'Orr' },
  })
  t.match(Object.keys((await names('attributes=emails[type eq "work"].value')).emails[0]), ['value'])
  t.strictSame(await names(`attributes=${ENTERPRISE}:division,${CORE}:title`), {
    title: 'A',
    [ENTERPRISE]: { division: 'S' },
  })
  t.match(await names(`attributes=${CORE}`), { title: 'A', active: true })
  t.strictSame(await names('attributes=a[b'), {})
  t.strictSame(await names(`excludedAttributes=id,schemas,meta,userName,emails,active,name.familyName,${ENTERPRISE}`), {
    name: { givenName: 'Uta' },
    title: 'A',
  })
})

await t.test('discovery is open, but not to a wrong token, and takes no filter', async (t) => {
  const open = (path: string, headers = {}) => service.call('GET', `/scim/v2${path}`, { key: null, headers })
  t.match(await open('/ServiceProviderConfig'), { status: 200, body: { patch: { supported: true } } })
  const schemas = await open('/Schemas')
  t.notMatch(JSON.stringify(schemas.body), /null/)
  t.match(await open(`/Schemas/${ENTERPRISE}`), { status: 200, body: { id: ENTERPRISE } })
  t.equal((await open('/ServiceProviderConfig', { authorization: 'Bearer nobody' })).status, 401)
  t.equal((await open('/ResourceTypes?filter=id%20pr')).status, 403)
  t.equal((await open('/Users')).status, 401)
})

await t.test('a key with the scope calls SCIM alone, by Bearer or by Basic', async (t) => {
  const basic = Buffer.from(`${idp.key.id}:${idp.key.api_key}`).toString('base64')
  t.equal((await idp.ask('GET', '/Users?count=0', undefined, { authorization: `bASIC ${basic}` })).status, 200)
  const key = { api_id: idp.key.id, api_key: idp.key.api_key }
  t.equal((await service.call('GET', '/v1/employees', { key })).status, 403)
  const { api_id, api_key } = service.company.key
  t.match(await idp.ask('GET', '/Users', undefined, { authorization: `Bearer ${api_id}.${api_key}` }), { status: 403 })
  t.equal(idp.key.quota_limit, 1_000_000)
})

await t.test('no password is kept, wherever it stands', async (t) => {
  const hush = 'hush-4711'
  const user = await create({ password: hush })
  await idp.post(person({ userName: '', password: hush, PassWord: hush, nested: { password: [hush] } }))
  await idp.put(user.id, { title: 'x'.repeat(200), [CORE]: { password: hush } })
  await idp.patch(user.id, { Op: 'replace', Path: 'Password', Value: hush }, { op: 'add', path: 'active', value: 'x' })
  await idp.patch(user.id, { op: 'replace', path: `x[password eq "${hush}"].y`, value: 1 }, { op: 'nothing' })
  await idp.ask('POST', '/Users', `{"password": "${hush}", `)
  await idp.ask('PATCH', `/Users/${user.id}`, `{"Operations": [{"path": "password", "value": "${hush}"`)
  await service.project()
  const { rows } = await service.pool.query('select data from events union all select body from rejected_bodies')
  t.notMatch(JSON.stringify(rows), hush)
})

await t.test('what a key may not write is accepted, ignored, and noted', async (t) => {
  const narrow = await connectProvider(service, 'Narrow', { writable_fields: ['user_name', 'first_name', 'job_title'] })
  const user = (await narrow.post({ userName: 'narrow', title: 'A', displayName: 'N', active: false })).body
  t.match(user, { title: 'A', active: true, displayName: undefined })
  t.match(await narrow.patch(user.id, { op: 'replace', value: { active: false, title: 'B' } }), {
    body: { active: true, title: 'B' },
  })
  t.match((await narrow.lastEntry()).entry.notes, [{ path: 'active', code: 'not_writable' }])
  t.equal((await narrow.remove(user.id)).status, 204)
  t.match(await narrow.get(user.id), { body: { active: true } })
  const { body: key } = await service.manage('POST', '/api-keys', {
    name: 'HR',
    writable_fields: ['email', 'first_name'],
  })
  const call = {
    key: { api_id: key.id, api_key: key.api_key } as never,
    body: [{ first_name: 'A', email: 'a@n.example', status: 'inactive', phone: '1' }],
  }
  const made = await service.call('POST', '/v1/employees', call)
  t.match(made, { status: 201, body: { employees: [{ status: 'active', phone: null }] } })
  const { entry } = await service.logOf(made.body.log_id)
  t.match(entry.notes, [
    { path: 'status', code: 'not_writable' },
    { path: 'phone', code: 'not_writable' },
  ])
})

await t.test('groups and bulk calls are refused, in words', async (t) => {
  t.match(await idp.ask('GET', '/Groups?excludedAttributes=members'), { body: { totalResults: 0 } })
  for (const path of ['/Groups', '/Bulk', '/.search', '/Users/.search'])
    t.match(await idp.ask('POST', path, {}), { status: 501, body: { status: '501', detail: /not supported/ } })
  t.equal((await idp.ask('GET', '/Me')).status, 501)
  t.equal((await idp.ask('GET', '/Groups/x')).status, 404)
})

await t.test('hostile bodies are refused, and nothing is 5xx', async (t) => {
  const { id } = await create()
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    op: 'add',
    path: `emails[type eq "t${at % 40}"].value`,
    value: 'x@example.com',
  }))
  t.equal((await idp.patch(id, ...many)).status, 413)
  t.equal((await idp.patch(id, ...many.slice(0, 500))).status, 200)
  const apart = many.map((operation, at) => ({ ...operation, path: `ims[type eq "t${at}"].value` }))
  t.match(await idp.patch(id, ...apart.slice(0, 500)), { status: 400 })
  const bodies = [
    [],
    '{}',
    'x',
    1,
    null,
    { Operations: 1 },
    { schemas: [PATCH_OP] },
    { Operations: [null] },
    { Operations: [{ op: 1 }] },
  ]
  for (const body of bodies)
    for (const answer of [await idp.ask('PATCH', `/Users/${id}`, body), await idp.post(body), await idp.put(id, body)])
      t.ok(answer.status < 500, `${JSON.stringify(body)}: ${answer.status}`)
  for (const value of [null, [], {}, [[]], [{}], { value: {} }, [{ value: { a: 1 }, type: [] }], 'x'.repeat(2_000)])
    for (const path of [
      'emails',
      'name',
      'title',
      'active',
      `${ENTERPRISE}:manager`,
      'x.y',
      ENTERPRISE,
      'phoneNumbers',
      'externalId',
    ])
      for (const op of ['add', 'replace', 'remove'])
        t.ok(
          (await idp.patch(id, { op, path, value })).status < 500,
          `${op} ${path} ${JSON.stringify(value).slice(0, 40)}`,
        )
})
