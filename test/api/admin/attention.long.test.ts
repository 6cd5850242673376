import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { browse, cookieOf } from '../../support/http/sessions.ts'
import { employee, startService } from '../../support/service.ts'
import { earlier } from '../../support/postgres/move-back.ts'
import { FAILURES_BY_HOUR } from '../../support/postgres/projection-tables.ts'

const service = await startService(t)
const { company, pool } = service
const FIRST_PAGE = '/settings/bulk-user-logs'
const attention = async (token = company.admin.token) => (await service.admin('/attention', token)).body
const kinds = async () => (await attention()).items.map(({ kind }: { kind: string }) => kind)
const cookie = await cookieOf(service, company.admin)
const open = async (path: string) => (await browse(service, path, { cookie })).text
const keyPath = `/api-keys/${company.key.api_id}`
const edit = (body: object) => service.manage('PATCH', keyPath, body)

await t.test('a company that has made no call yet is told nothing', async (t) => {
  t.strictSame(await attention(), { items: [], last_call: null })
  const page = await open(FIRST_PAGE)
  t.notMatch(page, 'Needs attention')
  t.notMatch(page, 'All well')
})

await t.test('all is well after a call that succeeded', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: [employee(), employee()] })
  await service.project()
  t.match(await attention(), { items: [], last_call: { log_id: body.log_id, status: 'Completed', records: 2 } })
  t.match(await open(FIRST_PAGE), /All well\. Last call: [^,]+, \d\d:\d\d:\d\d UTC, 2 records\./)
})

await t.test('failed calls are counted by key and code, and one click leads to their causes', async (t) => {
  for (let count = 1; count <= 3; count += 1) await service.call('POST', '/v1/employees', { body: [{}] })
  const { body: single } = await service.call('POST', '/v1/employees', { body: 'x' })
  await service.project()
  const { items } = await attention()
  t.match(items, [
    { kind: 'calls_failed', details: { code: 'validation_failed', calls: 3, records: 3, is_more: false } },
    {
      kind: 'calls_failed',
      subject: { id: company.key.api_id },
      details: { code: 'malformed_json', calls: 1, records: 0, last_log_id: single.log_id },
    },
  ])
  const page = await open(FIRST_PAGE)
  t.match(page, `href="${FIRST_PAGE}/${single.log_id}"`)
  t.match(page, new RegExp(`href="${FIRST_PAGE}/refusals\\?key=${company.key.api_id}">3 records in 3 calls<`))
  const list = await open(`${FIRST_PAGE}/refusals?key=${company.key.api_id}`)
  t.match(list, 'An employee needs first_name or last_name')
  t.match(page, /HR sync<\/bdi><\/a\s*>: 3 records in 4 calls failed since\s+yesterday\./, 'one line for the key')
  t.match(page, /Bulk User Logs<\/a> <span [^>]*title="Needs attention">1</, 'one problem')
})

await t.test('records that calls left out are counted by key, and one click leads to their causes', async (t) => {
  const partly = async (...records: object[]) =>
    (await service.call('POST', '/v1/employees?all_or_none=false', { body: records })).body.log_id as string
  await partly(employee(), employee({ phone: 'x' }))
  const last = await partly(employee(), {}, employee({ phone: 'x' }))
  await service.project()
  const { items } = await attention()
  const details = { records: 3, total: 5, calls: 2, is_more: false, last_log_id: last }
  t.match(items[1], { kind: 'records_refused', subject: { id: company.key.api_id }, details })
  const page = await open(FIRST_PAGE)
  t.match(page, '3 of 5 records were refused in 2 calls since yesterday; the others were applied.')
  t.match(page, `href="${FIRST_PAGE}/refusals?key=${company.key.api_id}"`)
  t.match(page, `href="${FIRST_PAGE}/${last}" aria-label="Created 1, refused 2, `)
  const entry = await open(`${FIRST_PAGE}/${last}`)
  t.match(entry, 'created 1 of 3 employees; 2 records were refused.')
  t.match(entry, 'Fix and send again')
  t.match(await open('/settings/usage'), /Records refused in completed calls<\/th>\s*<td[^>]*>3</)
})

