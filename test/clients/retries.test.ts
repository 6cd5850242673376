import t from 'tap'
import { ConnectionError, EmployeeLedgerError } from '../../clients/typescript/employee-ledger-client.ts'
import { IdempotencyError, RateLimitError } from '../../clients/typescript/employee-ledger-client.ts'
import type { EmployeeCreate } from '../../clients/typescript/employee-ledger-client.ts'
import { answers, faultyClient, isUnreachable, losesAnswer } from '../support/http/faulty-client.ts'
import { NOON, refuses, staysSilent } from '../support/http/faulty-client.ts'
import { employee, startService } from '../support/service.ts'

/* What the client does about failures. The service is real, and only the network between them is made to fail. */

const service = await startService(t)
const person = () => employee() as EmployeeCreate

async function entryIds(): Promise<string[]> {
  await service.project()
  const { body } = await service.admin('/bulk-user-logs?limit=200')
  return (body.items as { id: string }[]).map(({ id }) => id)
}

for (const status of [429, 502, 503, 504]) {
  await t.test(`${status} and then success is one entry in Bulk User Logs`, async (t) => {
    const { client, sent, fail } = faultyClient(service)
    const before = (await entryIds()).length
    fail(answers(status))
    const { log_id: logId, replayed } = await client.create([person()])
    t.notOk(replayed)
    const ids = await entryIds()
    t.strictSame([ids.length, ids[0]], [before + 1, logId])
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    t.strictSame([keys.length, keys[0]], [2, keys[1]], 'both attempts have the same idempotency key')
  })
}

