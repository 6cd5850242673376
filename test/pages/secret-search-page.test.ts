import { hash } from 'node:crypto'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { startService } from '../support/service.ts'
import { browse, cookieOf, issueToken } from '../support/http/sessions.ts'

/* The search for a key or token on the page of API keys, as a browser without scripts sends it. */

const service = await startService(t)
const { admin, member, key } = service.company
const cookie = await cookieOf(service, admin)
const KEYS = '/settings/api-keys'
const find = (form: Record<string, string>) => browse(service, KEYS, { cookie, form })
const open = (path: string) => browse(service, path, { cookie })
const linksOn = (text: string) => [...text.matchAll(/<th scope="row">\s*<a href="([^"]+)"/g)].map(([, href]) => href)
const ends = (secret: string) => `</span>${secret.slice(-4)}</code>`

await t.test('a pasted secret leads to its key, and the answer does not repeat it', async (t) => {
  const { status, text, headers } = await find({ q: `x-api-key: ${key.api_key}`, secret_sha256: '' })
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.strictSame(linksOn(text), [`${KEYS}/${key.api_id}`])
  t.match(text, 'Its secret')
  t.notMatch(text, /el_live_\w/)
})

await t.test('the hash that a script sends leads to the key', async (t) => {
  const { text } = await find({ q: '', secret_sha256: hash('sha256', key.api_key) })
  t.strictSame(linksOn(text), [`${KEYS}/${key.api_id}`])
})

await t.test('the list and the page of a key show the end of each secret that works', async (t) => {
  const { body: issued } = await service.manage('POST', '/api-keys', { name: 'Rotated' })
  const { body: rotated } = await service.manage('POST', `/api-keys/${issued.id}/rotate`, { overlap_seconds: 3_600 })
  for (const path of [KEYS, `${KEYS}/${issued.id}`]) {
    const { text } = await open(path)
    for (const secret of [issued.api_key, rotated.api_key]) t.match(text, ends(secret), path)
  }
  const { text: old } = await find({ q: issued.api_key })
  t.match(old, /Its previous secret, which works until\s*<time/)
  await service.pool.query(`update api_keys set last_four = null, previous_expires_at = created_at where api_id = $1`, [
    toUuid(issued.id),
  ])
  t.match((await find({ q: issued.api_key })).text, /Its previous secret, which ended\s*<time/)
  t.match((await open(`${KEYS}/${issued.id}`)).text, /<dt>Secret<\/dt>\s*<dd>—<\/dd>/)
})

await t.test('a token leads to its user, where administrators see it and can revoke it', async (t) => {
  const { body: issued } = await issueToken(service, member, { name: 'Export <x>' })
  const { text } = await find({ q: issued.token })
  const user = `/settings/users/${member.user_id}`
  t.strictSame(linksOn(text), [`${user}#tokens`])
  t.match(text, 'Export &lt;x&gt;')
  const shown = (await open(user)).text
  t.match(shown, ends(issued.token))
  const revoke = `${user}/tokens/${issued.id}/revoke`
  t.match(shown, `href="${revoke}"`)
  t.match((await open(revoke)).text, 'Export &lt;x&gt;')
  t.match(await browse(service, revoke, { cookie, form: {} }), { status: 303, location: `${user}?done=revoked` })
  t.match(await service.manage('GET', '/tokens', undefined, issued.token), { status: 401 })
  t.equal((await browse(service, revoke.replace(member.user_id, admin.user_id), { cookie, form: {} })).status, 404)
})

await t.test('users see the end of their own tokens, and not those of others', async (t) => {
  const own = await cookieOf(service, member)
  const { text } = await browse(service, '/account', { cookie: own })
  t.match(text, ends(member.token))
  t.notMatch(text, ends(admin.token))
  const { body: list } = await service.manage('GET', '/tokens')
  const path = `/account/tokens/${list.items[0].id}/revoke`
  t.equal((await browse(service, path, { cookie: own, form: {} })).status, 404)
  t.equal((await browse(service, KEYS, { cookie: own, form: { q: key.api_key } })).status, 403)
})

await t.test('a search that finds nothing says so, and an empty one leads to the list', async (t) => {
  const { status, text } = await find({ q: 'nothing <here>' })
  t.equal(status, 200)
  t.match(text, 'No key or token of this company matches.')
  t.notMatch(text, 'nothing')
  t.match(await find({ q: ' ' }), { status: 303, location: KEYS })
  t.match(await find({ q: 'x'.repeat(1_001) }), { status: 422, text: /at most 1,?000/ })
})

await t.test('a search that was sent after the session had ended is not kept', async (t) => {
  const ended = await cookieOf(service, admin)
  await browse(service, '/sign-out', { cookie: ended, form: {} })
  const { status, text } = await browse(service, KEYS, { cookie: ended, form: { q: key.api_key } })
  t.equal(status, 401)
  t.notMatch(text, /el_live_|kept_fields/)
})
