import pg from 'pg'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { deliverToNobody, storeDelivery } from '../support/http/stored-deliveries.ts'
import { streamOf } from '../support/ledger/company-events.ts'
import { employee, startService, type Service } from '../support/service.ts'

const error = 'The receiver answered 500'
const OOPS = { isDelivered: false, httpStatus: 500, error, answer: '<b>Oops</b>' }
const service: Service = await startService(t, {}, { singleDeliveries: deliverToNobody(() => service.pool, OOPS) })
const { company, pool } = service
const cookie = await cookieOf(service, company.admin)
const open = (path: string) => browse(service, path, { cookie })
const send = (path: string, form: Record<string, string>) => browse(service, path, { cookie, form })
const seenOn = ({ text }: { text: string }) => /name="seen" value="(\d+)"/.exec(text)![1]!
const secretOn = ({ text }: { text: string }) => /<code id="secret">(whsec_[^<]{44})<\/code>/.exec(text)?.[1]
const LIST = '/settings/webhooks'
const NEW = `${LIST}/new`
const FORM = {
  url: 'https://example.com/hooks',
  description: 'Payroll',
  include_data: 'no',
  concurrency: '4',
  'employee.created': 'on',
}

/** Creates a webhook through the form. */
async function create(more: Record<string, string> = {}) {
  const shown = await send(NEW, { seen: seenOn(await open(NEW)), ...FORM, ...more })
  const id = /href="\/settings\/webhooks\/(whk_\w+)"/.exec(shown.text)![1]!
  return { id, page: `${LIST}/${id}`, shown, secret: secretOn(shown)! }
}
const count = async () => (await service.admin('/webhooks')).body.items.length
const read = async (id: string) => (await service.admin(`/webhooks/${id}`)).body

await t.test('the form has all message types chosen, and a created webhook has those that were sent', async (t) => {
  const boxes = [...(await open(NEW)).text.matchAll(/type="checkbox" name="([\w.]+)"\s+checked/g)]
  t.strictSame(boxes.map(([, type]) => type!).toSorted(), WEBHOOK_TYPES.toSorted())
  const { id, shown, secret, page } = await create({ description: ' <i>Pay</i> ', 'api_key.revoked': 'on' })
  t.equal(shown.status, 200)
  t.match(await read(id), {
    description: '<i>Pay</i>',
    types: ['employee.created', 'api_key.revoked'],
    include_data: false,
    concurrency: 4,
  })
  for (const path of [page, LIST, `${page}/remove`, `${page}/deliveries`]) {
    const { text, status } = await open(path)
    t.equal(status, 200, path)
    t.notOk(text.includes(secret), path)
    t.match(text, '&lt;i&gt;Pay&lt;/i&gt;')
  }
})

await t.test('submitting the form twice creates one webhook, whose secret each answer shows', async (t) => {
  const before = await count()
  const form = { seen: seenOn(await open(NEW)), ...FORM }
  const answers = await Promise.all([1, 2, 3].map(() => send(NEW, form)))
  t.equal(new Set(answers.map(secretOn)).size, 1)
  t.ok(secretOn(answers[0]!))
  t.equal(await count(), before + 1)
  t.equal((await send(NEW, { ...form, description: 'Another' })).status, 412, 'an outdated form')
  t.equal((await send(NEW, FORM)).status, 412, 'a form without a version')
})

await t.test('a refused form keeps what was filled in, and says what is wrong where', async (t) => {
  const { types: _, ...bad } = { ...FORM, url: 'http://example.com/', concurrency: '99', types: '' }
  const { 'employee.created': __, ...without } = bad
  const first = await send(NEW, { seen: seenOn(await open(NEW)), ...without })
  t.equal(first.status, 422)
  for (const words of ['Choose at least one message type', 'Messages at once must be at most 16', 'value="Payroll"'])
    t.match(first.text, words)
  t.notMatch(first.text, /name="employee.created"\s+checked/)
  const second = await send(NEW, { seen: seenOn(await open(NEW)), ...bad, concurrency: '4' })
  t.equal(second.status, 422)
  t.match(second.text, 'URL must start with https://')
  t.match(second.text, 'value="http://example.com/"')
  t.match(second.text, /name="employee.created"\s+checked/)
})

