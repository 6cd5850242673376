import http from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t, { BODY_LIMIT: '20000', MAX_RECORDS: '50' })
const { id: companyId } = service.company

const entryCount = async () => {
  await service.project()
  let count = 0
  for (let cursor = ''; ;) {
    const { body } = await service.admin(`/bulk-user-logs?limit=200${cursor}`)
    count += body.items.length
    if (body.next_cursor === null) return count
    cursor = `&cursor=${body.next_cursor}`
  }
}

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

interface Refusal {
  name: string
  body: unknown
  status: number
  code: string
  headers?: Record<string, string>
  /** The number of records, if they could be counted. */
  total?: number
}

const REFUSALS: Refusal[] = [
  { name: 'malformed JSON', body: '{"employees":[', status: 400, code: 'malformed_json' },
  { name: 'an empty body', body: '', status: 400, code: 'malformed_json' },
  { name: 'invalid UTF-8', body: Buffer.of(0x22, 0xff, 0x22), status: 400, code: 'malformed_json' },
  { name: 'JSON 33 levels deep', body: deep(33), status: 400, code: 'malformed_json' },
  { name: 'JSON 9,000 levels deep', body: deep(9_000), status: 400, code: 'malformed_json' },
  { name: 'a member twice', body: '{"first_name":"x","first_name":"y"}', status: 400, code: 'malformed_json' },
  { name: '__proto__', body: '{"__proto__":{"first_name":"x"}}', status: 400, code: 'malformed_json' },
  { name: 'U+0000', body: '[{"first_name":"a\\u0000b"}]', status: 400, code: 'invalid_body' },
  { name: 'a lone surrogate', body: '[{"first_name":"\\ud800"}]', status: 400, code: 'invalid_body' },
  { name: 'a number beyond a double', body: '[{"custom_attributes":{"n":1e400}}]', status: 400, code: 'invalid_body' },
  {
    name: 'a number that a double rounds',
    body: '[{"custom_attributes":{"n":9007199254740993}}]',
    status: 400,
    code: 'invalid_body',
  },
  { name: 'a text', body: '"hello"', status: 400, code: 'invalid_body' },
  { name: 'employees that is not an array', body: { employees: 'all' }, status: 400, code: 'invalid_body' },
  {
    name: 'a member besides employees',
    body: { employees: [{}], dry: true },
    status: 400,
    code: 'invalid_body',
    total: 1,
  },
  { name: 'an empty batch', body: { employees: [] }, status: 422, code: 'empty_batch' },
  {
    name: 'too many records',
    body: Array.from({ length: 51 }, () => ({})),
    status: 413,
    code: 'batch_too_large',
    total: 51,
  },
  { name: 'a body over the limit', body: JSON.stringify(['x'.repeat(20_000)]), status: 413, code: 'payload_too_large' },
  {
    name: 'plain text',
    body: 'x',
    status: 415,
    code: 'unsupported_media_type',
    headers: { 'content-type': 'text/plain' },
  },
  {
    name: 'a compressed body',
    body: gzipSync('{"employees":[{}]}'),
    status: 415,
    code: 'unsupported_media_type',
    headers: { 'content-encoding': 'gzip' },
  },
  {
    name: 'a form',
    body: 'a=1',
    status: 415,
    code: 'unsupported_media_type',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  },
]

for (const { name, body, status, code, headers, total } of REFUSALS) {
  await t.test(`${name} gets ${status} ${code} and one entry with the same message, in both bulk calls`, async (t) => {
    for (const method of ['POST', 'PATCH'] as const) {
      const before = await entryCount()
      const answer = await service.call(method, '/v1/employees', { body, ...(headers ? { headers } : {}) })
      t.match(answer, { status, body: { status, code, type: `/problems/${code}`, errors: [], log_id: /^log_/ } })
      const { entry, records } = await service.logOf(answer.body.log_id)
      t.strictSame(entry.counts, { total: total ?? 0, updated: 0, deactivated: 0, failed: total ?? 0, no_updates: 0 })
      t.match(entry, { status: 'Failed', http_status: status, error: { code, detail: answer.body.detail } })
      t.equal(records.length, 1)
      t.match(records[0], { index: null, record: null, errors: [{ pointer: '', code, message: answer.body.detail }] })
      t.equal(await entryCount(), before + 1)
    }
  })
}

await t.test('a single update with an unreadable body fails one record, the one in the path', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const [{ id }] = body.employees
  for (const [sent, code] of [
    ['{', 'malformed_json'],
    ['[1]', 'invalid_body'],
    ['', 'malformed_json'],
  ] as const) {
    const answer = await service.call('PATCH', `/v1/employees/${id}`, { body: sent })
    t.match(answer, { status: 400, body: { code } })
    const { entry, records } = await service.logOf(answer.body.log_id)
    t.match(entry.counts, { total: 1, failed: 1 })
    t.match(records, [{ index: 0, employee_id: id, errors: [{ code, message: answer.body.detail }] }])
  }
})

await t.test('a creation refuses a merge patch, and any call an unknown query parameter', async (t) => {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = await service.call('POST', '/v1/employees', { body: employee(), headers })
  t.match(patch, { status: 415, body: { code: 'unsupported_media_type' } })
  const query = await service.call('POST', '/v1/employees?dry_run=true', { body: [employee(), employee()] })
  t.match(query, { status: 400, body: { code: 'invalid_query' } })
  const { entry } = await service.logOf(query.body.log_id)
  t.match(entry.counts, { total: 2, failed: 2 })
})

await t.test('a call that is cut off before its end leaves no entry', async (t) => {
  const before = await entryCount()
  const { port } = new URL(service.address)
  await new Promise<void>((resolve) => {
    const headers = { 'x-api-id': service.company.key.api_id, 'x-api-key': service.company.key.api_key }
    const request = http.request({
      port,
      method: 'POST',
      path: '/v1/employees',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': 1000, expect: '100-continue' },
    })
    // The server has authenticated the call and waits for its body.
    request.on('continue', () => request.write('{"employees":[', () => request.destroy()))
    request.on('error', () => resolve())
    request.on('close', () => resolve())
    request.flushHeaders()
  })
  t.equal((await service.call('GET', '/v1/auth/verify')).status, 200)
  t.equal(await entryCount(), before)
})

await t.test('a disabled key gets 403 and an entry with counts, and uses no quota', async (t) => {
  const used = (await service.call('GET', '/v1/auth/verify')).body.requests_made
  await service.pool.query('update api_keys set is_enabled = false')
  t.teardown(() => service.pool.query('update api_keys set is_enabled = true'))
  const answer = await service.call('POST', '/v1/employees', { body: [employee(), employee(), employee()] })
  t.match(answer, { status: 403, body: { code: 'key_disabled', log_id: /^log_/ } })
  const { entry, records } = await service.logOf(answer.body.log_id)
  t.match(entry, { status: 'Failed', counts: { total: 3, failed: 3 }, error: { code: 'key_disabled' } })
  t.equal(records.length, 1)
  t.match(await service.call('GET', `/v1/employees/${companyId}`), { status: 403, body: { code: 'key_disabled' } })
  t.match(await service.call('GET', '/v1/auth/verify'), {
    status: 200,
    body: { is_enabled: false, requests_made: used },
  })
})
