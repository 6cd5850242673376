import { once } from 'node:events'
import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openRawSocket } from '../../support/http/raw-socket.ts'
import { lockIsAwaited } from '../../support/postgres/lock-awaited.ts'
import { eventually } from '../../support/eventually.ts'
import type { Answer } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'
import { holdRow, letGo } from '../../support/postgres/held-rows.ts'

/* What a key that is narrowed may do. The test is a trusted proxy, so that it can name any client address. */

const service = await startService(t, { TRUST_PROXY: '127.0.0.1' })
const made = await service.call('POST', '/v1/employees', { body: employee() })
const employeeId: string = made.body.employees[0].id

const issue = async (access: object) => {
  const { body } = await service.manage('POST', '/api-keys', { name: 'Narrow', ...access })
  return { id: body.id as string, key: { api_id: body.id as string, api_key: body.api_key as string } }
}
type Issued = Awaited<ReturnType<typeof issue>>

const READS = [
  ['GET', '/v1/employees', undefined],
  ['GET', `/v1/employees/${employeeId}`, undefined],
] as const
/** Each with the number of its records. */
const WRITES = [
  ['POST', '/v1/employees', () => [employee(), employee()], 2],
  ['PATCH', '/v1/employees', () => [{ id: employeeId, job_title: 'x' }], 1],
  ['PUT', '/v1/employees', () => [employee(), employee(), employee()], 3],
  ['PATCH', `/v1/employees/${employeeId}`, () => ({ job_title: 'x' }), 1],
] as const

const from = (address: string) => ({ 'x-forwarded-for': address })
const read = async ({ key }: Issued, headers = {}) =>
  Promise.all(READS.map(([method, path]) => service.call(method, path, { key, headers })))
const write = async ({ key }: Issued, headers = {}, query = '') =>
  Promise.all(WRITES.map(([method, path, body]) => service.call(method, path + query, { key, headers, body: body() })))
const verify = ({ key }: Issued, headers = {}) => service.call('GET', '/v1/auth/verify', { key, headers })
const usageOf = async ({ id }: Issued) => (await service.manage('GET', `/api-keys/${id}`)).body.usage.requests_made
const headPosition = async () =>
  (await service.pool.query('select sum(position)::integer as n from heads')).rows[0].n as number

/** Writing calls that were refused have their entries, with their counts; nothing was charged. */
async function assertLogged(t: Test, answers: Answer[], code: string): Promise<void> {
  for (const [at, answer] of answers.entries()) {
    t.match(answer, { status: 403, body: { status: 403, code, type: `/problems/${code}`, log_id: /^log_/ } })
    const { entry, records } = await service.logOf(answer.body.log_id)
    const total = WRITES[at]![3]
    t.strictSame(entry.counts, { total, updated: 0, deactivated: 0, failed: total, no_updates: 0 })
    t.match(entry, { status: 'Failed', http_status: 403, error: { code, detail: answer.body.detail } })
    t.match(records, [{ errors: [{ code, message: answer.body.detail }] }])
  }
}

await t.test('a key without employees:write only reads; what it tries to write has an entry', async (t) => {
  const key = await issue({ scopes: ['employees:read'] })
  for (const answer of await read(key)) t.equal(answer.status, 200)
  const refused = await write(key)
  await assertLogged(t, refused, 'scope_missing')
  for (const { body } of refused) t.match(body.detail, /employees:write/)
  t.equal(await usageOf(key), 2, 'only the reading calls are charged')
  t.equal((await verify(key)).status, 200, 'a verification needs no scope')
})

await t.test('a key without employees:read only writes; what it tries to read has no entry', async (t) => {
  const key = await issue({ scopes: ['employees:write'] })
  t.strictSame(
    (await write(key)).map(({ status }) => status),
    [201, 200, 200, 200],
  )
  const before = await headPosition()
  for (const answer of await read(key)) {
    t.match(answer, { status: 403, body: { code: 'scope_missing', detail: /employees:read/ } })
    t.notOk('log_id' in answer.body)
  }
  t.equal(await headPosition(), before)
  t.equal(await usageOf(key), 4)
  t.equal((await verify(key)).status, 200)
})

await t.test('validate_only needs the scope of the call that it tries, and leaves no entry', async (t) => {
  const reader = await issue({ scopes: ['employees:read'] })
  const before = await headPosition()
  for (const answer of await write(reader, {}, '?validate_only=true')) {
    t.match(answer, { status: 403, body: { code: 'scope_missing' } })
    t.notOk('log_id' in answer.body)
  }
  t.equal(await headPosition(), before)
  const writer = await issue({ scopes: ['employees:write'] })
  for (const answer of await write(writer, {}, '?validate_only=true')) t.equal(answer.status, 200)
})

