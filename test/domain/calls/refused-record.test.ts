import t from 'tap'
import { emptyNames } from '../../../src/domain/erasure.ts'
import { mentionsPerson } from '../../support/domain/names-person.ts'
import { keepLocator, keepRecord, MAX_RECORD_BYTES } from '../../../src/domain/calls/refused-record.ts'
import { TOO_MANY_BYTES, UnreadRecord } from '../../../src/domain/calls/call-records.ts'
import { emp, given, hired, person } from '../../support/domain/given-when-then.ts'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const filled = (unit: string, bytes: number) => ({ location: unit.repeat(bytes / Buffer.byteLength(unit)) })

await t.test('a record is kept whole up to the limit in bytes, and truncated one byte beyond', async (t) => {
  const room = MAX_RECORD_BYTES - bytesOf({ location: '' })
  const fits = { location: 'x'.repeat(room) }
  t.strictSame(keepRecord(fits), { record: fits })
  t.match(keepRecord({ location: 'x'.repeat(room + 1) }), { truncated: true, record: /^\{"location":"x+$/ })
  t.match(keepRecord({ location: 'é'.repeat(room / 2 + 1) }), { truncated: true }, 'it counts bytes, not characters')
  for (const sent of [null, 'x', 7, []]) t.strictSame(keepRecord(sent), { record: sent })
})

await t.test('a truncated text ends with a whole character, and fits when it is escaped again', async (t) => {
  for (const unit of ['🙂', 'é', '"', '\\', '\n', 'a🙂"', '\u2028']) {
    for (const start of ['', 'a', 'ab', 'abc']) {
      const sent = { location: start + unit.repeat(70_000) }
      const { record } = keepRecord(sent)
      t.ok(
        bytesOf(record) <= MAX_RECORD_BYTES && bytesOf(record) > MAX_RECORD_BYTES - 3_000,
        `${bytesOf(record)} bytes of ${unit}`,
      )
      t.ok(JSON.stringify(sent).startsWith(record as string))
      t.ok((record as string).isWellFormed())
    }
  }
})

await t.test('the beginning of a record that was not parsed fits, also if it is padded with white space', (t) => {
  for (const space of [' ', '\n', '\t', '\r\n']) {
    const text = `{${space.repeat(70_000)}`
    const { record } = keepRecord(new UnreadRecord(text, {}, TOO_MANY_BYTES))
    t.ok(bytesOf(record) <= MAX_RECORD_BYTES, `${bytesOf(record)} bytes of ${JSON.stringify(space)}`)
    t.ok(text.startsWith(record as string))
  }
  t.end()
})

await t.test('an e-mail address at the cut is left out entirely', async (t) => {
  for (let at = -20; at <= 2; at += 1) {
    const before = 'x '.repeat((MAX_RECORD_BYTES + at) / 2)
    const { record } = keepRecord({ location: `${before}ana.perez@example.com ${'y '.repeat(1_000)}` })
    t.match(record, /(?: x| ana\.perez@example\.com|y)[ ]$/)
  }
})

await t.test('the names of a truncated record are kept where they are searched for', async (t) => {
  const long = 'x'.repeat(100_000)
  const { names } = keepRecord({
    location: long,
    id: 7,
    email: ' Ana@EXAMPLE.com',
    external_id: long,
    manager_id: emp(1),
    manager_email: null,
    manager_external_id: ['x'],
  })
  t.strictSame(names, { id: 7, email: 'ana@example.com', manager_id: emp(1) })
  t.strictSame(keepLocator('id', long), null)
  t.strictSame(keepLocator('external_id', 'E-1'), { external_id: 'E-1' })
})

await t.test('a truncated record still mentions the people it names, wherever that was', async (t) => {
  const long = filled('x', 100_000)
  const rejected = (sent: unknown) => ({ locator: null, employee_id: null, errors: [], ...keepRecord(sent) })
  const names = { ...emptyNames(), emails: new Set(['ana@example.com']), externalIds: new Set(['E-1']) }
  for (const sent of [
    { email: 'ANA@example.com' },
    { external_id: 'E-1' },
    { manager_external_id: 'E-1' },
    { manager_email: 'ana@example.com' },
  ]) {
    t.ok(mentionsPerson(rejected({ ...long, ...sent }), names), JSON.stringify(sent))
  }
  for (const text of ['ask\nana@example.com', '"ana@example.com"', '\u0001ana@example.com\\']) {
    t.ok(mentionsPerson(rejected({ job_title: text, ...long }), names), JSON.stringify(text))
  }
  t.notOk(mentionsPerson(rejected({ email: 'joana@example.com', external_id: 'E-2', ...long }), names))
})

await t.test(
  'a wide record is refused with one error, even when its path or another one names its employee',
  async (t) => {
    const wide = Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`x${at}`, 1]))
    const error = { code: 'too_long', message: 'A record must have at most 128 members' }
    t.strictSame(given(hired(1)).updateOne(emp(1), wide).problem?.errors, [
      { index: 0, id: emp(1), pointer: '', ...error },
    ])
    const { problem, counts, events } = given(hired(1)).update([
      { ...wide, id: emp(1) },
      { id: emp(1), job_title: 'Lead' },
    ])
    t.strictSame(problem?.errors, [{ index: 0, id: null, pointer: '/0', ...error }])
    t.equal(counts.failed, 2)
    t.strictSame(
      events.map(({ type }) => type),
      ['EmployeeRecordRejected', 'ApiCallFailed'],
    )
  },
)

await t.test('conflicts beyond the listed errors do not make the call a 409', async (t) => {
  const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x${at}`, 1]))
  const { problem } = given(hired(1)).create([person(1), person(2, unknown)])
  t.match(problem, { status: 422, code: 'validation_failed', errors_omitted: 4 })
  t.strictSame(
    problem?.errors.map(({ index }) => index),
    [0, ...Array.from({ length: 16 }, () => 1)],
  )
})