await t.test('a page to sign in, or a redirect to one, is named, and not tried again', async (t) => {
  const pages: [Parameters<ReturnType<typeof faultyClient>['fail']>[0], RegExp][] = [
    [answers(200, { 'content-type': 'text/html' }), /answer 200 is not one of the API: it is a web page, such as one/],
    [answers(302, { location: 'https://login.example/' }), /answer 302 .*: it leads to https:\/\/login\.example\//],
  ]
  for (const [page, detail] of pages) {
    const { client, sent, fail } = faultyClient(service)
    fail(page)
    await t.rejects(client.verifyKey(), { code: 'unexpected_answer', detail })
    t.equal(sent.length, 1)
  }
})

await t.test(
  'a call whose answer is lost takes effect once, and its answer is that of the first attempt',
  async (t) => {
    const { client, fail } = faultyClient(service)
    const before = (await entryIds()).length
    fail(losesAnswer, isUnreachable, losesAnswer)
    const created = await client.create([person()])
    t.ok(created.replayed)
    t.equal((await entryIds()).length, before + 1)
    t.strictSame(await client.get(created.employees[0]!.id), created.employees[0])
    fail(losesAnswer)
    const updated = await client.update(created.employees[0]!.id, { job_title: 'Engineer' }, { ifVersion: 1 })
    t.match(updated, { replayed: true, result: 'synced', employee: { version: 2 } })
  },
)

await t.test('reads are retried too, without an idempotency key', async (t) => {
  const { client, sent, fail } = faultyClient(service)
  fail(isUnreachable, answers(503))
  t.match(await client.verifyKey(), { is_enabled: true })
  t.strictSame(
    sent.map(({ headers }) => headers.get('idempotency-key')),
    [null, null, null],
  )
})

await t.test('pauses double, with full jitter, up to a limit', async (t) => {
  const { client, pauses, fail } = faultyClient(service, { attempts: 9 })
  fail(...Array.from({ length: 8 }, () => isUnreachable))
  await client.verifyKey()
  t.strictSame(pauses, [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

await t.test('Retry-After is honored, in seconds and as a date', async (t) => {
  const { client, pauses, fail } = faultyClient(service)
  const date = new Date(NOON + 20_000).toUTCString()
  fail(answers(503, { 'retry-after': '7' }), answers(429, { 'retry-after': date }))
  fail(answers(503, { 'retry-after': 'soon' }))
  await client.create([person()])
  t.strictSame(pauses, [7_000, 13_000, 1_000])
})

await t.test('a pause beyond the time of the call is not made', async (t) => {
  const { client, pauses, sent, fail } = faultyClient(service, { totalMs: 30_000 })
  fail(refuses(429, 'quota_exceeded', { 'retry-after': '30' }))
  await t.rejects(client.create([person()]), { code: 'quota_exceeded', retryAfter: 30, mayHaveTakenEffect: false })
  t.strictSame([pauses, sent.length], [[], 1])
})

await t.test('attempts are limited, and the last failure is thrown', async (t) => {
  const { client, sent, fail } = faultyClient(service, { attempts: 3 })
  fail(isUnreachable, isUnreachable, answers(502))
  const error = await client.create([person()]).catch((error: unknown) => error)
  t.type(error, EmployeeLedgerError)
  t.match(error, { status: 502, code: 'unexpected_answer', mayHaveTakenEffect: true })
  t.equal(sent.length, 3)
})

await t.test('other refusals are not retried', async (t) => {
  const { client, sent, fail } = faultyClient(service)
  for (const [status, code] of [
    [500, 'internal_error'],
    [409, 'already_exists'],
    [422, 'validation_failed'],
  ] as const) {
    fail(refuses(status, code))
    await t.rejects(client.create([person()]), { status, code, mayHaveTakenEffect: status === 500 })
  }
  t.equal(sent.length, 3)
})

await t.test('a call that the service is still running is asked for again', async (t) => {
  const { client, fail } = faultyClient(service, { attempts: 2 })
  const running = refuses(409, 'idempotency_in_progress')
  fail(running)
  t.ok((await client.create([person()])).log_id)
  fail(running, running)
  const error = await client.create([person()]).catch((error: unknown) => error)
  t.type(error, IdempotencyError)
  t.match(error, { code: 'idempotency_in_progress', mayHaveTakenEffect: true })
})

await t.test('a refusal after a lost attempt says whether that attempt can have taken effect', async (t) => {
  const { client, fail } = faultyClient(service)
  const outcome = async (status: number, code: string) => {
    fail(isUnreachable, refuses(status, code))
    const error = await client.create([person()]).catch((error: unknown) => error)
    return (error as EmployeeLedgerError).mayHaveTakenEffect
  }
  t.equal(await outcome(401, 'invalid_credentials'), true, 'the key was revoked in between')
  t.equal(await outcome(422, 'validation_failed'), false, 'an earlier success would have been answered again')
})

await t.test('an attempt without an answer is aborted and retried', async (t) => {
  const { client, fail } = faultyClient(service, { timeoutMs: 50, attempts: 2 })
  const ignoresTheSignal = () => new Promise<never>(() => undefined)
  fail(staysSilent, ignoresTheSignal)
  const error = await client.create([person()]).catch((error: unknown) => error)
  t.type(error, ConnectionError)
  t.match(error, { status: null, code: 'timed_out', mayHaveTakenEffect: true, requestId: null })
})

await t.test('a call ends with the reason of its signal', async (t) => {
  const reason = new Error('no time left')
  const { client, sent, fail } = faultyClient(service)
  await t.rejects(client.verifyKey({ signal: AbortSignal.abort(reason) }), reason)
  t.equal(sent.length, 0)
  const during = new AbortController()
  fail((request) => {
    during.abort(reason)
    return staysSilent(request)
  })
  await t.rejects(client.create([person()], { signal: during.signal }), reason)
  t.equal(sent.length, 1)
  const pausing = new AbortController()
  const sleep = async () => pausing.abort(reason)
  const other = faultyClient(service, { clock: { now: Date.now, random: Math.random, sleep } })
  other.fail(isUnreachable)
  await t.rejects(other.client.verifyKey({ signal: pausing.signal }), reason)
  t.equal(other.sent.length, 1)
})

await t.test('a success without its body may have taken effect', async (t) => {
  const { client, fail } = faultyClient(service)
  fail(answers(200, { 'content-length': '0' }, ''))
  await t.rejects(client.create([person()]), { status: 200, code: 'unexpected_answer', mayHaveTakenEffect: true })
})

await t.test('a redirection is not followed, because the key would go with it', async (t) => {
  const { client, sent, fail } = faultyClient(service)
  fail(answers(302, { location: 'http://127.0.0.1:1/elsewhere' }))
  await t.rejects(client.verifyKey(), { status: 302, code: 'unexpected_answer' })
  t.strictSame([sent.length, sent[0]!.redirect], [1, 'manual'])
})

await t.test('settings that no request can be made of fail at once', async (t) => {
  const { client, pauses } = faultyClient(service, { baseUrl: 'nowhere' })
  await t.rejects(client.verifyKey(), TypeError)
  await t.rejects(faultyClient(service).client.upsert([], { idempotencyKey: 'two\nlines' }), TypeError)
  t.strictSame(pauses, [])
})

await t.test('a used-up quota is an error at once, because its end is far away', async (t) => {
  const { client, sent, fail } = faultyClient(service)
  await service.manage('PATCH', `/api-keys/${service.company.key.api_id}`, { quota_limit: 1 })
  // In the last minute of a month, the end is near.
  fail(async (request) => {
    const { status, headers, body } = await fetch(request)
    const later = new Headers(headers)
    later.set('retry-after', '3600')
    return new Response(body, { status, headers: later })
  })
  const error = await client.create([person()]).catch((error: unknown) => error)
  t.type(error, RateLimitError)
  t.match(error, { status: 429, code: 'quota_exceeded', retryAfter: 3_600, logId: /^log_/ })
  t.equal(sent.length, 1)
})