await t.test('a key that has used its quota wears no green badge', async (t) => {
  await edit({ quota_limit: 6 })
  t.ok((await kinds()).includes('quota_nearly_used') || (await kinds()).includes('quota_used'))
  await edit({ quota_limit: 1 })
  t.ok((await kinds()).includes('quota_used'))
  t.match(await open('/settings/api-keys'), /Quota used up/)
  await edit({ quota_limit: 1_000 })
  t.notOk((await kinds()).some((kind: string) => kind.startsWith('quota')))
})

await t.test('a key that ends soon, and one that has ended, need attention', async (t) => {
  await edit({ expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString() })
  t.ok((await kinds()).includes('key_expiring'))
  await pool.query('update api_keys set expires_at = statement_timestamp() where api_id = $1', [
    toUuid(company.key.api_id),
  ])
  t.ok((await kinds()).includes('key_expired'))
  await edit({ expires_at: null })
  t.notOk((await kinds()).some((kind: string) => kind.startsWith('key_')))
})

await t.test('a key that has made no call for 30 days needs attention until it makes one', async (t) => {
  const { key, admin } = await service.makeCompany('Unused')
  const issued = (days: number) =>
    pool.query(
      `with issued as (
         update api_keys set created_at = statement_timestamp() - $2 * interval '1 day' where api_id = $1
         returning api_id, created_at)
       update api_key_usage u set window_start = created_at from issued where u.api_id = issued.api_id`,
      [toUuid(key.api_id), days],
    )
  await issued(29)
  t.strictSame((await attention(admin.token)).items, [])
  await issued(31)
  const { items } = await attention(admin.token)
  t.match(items, [{ kind: 'key_unused', subject: { id: key.api_id } }])
  t.strictSame(Object.keys(items[0].details), ['created_at'])
  t.match(
    (await browse(service, FIRST_PAGE, { cookie: await cookieOf(service, admin) })).text,
    new RegExp(`href="/settings/api-keys/${key.api_id}"[^]*has made no call since it was issued`),
  )
  await service.call('GET', '/v1/employees', { key })
  t.strictSame((await attention(admin.token)).items, [])
})

await t.test('a call that did not come needs attention until one comes', async (t) => {
  t.match((await edit({ expected_calls: { every_hours: 12 } })).body, { expected_calls: { every_hours: 12 } })
  t.notOk((await kinds()).includes('call_missing'))
  await pool.query(
    "update api_keys set expected_since = statement_timestamp() - interval '13 hours' where api_id = $1",
    [toUuid(company.key.api_id)],
  )
  t.notOk((await kinds()).includes('call_missing'), 'the last call was a moment ago')
  const other = await service.makeCompany('Quiet')
  const quiet = (method: 'GET' | 'PATCH', path: string, body?: object) =>
    service.manage(method, path, body, other.admin.token)
  await quiet('PATCH', `/api-keys/${other.key.api_id}`, { expected_calls: { every_hours: 12 } })
  await pool.query(
    "update api_keys set expected_since = statement_timestamp() - interval '13 hours' where api_id = $1",
    [toUuid(other.key.api_id)],
  )
  t.match((await attention(other.admin.token)).items, [{ kind: 'call_missing', details: { last_call_at: null } }])
  await service.call('POST', '/v1/employees', { body: [employee()], key: other.key })
  t.strictSame((await attention(other.admin.token)).items, [], 'the ledger has the call, though the log does not yet')
  await service.project(other.id)
  t.strictSame((await attention(other.admin.token)).items, [])
})

await t.test('what a key expects is checked, and none is the default', async (t) => {
  t.equal((await edit({ expected_calls: null })).body.expected_calls, null)
  for (const wrong of [
    { every_hours: 0 },
    { every_hours: 745 },
    { by_time: '24:00', weekdays: [1] },
    { by_time: '6:00', weekdays: [1] },
    { by_time: '06:00', weekdays: [] },
    { by_time: '06:00', weekdays: [8] },
    { by_time: '06:00' },
    {},
    'nightly',
  ])
    t.match(await edit({ expected_calls: wrong }), { status: 422 }, JSON.stringify(wrong))
  const { body } = await edit({ expected_calls: { by_time: '06:00', weekdays: [5, 1, 3] } })
  t.strictSame(body.expected_calls, { by_time: '06:00', weekdays: [1, 3, 5] })
})

