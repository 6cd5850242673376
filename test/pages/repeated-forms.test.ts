import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { createSharedOutcomes } from '../../src/pages/parts/shared-outcomes.ts'
import { browse, cookieOf, OWN_PAGE } from '../support/http/sessions.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { startService } from '../support/service.ts'

/* Forms that show a secret once, sent twice by a double click: the browser leaves the first answer for the second. */

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const { admin, member, key } = service.company
const cookie = await cookieOf(service, admin)
const open = (path: string) => browse(service, path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)?.[1] ?? '0'
const shownOn = ({ text }: { text: string }) => /<code id="(?:secret|link|token)">([^<]+)<\/code>/.exec(text)?.[1]
const head = async () => {
  const { rows } = await service.pool.query('select position from heads where company_id = $1', [
    toUuid(service.company.id),
  ])
  return Number(rows[0].position)
}

/** Sends a form, and leaves once the service is at work on it. */
async function leave(path: string, form: Record<string, string>): Promise<void> {
  const leaving = new AbortController()
  const answer = fetch(`${service.address}${path}`, {
    method: 'POST',
    headers: { ...OWN_PAGE, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    signal: leaving.signal,
  })
  await lockIsAwaited(service, 'heads')
  leaving.abort()
  await answer.catch(() => undefined)
}

const hook = { url: 'https://example.com/hooks', concurrency: '4', 'employee.created': 'on' }
const webhook = (await service.manage('POST', '/webhooks', { url: 'https://example.com/rotated' })).body
const FORMS: [what: string, page: string, path: string, form: Record<string, string>][] = [
  ['a new key', '/settings/api-keys/new', '', { name: 'Once', quota_limit: '7', refresh_period: 'daily' }],
  ['a rotated key', `/settings/api-keys/${key.api_id}`, '/rotate', { overlap_seconds: '3600' }],
  ['a new webhook', '/settings/webhooks/new', '', hook],
  ['a rotated webhook', `/settings/webhooks/${webhook.id}`, '/rotate', { overlap_seconds: '3600' }],
  ['an invitation', '/settings/users/new', '', { email: 'once@example.com', name: 'Once', role: 'member' }],
  ['a reset password', `/settings/users/${member.user_id}/reset-password`, '', {}],
  [
    'a new token',
    '/account',
    '/tokens',
    { name: 'Once', expires_in_days: '7', everything: 'on', current: admin.password },
  ],
]

for (const [what, page, path, fields] of FORMS) {
  await t.test(`${what}: the second answer to a double click shows the secret, which was made once`, async (t) => {
    const form = { seen: seenOn(await open(page)), ...fields }
    const before = await head()
    const holder = await holdHead(service)
    await leave(`${page}${path}`, form)
    const second = send(`${page}${path}`, form)
    await letGo(holder)
    const shown = shownOn(await second)
    t.ok(shown)
    t.equal(shownOn(await send(`${page}${path}`, form)), shown, 'just after')
    t.equal(await head(), before + 1)
    const other = await cookieOf(service, service.company.auditor)
    t.notMatch((await browse(service, `${page}${path}`, { cookie: other, form })).text, shown, 'of another user')
  })
}

await t.test('a form that was refused is run again, and an outcome is forgotten soon', async (t) => {
  const rememberedMs = 500
  const outcomes = createSharedOutcomes<number>(rememberedMs)
  let runs = 0
  const run = async () => (runs += 1)
  const refusal = new Error('refused')
  await t.rejects(
    outcomes.share('form', () => Promise.reject(refusal)),
    refusal,
  )
  t.equal(await outcomes.share('form', run), 1)
  t.equal(await outcomes.share('form', run), 1)
  await sleep(rememberedMs + 50)
  t.equal(await outcomes.share('form', run), 2)
  for (let other = 0; other < 1_000; other += 1) await outcomes.share(other, run)
  t.equal(await outcomes.share('form', run), 1_003, 'only so many are remembered')
})
