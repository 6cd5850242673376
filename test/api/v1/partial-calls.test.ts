import { hash } from 'node:crypto'
import t from 'tap'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { hasPython, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const PARTLY = '?all_or_none=false'
type Method = 'POST' | 'PATCH' | 'PUT'
const call = (
  method: Method,
  body: unknown,
  { query = PARTLY, headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) => service.call(method, `/v1/employees${query}`, { body, headers })

const made = (await call('POST', [employee({ external_id: 'A-1' }), employee({ external_id: 'A-2' })], { query: '' }))
  .body.employees as { id: string; email: string }[]

await t.test('a creation creates what it can, and answers with a result for each record', async (t) => {
  const [first, bad, last] = [employee(), employee({ phone: 'x' }), employee({ external_id: 'A-3' })]
  const { status, headers, body } = await call('POST', { employees: [first, bad, last] })
  t.equal(status, 200)
  t.ok(headers['x-ledger-position'])
  t.strictSame(body.counts, { total: 3, updated: 0, deactivated: 0, failed: 1, no_updates: 0 })
  t.match(body.results, [
    { index: 0, id: /^emp_/, result: 'created', changed: [], errors: [] },
    { index: 1, id: null, result: 'failed', changed: [], errors: [{ index: 1, pointer: '/employees/1/phone' }] },
    { index: 2, id: /^emp_/, result: 'created', changed: [], errors: [] },
  ])
  t.strictSame((await service.call('GET', `/v1/employees/${body.results[2].id}`)).body, body.employees[1])
  t.equal(body.employees.length, 2)
  const whole = await call('POST', { employees: [employee(), bad, employee()] }, { query: '' })
  t.strictSame(whole.body.errors, body.results[1].errors, 'the messages are those of a call of all or none')

  const { entry, records } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Completed', operation: 'create', http_status: 200, error: null, counts: body.counts })
  t.match(records, [
    {
      index: 0,
      status: null,
      employee_id: body.results[0].id,
      attributes: { email: first.email },
      record: null,
      errors: null,
    },
    {
      index: 1,
      status: null,
      employee_id: null,
      attributes: null,
      record: bad,
      errors: [{ pointer: '/employees/1/phone' }],
    },
    { index: 2, status: null, employee_id: body.results[2].id, attributes: { external_id: 'A-3' }, errors: null },
  ])
  t.equal(records[1].errors[0].message, body.results[1].errors[0].message, 'the log shows the message of the answer')
})

await t.test('an update and an upsert show every kind of result in their five counts', async (t) => {
  const [one, two] = made
  await call('PATCH', [{ id: one!.id, job_title: 'Dev' }], { query: '' })
  const update = await call('PATCH', [
    { id: one!.id, job_title: 'Dev' },
    { external_id: 'nobody', job_title: 'Dev' },
    { id: two!.id, status: 'inactive' },
  ])
  t.strictSame(update.body.counts, { total: 3, updated: 0, deactivated: 1, failed: 1, no_updates: 1 })
  t.match(update.body.results, [{ result: 'no_updates' }, { result: 'failed', id: null }, { result: 'deactivated' }])
  t.match((await service.logOf(update.body.log_id)).records, [
    { index: 0, status: 'No Updates', employee_id: one!.id },
    { index: 1, status: null, employee_id: null, record: { external_id: 'nobody' } },
    { index: 2, status: 'Deactivated', employee_id: two!.id },
  ])
  const joiner = employee({ external_id: 'A-9' })
  const upsert = await call('PUT', [
    joiner,
    { external_id: 'A-1', phone: 'x' },
    { external_id: 'A-2', status: 'active' },
  ])
  t.strictSame(upsert.body.counts, { total: 3, updated: 1, deactivated: 0, failed: 1, no_updates: 0 })
  t.match(upsert.body.results, [{ result: 'created' }, { result: 'failed', id: one!.id }, { result: 'reactivated' }])
})

await t.test('a record that needs a refused one is refused, and says which', async (t) => {
  const boss = employee({ phone: 'x' })
  const team = [boss, employee({ manager_email: boss.email }), employee()]
  const { body } = await call('POST', team)
  t.match(body.results, [
    { result: 'failed', errors: [{ code: 'invalid_format' }] },
    {
      result: 'failed',
      errors: [{ pointer: '/1/manager_email', code: 'manager_not_found', message: /^Record 1 of the call/ }],
    },
    { result: 'created' },
  ])
  const swap = await call('PATCH', [
    { id: made[0]!.id, email: made[1]!.email },
    { id: made[1]!.id, email: made[0]!.email, phone: 'x' },
    { external_id: 'A-3', job_title: 'Lead' },
  ])
  t.match(swap.body.results, [
    { result: 'failed', id: made[0]!.id, errors: [{ code: 'already_exists', message: /^Record 2 of the call/ }] },
    { result: 'failed', id: made[1]!.id },
    { result: 'synced' },
  ])
})

await t.test('if nothing can be applied, the answer and the entry are those of a call of all or none', async (t) => {
  const body = [employee({ phone: 'x' }), employee({ status: 'gone' })]
  const [partly, whole] = [await call('POST', body), await call('POST', body, { query: '' })]
  t.equal(partly.status, 422)
  const { log_id: one, request_id: _one, ...answer } = partly.body
  const { log_id: other, request_id: _other, ...expected } = whole.body
  t.strictSame(answer, expected)
  const [log, expectedLog] = [await service.logOf(one), await service.logOf(other)]
  t.strictSame(log.records, expectedLog.records)
  for (const name of ['status', 'counts', 'http_status', 'error'])
    t.strictSame(log.entry[name], expectedLog.entry[name])
  t.match(await call('PATCH', [{ external_id: 'nobody', job_title: 'x' }]), {
    status: 422,
    body: { code: 'validation_failed' },
  })
  t.match(await call('POST', employee({ email: made[0]!.email })), { status: 409, body: { code: 'already_exists' } })
})

await t.test(
  'a call without refused records makes the same events, but for its status, and answers with results',
  async (t) => {
    const shape = async (logId: string) => {
      const { events } = await eventsOf(logId)
      return events.map(({ type, schema_version, version, index, data }) => {
        const {
          requested_at: _at,
          duration_ms: _ms,
          request_id: _id,
          unchanged: _same,
          http_status: status,
          ...told
        } = data as Record<string, unknown>
        return {
          type,
          isUsual: schema_version === 1,
          status,
          version,
          index,
          told: JSON.stringify(told).replaceAll(/[\w.]+@[\w.]+/g, '…'),
        }
      })
    }
    const [partly, whole] = [await call('POST', [employee()]), await call('POST', [employee()], { query: '' })]
    t.equal(partly.status, 200)
    t.match(partly.body.results, [{ index: 0, result: 'created', errors: [] }])
    const [created, closed] = await shape(whole.body.log_id)
    t.strictSame(await shape(partly.body.log_id), [created, { ...closed, isUsual: false, status: 200 }])
  },
)

await t.test('validate_only says what a partial call would do, and stores nothing', async (t) => {
  const before = await events()
  const body = [employee(), employee({ phone: 'x' })]
  const preview = await call('POST', body, { query: `${PARTLY}&validate_only=true` })
  t.equal(preview.status, 200)
  t.notOk('log_id' in preview.body)
  t.match(preview.body.results, [
    { id: null, result: 'created' },
    { result: 'failed', errors: [{ code: 'invalid_format' }] },
  ])
  t.equal((await events()).length, before.length)
  t.match(await call('POST', [body[1]], { query: `${PARTLY}&validate_only=true` }), { status: 422 })
})

await t.test(
  'a retry gets the stored answer, and the same key with another parameter is another request',
  async (t) => {
    const body = [employee(), employee({ phone: 'x' })]
    const headers = { 'idempotency-key': 'partly-1' }
    const first = await call('POST', body, { headers })
    const again = await call('POST', body, { headers })
    t.strictSame([again.status, again.body, again.headers['idempotency-replayed']], [200, first.body, 'true'])
    const other = await call('POST', body, { headers, query: '' })
    t.match(other, { status: 422, body: { code: 'idempotency_key_reused' } })
  },
)

await t.test('the parameter is a boolean of the three bulk calls', async (t) => {
  t.match(await call('POST', employee(), { query: '?all_or_none=true' }), { status: 201, body: { employees: [{}] } })
  for (const query of [
    '?all_or_none=maybe',
    '?all_or_none=',
    '?all_or_none=false&all_or_none=false',
    '?all_or_none=no',
  ])
    t.match(
      await call('POST', employee(), { query }),
      { status: 400, body: { code: 'invalid_query', log_id: /^log_/ } },
      query,
    )
  const one = await service.call('PATCH', `/v1/employees/${made[0]!.id}${PARTLY}`, { body: { job_title: 'x' } })
  t.match(one, { status: 400, body: { code: 'invalid_query' } })
})

await t.test('errors are bounded as those of a failed call', async (t) => {
  const wrong = () => ({ ...employee(), ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x${at}`, 1])) })
  const records = [employee(), ...Array.from({ length: 80 }, wrong)]
  const { body } = await call('POST', records)
  t.equal(body.counts.failed, 80)
  const errors = body.results.flatMap(({ errors }: { errors: unknown[] }) => errors)
  t.equal(errors.length, 1_000)
  t.equal(body.errors_omitted, 80 * 20 - 1_000)
  t.equal(body.results.at(-1).result, 'failed')
  const { records: shown } = await service.logOf(body.log_id)
  t.strictSame([shown[80].errors.length, shown[80].errors_omitted], [16, 4])
})

await t.test(
  'a creation of many names the values that are taken, although it does not load their holders first',
  async (t) => {
    const many = Array.from({ length: 30 }, () => employee())
    const { body } = await call('POST', [...many, employee({ external_id: 'A-1', phone: 'x' })])
    t.match(body.counts, { total: 31, failed: 1 })
    t.strictSame(
      body.results[30].errors.map(({ code }: { code: string }) => code),
      ['invalid_format', 'already_exists'],
    )
  },
)

await t.test('the log finds a refused record of a completed entry by person, by error, and by outcome', async (t) => {
  const gone = employee({ phone: 'x', external_id: 'ONLY-REFUSED' })
  const { body } = await call('POST', [employee({ first_name: 'Applied' }), gone])
  await service.project()
  const find = async (query: string) =>
    (await service.admin(`/bulk-user-logs?${query}`)).body.items.map(({ id }: { id: string }) => id)
  t.strictSame(await find(`q=${encodeURIComponent(gone.email as string)}`), [body.log_id])
  t.strictSame(await find('employee=ONLY-REFUSED'), [body.log_id])
  t.ok((await find('q=invalid_format&status=Completed')).includes(body.log_id))
  const records = async (query: string) =>
    (await service.admin(`/bulk-user-logs/${body.log_id}/records?${query}`)).body.items.map(
      ({ index }: { index: number }) => index,
    )
  t.strictSame(await records('status=Failed'), [1])
  t.strictSame(await records('status=Created'), [0])
  t.strictSame(await records('status=Changed'), [0])
  t.strictSame(await records('q=ONLY-REFUSED'), [1])
  t.strictSame(await records('q=Applied'), [0])
  t.strictSame(await records('error=invalid_format:/phone'), [1])
  const csv = (await service.admin(`/bulk-user-logs/${body.log_id}/records.csv`)).body as string
  t.match(csv, /\r?\n0,emp_.*,Created,/)
  t.match(csv, /\r?\n1,,.*,Failed,/)
  const failed = (await service.admin(`/bulk-user-logs/${body.log_id}/failed-records.json`)).body
  t.strictSame(failed, { employees: [gone] })
  t.match((await service.admin('/bulk-user-logs/failed-records.csv?status=Completed')).body, /ONLY-REFUSED/)
})

await t.test('both verifiers accept the ledger, and notice a partial call whose counts were changed', async (t) => {
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
  const { body: lines } = await service.audit('/events?format=proof&limit=10000')
  const bytes = Buffer.from((lines as object[]).map((line) => `${JSON.stringify(line)}\n`).join(''))
  const { body: checkpoint } = await service.audit('/checkpoint')
  const given = { bytes, checkpoints: Buffer.from(checkpoint.note), publicKey: checkpoint.public_key }
  t.match(await verifyHere(given), { verdict: 'consistent' })
  if (hasPython()) t.match(await verifyInPython([given]), [{ verdict: 'consistent' }])
  const at = (lines as { envelope: string }[]).findIndex(({ envelope }) => envelope.includes('"schema_version":3'))
  const changes: ((counts: Record<string, number>) => object)[] = [
    (counts) => ({ ...counts, failed: counts['failed']! - 1 }),
    (counts) => ({ ...counts, failed: counts['failed']! - 1, total: counts['total']! - 1 }),
    (counts) => ({ ...counts, failed: 0, no_updates: counts['failed']! }),
  ]
  for (const change of changes) {
    const line = (lines as { envelope: string; data: string; salt: string }[])[at]!
    const parsed = JSON.parse(line.data) as { counts: Record<string, number> }
    const data = canonicalJson({ ...parsed, counts: change(parsed.counts) })
    const data_hash = hash('sha256', Buffer.concat([Buffer.from(line.salt, 'hex'), Buffer.from(data)]), 'hex')
    const envelope = canonicalJson({ ...JSON.parse(line.envelope), data_hash })
    const changed = (lines as object[]).with(at, { envelope, data, salt: line.salt })
    const forged = {
      ...given,
      bytes: Buffer.from(changed.map((one) => `${JSON.stringify(one)}\n`).join('')),
      checkpoints: null,
    }
    const expected = { verdict: 'invalid', position: at + 1 }
    t.match(await verifyHere(forged), expected)
    if (hasPython()) t.match(await verifyInPython([forged]), [expected])
  }
})

async function events() {
  return (await service.audit('/events?limit=10000')).body as {
    type: string
    schema_version: number
    version: number
    index: number | null
    call_id: string
    data: unknown
  }[]
}

async function eventsOf(logId: string) {
  return { events: (await events()).filter(({ call_id: id }) => id === logId) }
}
