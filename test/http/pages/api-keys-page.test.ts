import t from 'tap'
import { startService } from '../../support/service.ts'
import { readCurlData } from '../../support/http/curl-data.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { streamOf } from '../../support/ledger/company-events.ts'

const service = await startService(t)
const cookie = await cookieOf(service, service.company.admin)
const open = (path: string) => browse(service, path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const secretOn = ({ text }: { text: string }) => /<code id="secret">(el_live_\w{49})<\/code>/.exec(text)?.[1]
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
  const form = { seen: String(await keyCount()), name: 'x', ...QUOTA }
  const { text } = await browse(service, NEW, { cookie, form, headers })
  t.match(text, 'http://localhost/v1/auth/verify')
  t.notMatch(text, 'rm -rf')
  const known = await startService(t, { PUBLIC_URL: 'http://hr.example.com' })
  const other = await cookieOf(known, known.company.admin)
  t.match(
    (await browse(known, NEW, { cookie: other, form: { ...form, seen: '1' } })).text,
    'curl -sS &#39;http://hr.example.com/v1/auth/verify',
  )
})

await t.test('submitting the new-key form twice issues one key, also when both arrive at once', async (t) => {
  const before = await keyCount()
  const form = { seen: seenOn(await open(NEW)), name: 'Once', ...QUOTA }
  const answers = await Promise.all([1, 2, 3].map(() => send(NEW, form)))
  answers.push(await send(NEW, form))
  t.strictSame(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 412, 412, 412],
  )
  t.equal(await keyCount(), before + 1)
  const refused = answers.at(-1)!
  t.match(refused.text, 'Nothing was done')
  t.notOk(secretOn(refused))
  t.match(refused.text, 'value="Once"')
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
  t.match(await send(`${page}/rotate`, form), { status: 412 })
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
    t.match(text, '0 of 10 calls a week (0 %)')
    const faulty = await send(page, { seen: seenOn(second), name: ' ', quota_limit: '1.5', refresh_period: 'yearly' })
    t.equal(faulty.status, 422)
    for (const fault of [
      'Name must have at least 1 character',
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
  const idsOn = ({ text }: { text: string }) =>
    [...text.matchAll(/<code class="below">(key_\w+)</g)].map(([, id]) => id)
  t.equal(idsOn(first).length, 50)
  const all = new Set([...idsOn(first), ...idsOn(second)])
  t.equal(all.size, idsOn(first).length + idsOn(second).length)
  t.ok(all.has(service.company.key.api_id) && all.has(tiny.id))
  t.match(second.text, 'rel="first" href="/settings/api-keys"')
  t.match(second.text, '0 of 0 calls a day (100 %)')
})