await t.test('when two administrators edit a webhook at once, the second sees it and keeps their input', async (t) => {
  const { page, id } = await create()
  const seen = seenOn(await open(page))
  const first = await send(page, { ...FORM, seen, description: 'First', include_data: 'yes' })
  t.match(first, { status: 303, location: `${page}?done=saved` })
  const second = await send(page, { ...FORM, seen, description: 'Second' })
  t.match(second, { status: 412, text: /value="Second"/ })
  t.match(await read(id), { description: 'First', include_data: true, version: 2 })
  const third = await send(page, { ...FORM, seen: seenOn(second), description: 'Second' })
  t.match(third, { status: 303 })
})

await t.test('the list asks once what waits for all webhooks, however many there are', async (t) => {
  const events = /from events e/
  const countReads = async () => {
    const { sent, stop } = countStatements(events)
    await open(LIST)
    stop()
    return sent()
  }
  await create()
  await service.call('POST', '/v1/employees', { body: employee() })
  const before = await countReads()
  t.ok(before > 0)
  for (let more = 0; more < 3; more += 1) await create()
  await service.call('POST', '/v1/employees', { body: employee() })
  t.equal(await countReads(), before)
})

/** Counts the statements that match and that this process sends. */
function countStatements(wanted: RegExp): { sent(): number; stop(): void } {
  const { query } = pg.Client.prototype
  let sent = 0
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string }]
    if (wanted.test((typeof statement === 'string' ? statement : statement.text) ?? '')) sent += 1
    return Reflect.apply(query, this, args) as unknown
  } as typeof query
  return { sent: () => sent, stop: () => void (pg.Client.prototype.query = query) }
}

await t.test('a webhook is paused and resumed', async (t) => {
  const { page, id } = await create()
  t.match(await send(`${page}/pause`, {}), { status: 303, location: `${page}?done=paused` })
  t.match((await open(`${page}?done=paused`)).text, /role="status">Webhook paused/)
  t.match(await read(id), { status: 'paused' })
  t.match((await open(LIST)).text, 'Paused')
  t.match(await send(`${page}/resume`, {}), { status: 303, location: `${page}?done=resumed` })
  t.match(await read(id), { status: 'enabled' })
})

await t.test('messages are replayed from a position or a time in the zone of the company, once', async (t) => {
  const { page, id } = await create()
  const replay = async (fields: Record<string, string>) =>
    send(`${page}/replay`, { seen: seenOn(await open(page)), since: '', after: '', ...fields })
  t.match(await replay({ after: '3' }), { status: 303, location: `${page}?done=replayed` })
  t.match(await read(id), { position: 3 })
  await service.manage('PATCH', '/company', { time_zone: 'Asia/Tokyo' })
  // An hour ago, by the clocks of Tokyo, which are nine hours ahead.
  const inTokyo = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 16)
  t.match(await replay({ since: inTokyo }), { status: 303 })
  t.match(await read(id), { position: 0 })
  await service.manage('PATCH', '/company', { time_zone: 'UTC' })
  for (const [fields, words] of [
    [{}, 'Enter either a time or the number of an event'],
    [{ since: inTokyo, after: '1' }, 'Enter either a time or the number of an event'],
    [{ since: 'yesterday' }, 'Enter a date and a time'],
    [{ after: '1.5' }, 'Or events after number must be a whole number'],
    [{ after: '99999' }, 'Or events after number must be at most'],
  ] as const) {
    t.match(await replay(fields), { status: 422, text: words })
  }
  const form = { seen: seenOn(await open(page)), since: '', after: '1' }
  t.equal((await send(`${page}/replay`, form)).status, 303)
  t.equal((await send(`${page}/replay`, form)).status, 412)
  t.match((await streamOf(service, id)).at(-1), { type: 'WebhookResumed', data: { position: 1 } })
})

