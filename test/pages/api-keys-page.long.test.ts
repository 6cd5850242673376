import t from 'tap'
import { startService } from '../support/service.ts'
import { readCurlData } from '../support/http/curl-data.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { streamOf } from '../support/ledger/company-events.ts'

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const open = (path: string) => browse(service, path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const secretOn = ({ text }: { text: string }) => /<code id="secret">(el_live_\w{76})<\/code>/.exec(text)?.[1]
const NEW = '/settings/api-keys/new'
const QUOTA = { quota_limit: '7', refresh_period: 'daily' }

/** Issues a key through the form. */
async function issue(name: string) {
  const shown = await send(NEW, { seen: seenOn(await open(NEW)), name, ...QUOTA })
  const id = /<code id="api-id">(key_\w+)<\/code>/.exec(shown.text)?.[1]
  return { id, page: `/settings/api-keys/${id}`, secret: secretOn(shown), shown }
}
const verify = (api_id: string, api_key: string) => service.call('GET', '/v1/auth/verify', { key: { api_id, api_key } })
const keyCount = async () => (await service.manage('GET', '/api-keys')).body.items.length

await t.test('the secret is shown once, with a command that works', async (t) => {
  const { id, secret, shown, page } = await issue(' Nightly <sync> ')
  t.equal(shown.status, 200)
  t.match(await verify(id!, secret!), { status: 200, body: { quota_limit: 7, refresh_period: 'daily' } })
  const line = /<code id="verify-line">([^<]+)<\/code>/.exec(shown.text)![1]!.replaceAll('&#39;', "'")
  t.equal(
    line,
    `curl -sS '${service.address}/v1/auth/verify' \\\n  -H 'x-api-id: ${id}' \\\n  -H 'x-api-key: ${secret}'`,
  )
  for (const path of [page, '/settings/api-keys', `${page}/revoke`]) {
    const { text } = await open(path)
    t.notOk(text.includes(secret!), path)
    t.match(text, 'Nightly &lt;sync&gt;')
  }
})

await t.test('the command that creates an employee works each time', async (t) => {
  const { shown } = await issue('Curl')
  const shell = /<code id="create-line">([^<]+)<\/code>/.exec(shown.text)![1]!
  const command = shell.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
  for (let time = 1; time <= 2; time += 1) {
    const body = readCurlData(command)
    t.match(await service.call('POST', '/v1/employees', { body }), { status: 201 }, body)
  }
})

await t.test('the curl command uses the public address of the service', async (t) => {
  const headers = { 'sec-fetch-site': 'same-origin', host: "evil'; rm -rf ~ #" }
  const form = { seen: seenOn(await open(NEW)), name: 'x', ...QUOTA }
  const { text } = await browse(service, NEW, { cookie, form, headers })
  t.match(text, 'http://localhost/v1/auth/verify')
  t.notMatch(text, 'rm -rf')
  const known = await startService(t, { PUBLIC_URL: 'http://hr.example.com' })
  const other = await cookieOf(known, known.company.admin)
  const seen = seenOn(await browse(known, NEW, { cookie: other }))
  t.match(
    (await browse(known, NEW, { cookie: other, form: { ...form, seen } })).text,
    'curl -sS &#39;http://hr.example.com/v1/auth/verify',
  )
})

await t.test('submitting the new-key form twice issues one key, whose secret each answer shows', async (t) => {
  const before = await keyCount()
  const form = { seen: seenOn(await open(NEW)), name: 'Once', ...QUOTA }
  const answers = await Promise.all([1, 2, 3].map(() => send(NEW, form)))
  answers.push(await send(NEW, form))
  t.equal(new Set(answers.map(secretOn)).size, 1)
  t.ok(secretOn(answers[0]!))
  t.equal(await keyCount(), before + 1)
  const refused = await send(NEW, { ...form, name: 'Outdated' })
  t.equal(refused.status, 412)
  t.match(
    refused.text,
    'A key has been created since you opened this form. If it is this one, rotate it to get a new secret',
  )
  t.notOk(secretOn(refused))
  t.match(refused.text, 'value="Outdated"')
  t.equal(
    (await send(NEW, { ...form, seen: seenOn(refused) })).status,
    200,
    "resubmitting the refusal's form issues another one",
  )
  t.equal((await send(NEW, { name: 'No version', ...QUOTA })).status, 412)
})

await t.test('submitting the rotation form twice makes one secret', async (t) => {
  const { id, page, secret } = await issue('Rotated')
  const form = { seen: seenOn(await open(page)), overlap_seconds: '3600' }
  const rotated = secretOn(await send(`${page}/rotate`, form))!
  t.equal(secretOn(await send(`${page}/rotate`, form)), rotated)
  t.match(await send(`${page}/rotate`, { ...form, overlap_seconds: '0' }), { status: 412 })
  for (const works of [secret!, rotated]) t.equal((await verify(id!, works)).status, 200)
  const { text } = await open(page)
  const [, until] = /Works until\s*<time datetime="([^"]+)"/.exec(text)!
  const [event] = (await streamOf(service, id!)).slice(-1)
  t.match(event, {
    type: 'ApiKeyRotated',
    actor: service.company.admin.user_id,
    data: { overlap_seconds: 3600, previous_expires_at: until },
  })
  t.match(text, `data-since="${until}"`)
  const last = secretOn(await send(`${page}/rotate`, { seen: seenOn(await open(page)), overlap_seconds: '0' }))!
  t.strictSame([(await verify(id!, rotated)).status, (await verify(id!, last)).status], [401, 200])
  t.notMatch((await open(page)).text, 'Works until')
  t.match(await send(`${page}/rotate`, { seen: seenOn(await open(page)), overlap_seconds: '604801' }), {
    status: 422,
    text: /must be at most 604800/,
  })
})

