import t from 'tap'
import { deleteOldFailedCalls, MAX_BYTES_OF_COMPANY } from '../../src/ledger/append/failed-calls.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { employee, startService } from '../support/service.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { csvRecords } from '../support/http/csv-rows.ts'
import { connectProvider } from '../support/scim-client.ts'
import { report, itemsOf } from '../support/personal-data.ts'

/* A failed call is corrected in a form, and sent again whole. */

const service = await startService(t)
const { company } = service
const cookie = await cookieOf(service, company.admin)
const LOGS = '/settings/bulk-user-logs'
const open = (path: string, form?: Record<string, string>) =>
  browse(service, path, { cookie, ...(form ? { form } : {}) })
const fail = async (body: unknown, method: 'POST' | 'PATCH' | 'PUT' = 'POST', query = '') => {
  const { body: answer } = await service.call(method, `/v1/employees${query}`, { body })
  await service.project()
  return answer.log_id as string
}
const entryOf = async (logId: string) => {
  await service.project()
  return (await service.admin(`/bulk-user-logs/${logId}`)).body
}
const sentTo = ({ location }: { location?: string | null }) => location!.slice(`${LOGS}/`.length)
let people = 0
const person = (more: object = {}) => employee({ external_id: `F-${(people += 1)}`, ...more })
const kept = async () => (await service.pool.query('select records from failed_calls')).rows

await t.test('one wrong value among many is corrected in a form, and the call is sent whole', async (t) => {
  const records = [...Array.from({ length: 40 }, () => person()), person({ first_name: 'Zoë', phone: '12' })]
  const logId = await fail(records)
  t.match((await open(`${LOGS}/${logId}`)).text, `href="${LOGS}/${logId}/fix"`)
  const { text } = await open(`${LOGS}/${logId}/fix`)
  t.match(text, /<legend><bdi>Zoë/)
  t.match(text, /value="12"/)
  t.match(text, 'needs a country code, unless the company has a country')
  t.match(text, 'Send 41 records again')
  const form = { value_0: '+4930123456' }
  const sent = await open(`${LOGS}/${logId}/fix`, form)
  t.equal(sent.status, 303)
  t.match(await entryOf(sentTo(sent)), {
    status: 'Completed',
    name: 'By hand',
    operation: 'create',
    key: null,
    file: null,
    corrects: [logId],
    user: { id: company.admin.user_id },
    counts: { total: 41, failed: 0 },
  })
  t.match(await entryOf(logId), { correction: { state: 'corrected', applied: 41, total: 41 } })
  const again = await open(`${LOGS}/${logId}/fix`, form)
  t.equal(sentTo(again), sentTo(sent), 'a form that is sent twice makes one call')
})

await t.test('of a call that applied what it could, only what was refused is sent again', async (t) => {
  const logId = await fail([person(), person({ phone: '12', nickname: 'x' })], 'POST', '?all_or_none=false')
  const sent = await open(`${LOGS}/${logId}/fix`, { value_0: '', value_1: '' })
  t.match(await entryOf(sentTo(sent)), { status: 'Completed', counts: { total: 1 } })
  t.match(await entryOf(logId), { correction: { state: 'corrected', total: 1 } })
})

await t.test('a correction that is refused is an entry of its own, which can be corrected again', async (t) => {
  const logId = await fail([person(), person({ phone: '12' })])
  const first = sentTo(await open(`${LOGS}/${logId}/fix`, { value_0: '13' }))
  t.match(await entryOf(first), { status: 'Failed', name: 'By hand', corrects: [logId] })
  const second = sentTo(await open(`${LOGS}/${first}/fix`, { value_0: '' }))
  t.match(await entryOf(second), { status: 'Completed', counts: { total: 2 } })
})