await t.test('submitting the rotation form twice makes one secret, and the page says what still signs', async (t) => {
  const { page, secret } = await create()
  const form = { seen: seenOn(await open(page)), overlap_seconds: '3600' }
  const rotated = await send(`${page}/rotate`, form)
  t.not(secretOn(rotated), secret)
  t.match(rotated.text, /signed with the previous secret, too, until/)
  t.equal(secretOn(await send(`${page}/rotate`, form)), secretOn(rotated))
  t.match(await send(`${page}/rotate`, { ...form, overlap_seconds: '0' }), { status: 412 })
  t.match((await open(page)).text, /Also signs until/)
  t.match(await send(`${page}/rotate`, { seen: seenOn(await open(page)), overlap_seconds: '0' }), {
    text: 'no longer signed with the previous secret',
  })
  t.notMatch((await open(page)).text, /Also signs until/)
})

await t.test('a test message shows at once what the receiver answered, as text', async (t) => {
  const { page, id } = await create()
  const { status, location } = await send(`${page}/ping`, {})
  t.equal(status, 303)
  const { text } = await open(location!)
  t.match(text, 'Test message failed: the receiver answered 500 after 35 ms.')
  t.match(text, '<pre>&lt;b&gt;Oops&lt;/b&gt;</pre>')
  const other = await create()
  t.notMatch((await open(location!.replace(id, other.id))).text, 'Test message failed')
})

await t.test('deliveries are listed with their results, filtered, paged, and sent again', async (t) => {
  const { page, id } = await create()
  for (let at = 1; at <= 52; at += 1) await storeDelivery(pool, company.id, id, at === 1 ? OOPS : { position: at })
  const first = await open(`${page}/deliveries`)
  t.match(first.text, 'href="/settings/events/52"')
  const [, older] = /rel="next" href="([^"]+)"/.exec(first.text)!
  t.match((await open(older!)).text, /Failed[\s\S]*The receiver answered 500/)
  const failed = await open(`${page}/deliveries?status=failed`)
  t.match(failed.text, '&lt;b&gt;Oops&lt;/b&gt;')
  t.notMatch(failed.text, 'href="/settings/events/52"')
  const [, again] = /action="([^"]+\/redeliver)"/.exec(failed.text)!
  const { status, location } = await send(again!, {})
  t.equal(status, 303)
  t.match((await open(location!)).text, 'Message failed: the receiver answered 500 after 35 ms.')
  t.match(await send(`${page}/deliveries/me/redeliver`, {}), { status: 404 })
})

await t.test(
  'attempts of one message are next to each other and numbered, with full times and indented JSON',
  async (t) => {
    const { page, id } = await create()
    const sent = { position: 7, isDelivered: false, error: 'The receiver answered 503', httpStatus: 503 }
    await storeDelivery(pool, company.id, id, { ...sent, sentAt: '2026-11-20T10:00:00.000Z' })
    await storeDelivery(pool, company.id, id, { position: 8 })
    const last = await storeDelivery(pool, company.id, id, { ...sent, answer: '{"ok":false,"n":1}' })
    const { text } = await open(`${page}/deliveries`)
    t.match(text, '20 Nov 2026, 10:00:00 UTC')
    const order = [...text.matchAll(/>Event (\d)<|Attempt (\d)/g)].map(([, event, attempt]) => event ?? `#${attempt}`)
    t.strictSame(order, ['7', '#2', '7', '8'])
    t.match((await open(`${page}/deliveries/${last.id}`)).text, '{\n  &quot;ok&quot;: false,\n  &quot;n&quot;: 1\n}')
  },
)