await t.test(
  'when two administrators edit a key at once, the second sees the change and keeps their input',
  async (t) => {
    const { page } = await issue('Edited')
    const seen = seenOn(await open(page))
    const first = { seen, name: 'First', quota_limit: '10', refresh_period: 'weekly' }
    t.match(await send(page, first), { status: 303, location: `${page}?done=saved` })
    const second = await send(page, { seen, name: 'Second', quota_limit: '20', refresh_period: 'hourly' })
    t.match(second, { status: 412, text: /value="Second"/ })
    const { text } = await open(`${page}?done=saved`)
    t.match(text, /role="status">Changes saved/)
    t.match(text, /0 \/ 10<span class="hint"> · resets/)
    const faulty = await send(page, { seen: seenOn(second), name: ' ', quota_limit: '1.5', refresh_period: 'yearly' })
    t.equal(faulty.status, 422)
    for (const fault of [
      'Name must not be empty',
      'Quota must be a whole number',
      'Quota resets must be one of hourly',
    ]) {
      t.match(faulty.text, fault)
    }
    t.match(await send(page, { seen: seenOn(second), name: 'nul\0', quota_limit: '1', refresh_period: 'daily' }), {
      status: 422,
      text: /that is not allowed/,
    })
  },
)

await t.test('a key is disabled, enabled and revoked, and then nothing can be done with it', async (t) => {
  const { id, page, secret } = await issue('Short life')
  t.match(await send(`${page}/disable`, {}), { status: 303, location: `${page}?done=disabled` })
  t.equal((await verify(id!, secret!)).body.is_enabled, false)
  t.match((await open('/settings/api-keys?status=disabled')).text, 'Short life')
  t.match(await send(`${page}/enable`, {}), { status: 303, location: `${page}?done=enabled` })
  t.equal((await verify(id!, secret!)).body.is_enabled, true)
  t.equal((await open(`${page}/revoke`)).status, 200, 'the confirmation page ends nothing')
  t.equal((await verify(id!, secret!)).status, 200)
  t.match(await send(`${page}/revoke`, {}), { status: 303, location: `${page}?done=revoked` })
  t.equal((await verify(id!, secret!)).status, 401)
  t.notMatch((await open(page)).text, '<form method="post" action="/settings')
  t.match(await send(`${page}/enable`, {}), { status: 409, text: /has been revoked/ })
  t.match(await send(`${page}/rotate`, { seen: '4', overlap_seconds: '0' }), { status: 409 })
})

