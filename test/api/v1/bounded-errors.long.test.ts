import { sql } from 'kysely'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { limitsOfCall } from '../../../src/bodies/json-body.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

/* Many errors and large records leave a small answer, small events and a true log. Bytes are measured, not time. */

const RECORD_BYTES = 65_536
/** The most that a refused record's errors, names and locator may add to its text. */
const BESIDE_BYTES = 8_000
const MIB = 1_048_576

const service = await startService(t)

interface StoredEvent {
  type: string
  bytes: number
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

/** The events of a call, with the size of each one's data. */
async function eventsOf({ db, company }: Service, logId: string): Promise<StoredEvent[]> {
  const { rows } = await sql<{ type: string; data: string }>`select type, data from events
    where company_id = ${toUuid(company.id)} and call_id = ${toUuid(logId)} order by position`.execute(db)
  return rows.map(({ type, data }) => ({ type, bytes: Buffer.byteLength(data), data: JSON.parse(data) }))
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** An object with this many unknown members. */
const wide = (members: number, more: Record<string, unknown> = {}) => ({
  ...more,
  ...Object.fromEntries(Array.from({ length: members }, (_, at) => [`x${at}`, 1])),
})

/**
 * The text of a record with this many unknown fields, each as short as possible. None has the name of a secret, as `pw`
 * is.
 */
function wideText(fields: number): string {
  const members = Array.from({ length: fields }, (_, at) => `"${at.toString(36).replaceAll('p', '_')}":1`)
  return `{"email":"Wide@example.com","external_id":"W-1",${members.join(',')}}`
}

await t.test('250,000 unknown fields get one error, a small answer and a truncated record', async (t) => {
  const body = wideText(250_000)
  const answer = await service.call('POST', '/v1/employees', { body })
  t.match(answer, {
    status: 422,
    body: { code: 'validation_failed', detail: '1 of 1 records has errors; nothing was applied' },
  })
  t.strictSame(answer.body.errors, [
    { index: 0, id: null, pointer: '', code: 'too_long', message: 'A record must have at most 128 members' },
  ])
  t.notOk('errors_omitted' in answer.body)
  t.ok(bytesOf(answer.body) < 1_000)

  const [rejected, closing, ...others] = await eventsOf(service, answer.body.log_id)
  t.match([rejected!.type, closing!.type, others.length], ['EmployeeRecordRejected', 'ApiCallFailed', 0])
  t.ok(rejected!.bytes > RECORD_BYTES / 2 && rejected!.bytes < RECORD_BYTES + BESIDE_BYTES, `${rejected!.bytes} bytes`)
  t.ok(body.startsWith(rejected!.data.record), 'as it was sent')
  t.strictSame(rejected!.data.truncated, true)

  const { entry, records: rows } = await service.logOf(answer.body.log_id)
  t.match(entry.counts, { total: 1, failed: 1 })
  t.match(rows, [{ index: 0, truncated: true, errors: [{ code: 'too_long', pointer: '' }], errors_omitted: 0 }])
  t.type(rows[0].record, 'string')
  const { body: csv } = await service.admin(`/bulk-user-logs/${answer.body.log_id}/records.csv`)
  const [head, row] = csv.split('\r\n')
  t.ok(head.includes('truncated'))
  t.match(row, /truncated/)
})

await t.test('a body of millions of tiny values is refused before it is parsed, and logged', async (t) => {
  const { maxValues } = limitsOfCall(service.config.MAX_RECORDS)
  for (const body of [`[${'{},'.repeat(2_000_000)}{}]`, `[${'0,'.repeat(4_000_000)}0]`]) {
    t.ok(body.length > 5 * MIB && body.length < 8 * MIB)
    const answer = await service.call('POST', '/v1/employees', { body })
    t.match(answer, {
      status: 400,
      body: { code: 'invalid_body', detail: `The body has more than ${maxValues} values` },
    })
    const events = await eventsOf(service, answer.body.log_id)
    t.strictSame(
      events.map(({ type }) => type),
      ['ApiCallFailed'],
    )
    t.match((await service.logOf(answer.body.log_id)).entry, { http_status: 400, counts: { total: 0, failed: 0 } })
  }
})

await t.test(
  'a record that is too large is refused whole, beside the errors of the others, without being parsed',
  async (t) => {
    const members = 'A record must have at most 128 members'
    const bytes = 'A record must have at most 1048576 bytes'
    const values = 'The members of a record must have at most 256 values'
    const attributes = 'An employee can have at most 32 custom attributes'
    const valid = JSON.stringify(employee())
    for (const [record, pointer, message] of [
      [wideText(300_000), '', members],
      // A name that occurs twice, or is escaped, is not looked for.
      [wideText(20_000).replace('"0":', '"email":'), '', members],
      [wideText(20_000).replace('"email"', String.raw`"\u0065mail"`), '', members],
      [`{"email":"Wide@example.com","external_id":"W-1","tags":[${'0,'.repeat(40_000)}0]}`, '/tags', values],
      [
        `{"custom_attributes":${wideText(20_000)},"external_id":"W-1","email":"Wide@example.com"}`,
        '/custom_attributes',
        attributes,
      ],
      [`{"location":"${'x'.repeat(MIB)}","email":"Wide@example.com","external_id":"W-1"}`, '', bytes],
    ] as const) {
      const answer = await service.call('POST', '/v1/employees', {
        body: `{"employees":[${valid},${record},{"phone":1}]}`,
      })
      t.equal(answer.status, 422)
      t.strictSame(answer.body.errors.slice(0, 2), [
        { index: 1, id: null, pointer: `/employees/1${pointer}`, code: 'too_long', message },
        { index: 2, id: null, pointer: '/employees/2/phone', code: 'invalid_type', message: 'phone must be a string' },
      ])
      const [rejected] = await eventsOf(service, answer.body.log_id)
      t.match(rejected, { data: { truncated: true, names: { external_id: 'W-1', email: 'wide@example.com' } } })
      t.ok(rejected!.bytes < RECORD_BYTES + BESIDE_BYTES && record.startsWith(rejected!.data.record))
    }
  },
)

await t.test('the syntax of a record that is too large is checked all the same', async (t) => {
  for (const end of ['', ',}', '}}', ',"a":tru}']) {
    const body = `{"employees":[${wideText(20_000).slice(0, -1)}${end}]}`
    const at = body.length - (end === '' ? 2 : 3)
    const { status, body: answer } = await service.call('POST', '/v1/employees', { body })
    t.match(
      { status, ...answer },
      { status: 400, code: 'malformed_json', detail: `The body is not valid JSON at character ${at}` },
    )
  }
})

await t.test('of a list that is too long, the records are counted and not parsed', async (t) => {
  const body = `[${'{},'.repeat(100_000)}{}]`
  const answer = await service.call('POST', '/v1/employees', { body })
  t.match(answer, { status: 413, body: { code: 'batch_too_large' } })
  t.match((await service.logOf(answer.body.log_id)).entry.counts, { total: 100_001, failed: 100_001 })
})

await t.test('a truncated record is found by its e-mail or external id, and can be erased', async (t) => {
  const filler = { ...employee({ email: 'Far.Behind@example.com', external_id: 'FB-1' }), phone: 'x' }
  for (const order of [
    { ...filler, location: 'x'.repeat(100_000) },
    { location: 'x'.repeat(100_000), ...filler },
  ]) {
    const { body } = await service.call('POST', '/v1/employees', { body: order })
    await service.project()
    for (const name of ['far.behind@example.com', 'FB-1']) {
      const found = await service.admin(`/bulk-user-logs?employee=${name}`)
      t.ok(
        found.body.items.some(({ id }: { id: string }) => id === body.log_id),
        name,
      )
    }
  }
  const erased = await service.manage('POST', '/erasures', { email: 'far.behind@example.com' })
  t.equal(erased.status < 300, true, JSON.stringify(erased.body))
  const { rows } = await sql<{
    count: number
  }>`select count(*)::int as count from events where company_id = ${toUuid(service.company.id)}
    and (data ilike '%far.behind%' or data like '%FB-1%')`.execute(service.db)
  t.strictSame(rows, [{ count: 0 }])
})

await t.test('the answer and the log list 16 errors of a record and count the rest', async (t) => {
  const answer = await service.call('POST', '/v1/employees', { body: [employee(), wide(100, employee())] })
  t.match(answer, {
    status: 422,
    body: { detail: '1 of 2 records has errors; nothing was applied', errors_omitted: 84 },
  })
  t.strictSame(
    answer.body.errors.map(({ index }: { index: number }) => index),
    Array.from({ length: 16 }, () => 1),
  )
  const { entry, records: rows } = await service.logOf(answer.body.log_id)
  t.match(entry.counts, { total: 2, failed: 1 })
  t.match(rows, [{ index: 1, truncated: false, errors_omitted: 84 }])
  t.strictSame(
    rows[0].errors.map(({ pointer }: { pointer: string }) => pointer),
    answer.body.errors.map(({ pointer }: { pointer: string }) => pointer),
  )
})

await t.test('the answer lists at most 1,000 errors, the log those of every record', async (t) => {
  const body = {
    employees: Array.from({ length: 1_000 }, (_, at) => wide(at === 999 ? 1 : 120, { email: `w${at}@example.com` })),
  }
  const answer = await service.call('POST', '/v1/employees', { body })
  // Each record also lacks a name.
  const found = 999 * 121 + 2
  t.match(answer, {
    status: 422,
    body: { detail: '1000 of 1000 records have errors; nothing was applied', errors_omitted: found - 1_000 },
  })
  t.equal(answer.body.errors.length, 1_000)
  t.ok(bytesOf(answer.body) < 200_000)
  const events = await eventsOf(service, answer.body.log_id)
  t.equal(events.length, 1_001)
  const rejected = events.slice(0, -1)
  t.strictSame(
    rejected.map(({ data }) => data.errors.length),
    [...Array.from({ length: 999 }, () => 16), 2],
  )
  t.strictSame(
    rejected.map(({ data }) => data.errors_omitted),
    [...Array.from({ length: 999 }, () => 105), undefined],
  )
  t.match((await service.logOf(answer.body.log_id)).entry.counts, { total: 1_000, failed: 1_000 })
})

await t.test('up to 128 members and 256 custom attributes are checked one by one', async (t) => {
  const codes = async (record: Record<string, unknown>) => {
    const { body } = await service.call('POST', '/v1/employees', { body: record })
    return [
      ...new Set(
        body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer.slice(0, 2)} ${code}`),
      ),
    ]
  }
  const base = Object.keys(employee()).length
  t.strictSame(await codes(wide(128 - base, employee())), ['/x unknown_field'])
  t.strictSame(await codes(wide(129 - base, employee())), [' too_long'])
  const custom = async (members: number) => {
    const { body } = await service.call('POST', '/v1/employees', {
      body: employee({ custom_attributes: wide(members) }),
    })
    return body.errors.map(({ pointer, message }: { pointer: string; message: string }) => `${pointer} ${message}`)
  }
  t.strictSame(await custom(256), ['/custom_attributes An employee can have at most 32 custom attributes'])
  t.strictSame(await custom(257), ['/custom_attributes An employee can have at most 32 custom attributes'])
})

await t.test('a patch with 130,000 custom attributes gets 422, and concurrent calls succeed', async (t) => {
  const { body: created } = await service.call('POST', '/v1/employees', { body: employee() })
  const path = `/v1/employees/${created.employees[0].id}`
  const members = Object.fromEntries(Array.from({ length: 130_000 }, (_, at) => [`a${at}`, at]))
  const [refused, ...others] = await Promise.all([
    service.call('PATCH', path, { body: { custom_attributes: members } }),
    ...Array.from({ length: 5 }, () => service.call('POST', '/v1/employees', { body: employee() })),
  ])
  t.match(refused, {
    status: 422,
    body: { errors: [{ pointer: '/custom_attributes', code: 'too_long', id: created.employees[0].id }] },
  })
  t.strictSame(
    others.map(({ status }) => status),
    [201, 201, 201, 201, 201],
  )
})

await t.test('a name of megabytes is neither returned in a pointer nor kept as a locator', async (t) => {
  const long = 'n'.repeat(2 * MIB)
  const bodies = [
    [{ email: 'n@example.com', [long]: 1 }],
    [{ id: long, phone: 'x' }],
    [{ email: `${long}@example.com`, phone: 'x' }],
    [{ id: 'emp_1', custom_attributes: { [long]: 1 } }],
  ]
  for (const body of bodies) {
    const answer = await service.call('PATCH', '/v1/employees', { body })
    t.equal(answer.status, 422)
    t.ok(bytesOf(answer.body) < 2_000)
    t.ok(answer.body.errors.every(({ pointer }: { pointer: string }) => /^\/0(?:\/\w{1,20})?$/.test(pointer)))
    const [rejected] = await eventsOf(service, answer.body.log_id)
    t.ok(rejected!.bytes < RECORD_BYTES + BESIDE_BYTES, `${rejected!.bytes} bytes`)
  }
})

await t.test('a large record is also truncated if the whole call is refused', async (t) => {
  const { body: created } = await service.call('POST', '/v1/employees', { body: employee() })
  const path = `/v1/employees/${created.employees[0].id}`
  for (const [body, headers] of [
    [{ location: '"\\é🙂'.repeat(200_000) }, { 'if-match': '"7"' }],
    [['x'.repeat(MIB)], {}],
  ] as const) {
    const answer = await service.call('PATCH', path, { body, headers })
    t.ok([400, 412].includes(answer.status))
    const [rejected] = await eventsOf(service, answer.body.log_id)
    t.ok(rejected!.data.truncated && rejected!.bytes < RECORD_BYTES + BESIDE_BYTES, `${rejected!.bytes} bytes`)
    t.ok(rejected!.data.record.isWellFormed() && !rejected!.data.record.includes('\ufffd'))
  }
})