await t.test('what no form can correct is corrected in a file, which has the valid records, too', async (t) => {
  const logId = await fail([person(), person({ phone: { mobile: '12' } })])
  t.match(await open(`${LOGS}/${logId}/fix`), { status: 303, location: `${LOGS}/upload?log=${logId}` })
  const file = csvRecords((await service.admin(`/bulk-user-logs/${logId}/failed-records.csv`)).body)
  t.match(file, [
    { index: '1', errors: /phone must be a string/ },
    { index: '0', errors: '' },
  ])
  t.equal(file.length, 2)
  const { body } = await service.admin(`/bulk-user-logs/${logId}/failed-records.json`)
  t.equal(body.employees.length, 2)
  const filtered = await service.admin(`/bulk-user-logs/${logId}/failed-records.csv?error=invalid_type`)
  t.equal(csvRecords(filtered.body).length, 1)
  const many = await fail(Array.from({ length: 60 }, () => person({ phone: '12' })))
  t.equal((await open(`${LOGS}/${many}/fix`)).status, 303)
})

await t.test('valid records are reported, and erased with all that is kept of their call', async (t) => {
  const logId = await fail([person({ email: 'valid.record@kept.example' }), person({ phone: '12' })])
  t.match(JSON.stringify(await kept()), 'valid.record@kept.example')
  const told = await report(service, { email: 'valid.record@kept.example' })
  const [item] = itemsOf(told, 'failed_calls') as { log_id: string; records: object[] }[]
  t.match(item, { log_id: logId, records: [{ email: 'valid.record@kept.example' }] })
  t.equal(item!.records.length, 1, 'not those of others')
  t.equal((await service.manage('POST', '/erasures', { email: 'valid.record@kept.example' })).status, 200)
  t.notMatch(JSON.stringify(await kept()), 'valid.record@kept.example')
  const refused = await open(`${LOGS}/${logId}/fix`, { value_0: '' })
  t.match(refused, { status: 409, text: /no longer kept/ })
})

await t.test('a call with a secret, one of a single record, and one that is validated are not kept', async (t) => {
  const before = (await kept()).length
  await fail([person({ custom_attributes: { password: 'x' } }), person({ phone: '12' })])
  await fail([person({ phone: '12' })])
  await fail([person(), person({ phone: '12' })], 'POST', '?validate_only=true')
  t.equal((await kept()).length, before)
})

await t.test('what is kept is bounded for a company, and goes with time', async (t) => {
  const { pool } = service
  const oldest = async () =>
    (
      await pool.query<{ oldest: number; calls: number }>(
        'select min(position) as oldest, count(*)::integer as calls from failed_calls',
      )
    ).rows[0]!
  const before = await oldest()
  const change = (what: string, position: number) =>
    runSql(service.urls.superUrl, `update failed_calls set ${what} where position = ${position}`)
  await change(`bytes = ${MAX_BYTES_OF_COMPANY}`, before.oldest)
  await fail([person(), person({ phone: '12' })])
  const after = await oldest()
  t.ok(after.oldest > before.oldest, 'the oldest call makes room')
  t.equal(after.calls, before.calls)
  t.equal(await deleteOldFailedCalls(pool, 30), 0)
  await change("recorded_at = recorded_at - interval '31 days'", after.oldest)
  t.equal(await deleteOldFailedCalls(pool, 30), 1)
})

await t.test('what an identity provider sent is corrected there, and names its person', async (t) => {
  const idp = await connectProvider(service, 'Okta')
  await idp.post({ userName: '', name: { givenName: 'Ines', familyName: 'Vogel' } })
  const { entry } = await idp.lastEntry()
  const { text } = await open(`${LOGS}/${entry.id}`)
  t.match(text, 'Correct it in the identity provider, which sends it again.')
  t.match(text, 'Ines Vogel')
  t.notMatch(text, /\/fix"|>Download failed records</)
  const elsewhere = await open(`${LOGS}/${entry.id}/fix`)
  t.equal(elsewhere.location, `${LOGS}/upload?log=${entry.id}`)
  t.match((await open(elsewhere.location!)).text, 'The record was not applied.')
})

await t.test('the ledger verifies with these calls', async (t) => {
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('an unsent form of another company is not found', async (t) => {
  const other = await service.makeCompany('Other')
  const logId = await fail([person(), person({ phone: '12' })])
  const theirs = await cookieOf(service, other.admin)
  t.equal((await browse(service, `${LOGS}/${logId}/fix`, { cookie: theirs })).status, 404)
  t.equal((await browse(service, `${LOGS}/${logId}/fix`, { cookie: theirs, form: { value_0: '' } })).status, 404)
})