await t.test('the list is paged, and shows how much of each quota is used', async (t) => {
  const tiny = await issue('Tiny')
  await service.manage('PATCH', `/api-keys/${tiny.id}`, { quota_limit: 0 })
  for (let at = 0; at < 52; at += 1) await service.manage('POST', '/api-keys', { name: `Key ${at}` })
  const first = await open('/settings/api-keys')
  const [, older] = /rel="next" href="([^"]+)"/.exec(first.text)!
  const second = await open(older!)
  const idsOn = ({ text }: { text: string }) => [...text.matchAll(/api-keys\/(key_\w+)" title=/g)].map(([, id]) => id)
  t.equal(idsOn(first).length, 50)
  const all = new Set([...idsOn(first), ...idsOn(second)])
  t.equal(all.size, idsOn(first).length + idsOn(second).length)
  t.ok(all.has(service.company.key.api_id) && all.has(tiny.id))
  t.match(second.text, 'rel="first" href="/settings/api-keys"')
  t.match(second.text, /0 \/ 0<span class="hint"> · resets/)
})

const FULL = { scopes: 'employees:read employees:write', expires_at: '', allowed_networks: '' }
const shownKey = async (id: string) => (await service.manage('GET', `/api-keys/${id}`)).body

await t.test('a key is narrowed with the form, and widened again', async (t) => {
  const narrow = {
    scopes: 'employees:read',
    expires_at: '2099-05-04T03:02',
    allowed_networks: ' 10.0.0.0/8,\r\n::1\r\n',
  }
  const shown = await send(NEW, { seen: seenOn(await open(NEW)), name: 'Narrow', ...QUOTA, ...narrow })
  t.notMatch(shown.text, 'create-line', 'a key that only reads gets no command that writes')
  const id = /<code id="api-id">(key_\w+)<\/code>/.exec(shown.text)![1]!
  const page = `/settings/api-keys/${id}`
  t.match(await shownKey(id), {
    scopes: ['employees:read'],
    expires_at: '2099-05-04T03:02:00.000Z',
    allowed_networks: ['10.0.0.0/8', '::1/128'],
  })
  const { text } = await open(page)
  t.match(text, /<dd>Read only/)
  t.match(text, /<time datetime="2099-05-04T03:02:00.000Z"[^]*?> 4 May 2099, 03:02:00 UTC</)
  t.match(text, /<code class="below">::1\/128<\/code>/)
  t.match(text, /value="2099-05-04T03:02"/)
  t.match(text, />\s*10\.0\.0\.0\/8\n::1\/128<\/textarea/)
  const widened = { seen: seenOn({ text }), name: 'Narrow', ...QUOTA, ...FULL }
  t.match(await send(page, widened), { status: 303, location: `${page}?done=saved` })
  t.match(await shownKey(id), {
    scopes: ['employees:read', 'employees:write'],
    expires_at: null,
    allowed_networks: null,
  })
  t.match((await open(page)).text, /<dd>any address<\/dd>/)
})

await t.test('saving something else does not round the expiry, and the time is local', async (t) => {
  await service.manage('PATCH', '/company', { time_zone: 'Asia/Tokyo' })
  const { body } = await service.manage('POST', '/api-keys', { name: 'Precise', expires_at: '2099-01-01T00:00:30.5Z' })
  const page = `/settings/api-keys/${body.id}`
  const first = await open(page)
  t.match(first.text, 'value="2099-01-01T09:00"')
  const form = { ...QUOTA, ...FULL, name: 'Renamed', expires_at: '2099-01-01T09:00' }
  t.equal((await send(page, { seen: seenOn(first), ...form })).status, 303)
  t.match(await shownKey(body.id), { name: 'Renamed', expires_at: '2099-01-01T00:00:30.500Z' })
  const later = { ...form, seen: seenOn(await open(page)), expires_at: '2099-01-01T09:01' }
  t.equal((await send(page, later)).status, 303)
  t.equal((await shownKey(body.id)).expires_at, '2099-01-01T00:01:00.000Z')
  await service.manage('PATCH', '/company', { time_zone: 'UTC' })
})