await t.test('the form of expected calls says which field is wrong, and saves', async (t) => {
  const path = `/settings/api-keys/${company.key.api_id}`
  const send = async (form: Record<string, string>) => {
    const seen = /name="seen" value="(\d+)"/.exec(await open(path))![1]!
    return browse(service, `${path}/expect`, { cookie, form: { seen, ...form } })
  }
  const wrong = await send({ way: 'time', by_time: '6 am', day_1: '1' })
  t.equal(wrong.status, 422)
  t.match(wrong.text, 'Time of day must be hours and minutes, such as 06:00')
  t.match((await send({ way: 'time', by_time: '06:00' })).text, 'needs at least one day')
  t.match((await send({ way: 'hours', every_hours: '0' })).text, 'Hours must be a whole number from 1 to 744')
  t.equal((await send({ way: 'time', by_time: '05:30', day_1: '1', day_7: '1' })).status, 303)
  t.match((await service.manage('GET', keyPath)).body, { expected_calls: { by_time: '05:30', weekdays: [1, 7] } })
  t.equal((await send({ way: 'never' })).status, 303)
})

await t.test('failing and disabled webhooks need attention, paused ones do not', async (t) => {
  const { body: webhook } = await service.manage('POST', '/webhooks', { url: 'https://example.com/hook' })
  const { id } = webhook
  const set = (what: string) => pool.query(`update webhook_progress set ${what} where webhook_id = $1`, [toUuid(id)])
  await set("failing_since = statement_timestamp() - interval '14 hours', error = 'The receiver answered 503'")
  t.match(
    (await attention()).items.find(({ kind }: { kind: string }) => kind === 'webhook_failing'),
    {
      subject: { id },
      details: { error: 'The receiver answered 503' },
    },
  )
  t.match(await open(FIRST_PAGE), /has failed for 14 hours: the receiver answered 503/)
  await service.manage('POST', `/webhooks/${id}/pause`)
  t.notOk((await kinds()).includes('webhook_failing'))
  await pool.query(
    `update webhooks set status = 'disabled', disabled_reason = 'gone', disabled_at = statement_timestamp() where webhook_id = $1`,
    [toUuid(id)],
  )
  t.ok((await kinds()).includes('webhook_disabled'))
})

await t.test('a key that has used its quota is found, however many newer keys need less or nothing', async (t) => {
  const crowded = await service.makeCompany('Crowded')
  const keyId = toUuid(crowded.key.api_id)
  const full = `window_start = date_trunc('month', statement_timestamp()), requests_made = 10,
    last_window = date_trunc('month', statement_timestamp())`
  await pool.query(`update api_keys set quota_limit = 10 where api_id = $1`, [keyId])
  await pool.query(`update api_key_usage set ${full} where api_id = $1`, [keyId])
  // As many of each: keys that will expire, that had used their quota last month, and that expect calls.
  for (const made of [
    { key: "expires_at = statement_timestamp() + interval '1 day'", usage: 'requests_made = 0' },
    { key: 'expires_at = null', usage: `window_start = ${earlier('window_start', "interval '40 days'")}` },
    {
      key: `expected_calls = '{"every_hours":744}', expected_since = statement_timestamp()`,
      usage: 'requests_made = 0',
    },
  ]) {
    const { rows } = await pool.query<{ api_id: string }>(
      `insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, scopes, quota_limit,
         refresh_period, created_at)
       select company_id, overlay(gen_random_uuid()::text placing 'f' from 1 for 1)::uuid, 1, 'Other', secret_hash, true,
         false, scopes, 10, 'monthly', created_at
       from api_keys, generate_series(1, 250) where api_id = $1 returning api_id`,
      [keyId],
    )
    const ids = rows.map(({ api_id }) => api_id)
    await pool.query(
      `insert into api_key_usage (company_id, api_id, window_start, requests_made, last_window)
       select u.company_id, made, u.window_start, u.requests_made, u.window_start from api_key_usage u, unnest($2::uuid[]) made
       where u.api_id = $1`,
      [keyId, ids],
    )
    await pool.query(`update api_keys set ${made.key} where api_id = any($1)`, [ids])
    await pool.query(`update api_key_usage set ${made.usage} where api_id = any($1)`, [ids])
  }
  const { items } = await attention(crowded.admin.token)
  t.match(items[0], { kind: 'quota_used', subject: { id: crowded.key.api_id } })
  t.ok(items.length <= 1_000, `${items.length} items`)
})