await t.test('a key is refused from every address outside its networks, also for a verification', async (t) => {
  const key = await issue({ allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] })
  for (const address of ['192.0.2.255', '::ffff:192.0.2.7', '2001:db8:ffff::1']) {
    t.equal((await verify(key, from(address))).status, 200, address)
    for (const answer of await read(key, from(address))) t.equal(answer.status, 200, address)
  }
  t.equal((await write(key, from('192.0.2.1')))[0]!.status, 201)
  const used = await usageOf(key)
  for (const address of ['192.0.3.0', '::FFFF:198.51.100.7', '2001:DB9::1']) {
    const refused = await write(key, from(address))
    await assertLogged(t, refused, 'address_not_allowed')
    for (const { body } of refused) t.notMatch(body.detail, /\d/, 'the ledger would keep the address for ever')
    for (const answer of [...(await read(key, from(address))), await verify(key, from(address))]) {
      t.match(answer, { status: 403, body: { code: 'address_not_allowed' } }, address)
      t.notOk('log_id' in answer.body)
    }
  }
  t.equal(await usageOf(key), used, 'nothing is charged')
  t.match(await verify(key), { status: 403 }, "the proxy's own address is outside, too")
  t.match(await verify(key, from('unknown')), { status: 403, body: { detail: /could not be read/ } })
})

await t.test('what a client says about its own address is ignored', async (t) => {
  const alone = await startService(t)
  const { body } = await alone.manage('POST', '/api-keys', { name: 'x', allowed_networks: ['192.0.2.0/24'] })
  const key = { api_id: body.id, api_key: body.api_key }
  const answer = await alone.call('GET', '/v1/auth/verify', { key, headers: from('192.0.2.1') })
  t.match(answer, { status: 403, body: { code: 'address_not_allowed' } })
})

await t.test('a call whose client has left is still judged by its address', async (t) => {
  const { id, key } = await issue({ allowed_networks: ['127.0.0.0/8'] })
  const holder = await holdRow(service, 'api_key_usage', service.company)
  const connected = once(service.app.server, 'connection')
  const client = await openRawSocket(t, service.address)
  const [connection] = (await connected) as [Socket]
  client.write(`GET /v1/employees HTTP/1.1\r\nhost: x\r\nx-api-id: ${key.api_id}\r\nx-api-key: ${key.api_key}\r\n\r\n`)
  await lockIsAwaited(service, 'api_key_usage')
  const closed = once(connection, 'close')
  client.cut()
  await closed
  await letGo(holder)
  await eventually('the call is counted', async () => (await usageOf({ id, key })) === 1)
})

await t.test('a repeated call gets its stored answer only from where the key may be used', async (t) => {
  const key = await issue({ allowed_networks: ['192.0.2.0/24'] })
  const repeat = (address: string) =>
    service.call('POST', '/v1/employees', {
      key: key.key,
      headers: { ...from(address), 'idempotency-key': 'one' },
      body: { first_name: 'A', last_name: 'B', email: 'repeated@example.com' },
    })
  t.equal((await repeat('192.0.2.1')).status, 201)
  t.match(await repeat('192.0.3.1'), { status: 403, body: { code: 'address_not_allowed' } })
  t.match(await repeat('192.0.2.9'), { status: 201, headers: { 'idempotency-replayed': 'true' } })
})

await t.test('a verification shows its six fields and nothing of how the key is narrowed', async (t) => {
  const key = await issue({ scopes: ['employees:read'], expires_at: '2099-01-01T00:00:00Z' })
  t.strictSame(Object.keys((await verify(key)).body), [
    ...['company_name', 'last_used', 'is_enabled', 'quota_limit', 'requests_made', 'refresh_period'],
  ])
})

await t.test('an expired key is answered like a revoked one, byte for byte, without an entry', async (t) => {
  const [expired, revoked] = [await issue({ expires_at: '2099-01-01T00:00:00Z' }), await issue({})]
  for (const key of [expired, revoked]) t.equal((await verify(key)).status, 200)
  await service.pool.query('update api_keys set expires_at = now() where expires_at is not null')
  await service.manage('POST', `/api-keys/${revoked.id}/revoke`)
  const [before, used] = [await headPosition(), await usageOf(expired)]
  const answersOf = async (key: Issued) => {
    const requestId = { 'x-request-id': 'same' }
    const answers = [...(await read(key, requestId)), ...(await write(key, requestId)), await verify(key, requestId)]
    for (const { status } of answers) t.equal(status, 401)
    return answers.map(({ headers, ...rest }) => ({ ...rest, headers: { ...headers, date: '' } }))
  }
  t.strictSame(await answersOf(expired), await answersOf(revoked))
  t.strictSame([await headPosition(), await usageOf(expired)], [before, used])
})