await t.test('removing asks for the host', async (t) => {
  const { page, id } = await create({ url: 'https://hooks.example.com:8443/x' })
  t.match((await open(`${page}/remove`)).text, 'hooks.example.com:8443</bdi> to confirm')
  t.match(await send(`${page}/remove`, { typed: 'example.com' }), { status: 422, text: 'This doesn&#39;t match' })
  t.match(await read(id), { status: 'enabled' })
  const sent = await send(`${page}/remove`, { typed: 'Hooks.Example.com:8443 ' })
  t.match(sent, { status: 303, location: `${LIST}?done=removed` })
  t.equal((await open(page)).status, 404)
  t.match((await open(`/settings/events?id=${id}`)).text, 'removed webhook')
})

await t.test('what fails is said in words, on the list, the page, and the health page', async (t) => {
  const { page, id } = await create({ description: 'Broken' })
  t.notMatch((await open('/settings/health')).text, 'gets no messages')
  await pool.query(
    `update webhook_progress set attempts = 3, failing_since = now() - interval '2 hours', error = $2,
       due_at = now() + interval '5 minutes 10 seconds' where webhook_id = $1`,
    [toUuid(id), error],
  )
  const words = 'Failing for 2 hours: the receiver answered 500; next attempt in 5 minutes.'
  for (const path of [LIST, page, '/settings/health']) t.match((await open(path)).text, words, path)
  await pool.query(
    `update webhooks set status = 'disabled', disabled_reason = 'gone', disabled_at = now() - interval '3 days'
     where webhook_id = $1`,
    [toUuid(id)],
  )
  for (const path of [LIST, page, '/settings/health'])
    t.match((await open(path)).text, 'Disabled 3 days ago: the receiver answered 410 Gone.', path)
  t.match((await open('/settings/health')).text, `href="${page}"`)
  const { text } = await open(page)
  for (const action of ['resume', 'pause'])
    t.match(text, `action="${page}/${action}"`, 'it can be resumed, or paused for good')
})

await t.test('the pages count the messages that wait, not the events', async (t) => {
  const { page } = await create({ description: 'Counted', 'api_key.issued': 'on' })
  t.match((await open(page)).text, 'Up to date')
  await service.manage('POST', '/api-keys', { name: 'Told' })
  await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await service.call('PATCH', '/v1/employees', { body: [{ email: 'nobody@example.com', phone: '1' }] })
  for (const path of [page, LIST]) t.match((await open(path)).text, '3 messages waiting', path)
})

await t.test('an administrator who has repaired the receiver makes the next attempt due', async (t) => {
  const { page, id } = await create()
  t.notMatch((await open(page)).text, 'Try now')
  await pool.query(
    `update webhook_progress set attempts = 3, due_at = now() + interval '5 hours' where webhook_id = $1`,
    [toUuid(id)],
  )
  t.match((await open(page)).text, '<button>Try now</button>')
  t.match(await send(`${page}/resume`, {}), { status: 303 })
  t.match(await read(id), { failing: null })
})

await t.test("a webhook's events link to its page for administrators, and to its events for auditors", async (t) => {
  const { id, page } = await create({ description: 'Linked' })
  const path = `/settings/events?id=${id}`
  t.match((await open(path)).text, `created webhook <a href="${page}"><em><bdi>Linked</bdi></em></a>`)
  const auditor = await cookieOf(service, company.auditor)
  const { text } = await browse(service, path, { cookie: auditor })
  t.match(text, `created webhook <a href="/settings/events?id=${id}"><em><bdi>Linked</bdi></em></a>`)
  t.equal((await browse(service, page, { cookie: auditor })).status, 403)
})

await t.test('without a key for secrets, nothing is created, and a program is told to try later', async (t) => {
  const keyless = await startService(t, { SECRETS_KEY: '' })
  const cookie = await cookieOf(keyless, keyless.company.admin)
  const seen = seenOn(await browse(keyless, NEW, { cookie }))
  const { status, headers } = await browse(keyless, NEW, { cookie, form: { ...FORM, seen } })
  t.match({ status, headers }, { status: 503, headers: { 'retry-after': '1' } })
})