await t.test('a parked read model needs attention', async (t) => {
  await pool.query(
    "update checkpoints set parked_at = statement_timestamp() where company_id = $1 and projection = 'employees'",
    [toUuid(company.id)],
  )
  t.equal((await kinds())[0], 'projection_parked')
  await pool.query('update checkpoints set parked_at = null')
})

await t.test('calls that failed before yesterday need no attention any more', async (t) => {
  await pool.query(`update ${FAILURES_BY_HOUR} set hour = ${earlier('hour', "interval '48 hours'")}`)
  t.notOk((await kinds()).includes('calls_failed'))
})

await t.test('calls that failed for their form are forgiven once the key succeeds in a later hour', async (t) => {
  const { key, admin, id } = await service.makeCompany('Mended')
  const call = (body: unknown) => service.call('POST', '/v1/employees', { body, key })
  const codes = async () =>
    (await attention(admin.token)).items.map(({ details }: { details: { code: string } }) => details.code)
  await call('x')
  await call([{}])
  await service.project(id)
  const ofCompany = `where company_id = '${toUuid(id)}'`
  await pool.query(`update ${FAILURES_BY_HOUR} set hour = ${earlier('hour', "interval '1 hour'")} ${ofCompany}`)
  t.strictSame((await codes()).toSorted(), ['malformed_json', 'validation_failed'])
  await call([employee()])
  await service.project(id)
  t.strictSame(await codes(), ['validation_failed'], 'nobody has corrected these records')
  await call('x')
  await service.project(id)
  t.strictSame((await codes()).toSorted(), ['malformed_json', 'validation_failed'], 'it fails again in this hour')
})

await t.test('calls whose records were corrected by files need attention no more, once all of them are', async (t) => {
  const { key, admin, id } = await service.makeCompany('Corrected')
  const items = async () => {
    await service.project(id)
    return (await attention(admin.token)).items.map(({ kind }: { kind: string }) => kind)
  }
  const bad = () => employee({ phone: 'x' })
  const { body: failed } = await service.call('POST', '/v1/employees', { body: [bad(), employee()], key })
  const partial = '/v1/employees?all_or_none=false'
  const { body: partly } = await service.call('POST', partial, { body: [employee(), bad(), bad()], key })
  t.strictSame(await items(), ['calls_failed', 'records_refused'])
  const correct = (logId: string, records: number[]) =>
    pool.query(
      `insert into corrections (company_id, corrected_id, position, call_id, records)
       select $1, $2, 1 + count(*), gen_random_uuid(), $3 from corrections where company_id = $1`,
      [toUuid(id), toUuid(logId), records],
    )
  await correct(failed.log_id, [0])
  await correct(partly.log_id, [0, 1])
  t.strictSame(await items(), ['calls_failed', 'records_refused'], 'each call has a record that was not applied')
  await correct(failed.log_id, [0, 1])
  t.strictSame(await items(), ['records_refused'])
  await correct(partly.log_id, [2])
  t.strictSame(await items(), [])
})

await t.test('the pages of an auditor do not count what needs attention', async (t) => {
  const auditor = await cookieOf(service, company.auditor)
  t.notMatch((await browse(service, '/settings/events', { cookie: auditor })).text, 'title="Needs attention"')
})