await t.test('faults of the access are shown at their fields, and the input is kept', async (t) => {
  const bad = { scopes: 'all', expires_at: '2001-01-01T00:00', allowed_networks: '10.0.0.0/8 10.0.0.1/8 <b>' }
  const form = { seen: seenOn(await open(NEW)), name: 'Bad', ...QUOTA }
  const [scopes, others] = [
    await send(NEW, { ...form, ...bad }),
    await send(NEW, { ...form, ...bad, scopes: FULL.scopes }),
  ]
  t.match(scopes, { status: 422, text: /Access: number 1 must be one of employees:read, employees:write/ })
  t.equal(others.status, 422)
  t.match(others.text, 'Expires must be in the future, and before the year 10000')
  t.match(others.text, 'Allowed networks: number 2 must not have bits set after its prefix')
  t.match(others.text, /10\.0\.0\.1\/8 &lt;b&gt;<\/textarea/)
  for (const expiry of ['tomorrow', '2030-02-30T00:00', '10000-01-01T00:00'])
    t.match(await send(NEW, { ...form, ...FULL, expires_at: expiry }), {
      status: 422,
      text: /Expires must be a time with its zone/,
    })
})

await t.test('the list shows what keys may do, which expire soon, and which have expired', async (t) => {
  const keyOf = async (name: string, days: number, access = {}) => {
    const { id } = (await service.manage('POST', '/api-keys', { name, expires_at: '2099-01-01T00:00:00Z', ...access }))
      .body
    await service.pool.query(
      `update api_keys set expires_at = now() + make_interval(days => $2::integer) where name = $1`,
      [name, days],
    )
    return id as string
  }
  await keyOf('Ends soon', 12, { scopes: ['employees:write'], allowed_networks: ['10.0.0.0/8', '::/0'] })
  await keyOf('Ends later', 15)
  const ended = await keyOf('Has ended', 0)
  const { text } = await open('/settings/api-keys')
  const rowOf = (name: string) =>
    text
      .split('<tr>')
      .find((row) => row.includes(`>${name}<`))!
      .replaceAll(/<[^>]+>|\s+/g, ' ')
  t.match(rowOf('Ends soon'), /Expires in 12 days .*Write only +· 2 networks/)
  t.notMatch(rowOf('Ends later'), 'Expires in')
  t.match(rowOf('Has ended'), /Expired/)
  t.notMatch(rowOf('Has ended'), /Enabled/)
  const page = await open(`/settings/api-keys/${ended}`)
  t.match(page.text, /Expired/)
  t.match((await open('/settings/api-keys?status=expired')).text, 'Has ended')
  t.notMatch((await open('/settings/api-keys?status=active')).text, 'Has ended')
  t.match((await open('/settings/usage')).text, 'Has ended</bdi></a> (expired)')
})

await t.test('the form of a new key proposes a limit, and the page of a key allows more once', async (t) => {
  t.match((await open(NEW)).text, /name="max_deactivations"[^>]* value="25"/)
  const form = { seen: seenOn(await open(NEW)), name: 'Limited', ...QUOTA, quota_limit: '50' }
  const { text } = await send(NEW, { ...form, max_deactivations: '1', max_changes: ' 90 % ' })
  const [id, secret] = [/<code id="api-id">(key_\w+)<\/code>/.exec(text)![1]!, secretOn({ text })!]
  const page = `/settings/api-keys/${id}`
  t.match((await open(page)).text, /1 deactivation, changes of 90% of the active people/)
  const key = { api_id: id, api_key: secret }
  const people = ['a', 'b', 'c'].map((name) => ({
    first_name: name,
    external_id: name,
    email: `${name}@limits.example`,
  }))
  t.equal((await service.call('POST', '/v1/employees', { key, body: people })).status, 201)
  const body = people.slice(1).map(({ external_id }) => ({ external_id, status: 'inactive' }))
  const leave = () => service.call('PATCH', '/v1/employees', { key, body })
  t.equal((await leave()).status, 409)
  const shown = await open(page)
  t.match(shown.text, /Wanted to deactivate 2 of \d+ people; nothing was applied/)
  t.match(shown.text, /name="max_deactivations"[^>]* value="2"/)
  const allow = { seen: seenOn(shown), max_deactivations: '2', max_changes: '2' }
  t.match(await send(`${page}/allow`, { ...allow, max_deactivations: 'x' }), { status: 422 })
  t.equal((await send(`${page}/allow`, allow)).status, 303)
  t.equal((await send(`${page}/allow`, allow)).status, 412, 'once')
  t.match((await open(page)).text, /Allowed until .*2 deactivations, 2 changes/s)
  t.equal((await leave()).status, 200)
})
