import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import type { GivenEvent } from '../../support/domain/given-when-then.ts'
import { BEFORE, companyOf, emp, fold, hired, NOW, person } from '../../support/domain/given-when-then.ts'

const partly = (...events: GivenEvent[]) => companyOf(fold(events, BEFORE), { isAllOrNone: false })
const whole = (...events: GivenEvent[]) => companyOf(fold(events, BEFORE))

/** The records that were refused, as index, pointer and code. */
const refusalsOf = ({ refusals }: CallDecision) =>
  refusals.flatMap(({ errors }) => errors.map(({ index, pointer, code }) => `${index} ${pointer} ${code}`))
const appliedBy = ({ outcomes }: CallDecision) => outcomes.map(({ index }) => index)

await t.test('every record that can be applied is, and the others are refused as they would have been', async (t) => {
  const body = [person(1), person(2, { phone: 'x' }), person(3), person(1)]
  const decision = partly(hired(9)).create([...body, person(9)])
  t.strictSame(appliedBy(decision), [2])
  t.strictSame(decision.counts, { total: 5, updated: 0, deactivated: 0, failed: 4, no_updates: 0 })
  t.strictSame(refusalsOf(decision), [
    '0 /0/email duplicate_in_batch',
    '1 /1/phone invalid_format',
    '3 /3/email duplicate_in_batch',
    '4 /4/email already_exists',
  ])
  t.strictSame(
    decision.refusals.flatMap(({ errors }) => errors),
    whole(hired(9)).create([...body, person(9)]).problem!.errors,
  )
  t.strictSame(
    decision.events.map(({ type, version }) => `${type} ${version}`),
    [
      ...[1, 2].map((version) => `EmployeeRecordRejected ${version}`),
      'EmployeeCreated 1',
      ...[3, 4].map((version) => `EmployeeRecordRejected ${version}`),
      'ApiCallCompleted 5',
    ],
  )
})

await t.test('a call of which nothing can be applied is refused as a whole', async (t) => {
  const body = [person(1, { phone: 'x' }), person(2, { status: 'gone' })]
  t.strictSame(partly().create(body), whole().create(body))
})

await t.test('a record that needs a refused one is refused and says which, down the whole line', async (t) => {
  const line = [
    person(1, { phone: 'x' }),
    ...[2, 3, 4].map((number) => person(number, { manager_email: `p${number - 1}@example.com` })),
    person(5),
  ]
  const decision = partly().create(line)
  t.strictSame(appliedBy(decision), [4])
  t.match(decision.refusals[3], {
    errors: [{ pointer: '/3/manager_email', code: 'manager_not_found', message: /Record 3 of the call.* is refused/ }],
  })
})

await t.test('of a swap of addresses, both are refused, and a value that is not given up stays taken', async (t) => {
  const company = partly(hired(1), hired(2), hired(3))
  const decision = company.update([
    { id: emp(1), email: 'p2@example.com' },
    { id: emp(2), email: 'p1@example.com', phone: 'x' },
    { id: emp(3), job_title: 'Dev' },
  ])
  t.strictSame(appliedBy(decision), [2])
  t.strictSame(refusalsOf(decision), ['0 /0/email already_exists', '1 /1/phone invalid_format'])
})

await t.test('a record that needs one of several is applied as long as one of them is', async (t) => {
  const company = partly(hired(1), hired(2), hired(3))
  const renamed = { id: emp(1), email: 'new@example.com' }
  const report = { id: emp(2), manager_email: 'new@example.com' }
  const decision = company.update([renamed, report, { ...renamed, phone: 'x' }, { id: emp(3), phone: 'x' }])
  t.strictSame(appliedBy(decision), [0, 1])
  const none = company.update([
    { ...renamed, phone: 'x' },
    report,
    { ...renamed, first_name: 'x'.repeat(81) },
    { id: emp(3), phone: '+34600123456' },
  ])
  t.strictSame(appliedBy(none), [3])
  t.match(none.refusals[1]!.errors, [{ pointer: '/1/manager_email', code: 'manager_not_found' }])
})

await t.test('a refused record does not say that it needs one that is applied', async (t) => {
  const renamed = { id: emp(1), email: 'new@example.com' }
  const needing = { id: emp(2), manager_email: 'new@example.com', email: 'p3@example.com' }
  const decision = partly(hired(1), hired(2), hired(3)).update([
    renamed,
    needing,
    { ...renamed, phone: 'x' },
    { id: emp(3), email: 'p4@example.com', phone: 'x' },
  ])
  t.strictSame(appliedBy(decision), [0])
  t.strictSame(refusalsOf(decision), [
    '1 /1/email already_exists',
    '2 /2/phone invalid_format',
    '2 /2/id duplicate_in_batch',
    '2 /2/email duplicate_in_batch',
    '3 /3/phone invalid_format',
  ])
})

await t.test('what only a refused record stands in the way of is applied', async (t) => {
  const decision = partly().create([person(1, { phone: 'x' }), person(1)])
  t.strictSame(appliedBy(decision), [1])
})

await t.test('a cycle that appears because a record is refused is refused, too', async (t) => {
  const company = partly(hired(1), hired(2, { manager_id: emp(1) }))
  const decision = company.update([
    { id: emp(1), manager_id: emp(2) },
    { id: emp(2), manager_id: null, phone: 'x' },
  ])
  t.equal(decision.problem?.code, 'validation_failed')
  t.strictSame(decision.outcomes, [])
})

await t.test(
  'of two records about one employee, one that is faulty alone does not keep the other from being applied',
  async (t) => {
    const company = partly(hired(1))
    const records = [
      { id: emp(1), job_title: 'Dev' },
      { email: 'p1@example.com', phone: 'x' },
    ]
    t.strictSame(appliedBy(company.update(records)), [0])
    t.strictSame(appliedBy(company.update([records[0]!, { email: 'p1@example.com', job_title: 'Ops' }])), [])
  },
)

/** Each of a company's first people reports to the next one, and a call turns the line around, its first record refused. */
function turnLine(length: number) {
  const line = Array.from({ length }, (_, at) => at + 1)
  const hiredInLine = line.map((number) => hired(number, number < length ? { manager_id: emp(number + 1) } : {}))
  const [first, ...turned] = line.map((number) => ({
    id: emp(number),
    manager_id: number === 1 ? null : emp(number - 1),
  }))
  const records = [{ ...first, phone: 'x' }, ...turned, { id: emp(length + 1), job_title: 'Dev' }]
  return partly(...hiredInLine, hired(length + 1)).update(records)
}

await t.test('refusals that make others wrong are followed down a whole line', async (t) => {
  const decision = turnLine(40)
  t.strictSame(appliedBy(decision), [40])
  t.strictSame(refusalsOf(decision), [
    '0 /0/phone invalid_format',
    ...Array.from({ length: 39 }, (_, at) => `${at + 1} /${at + 1}/manager_id manager_cycle`),
  ])
})

await t.test(
  'of a line too long to follow, the rest of the new managers are refused, and all others applied',
  async (t) => {
    const decision = turnLine(600)
    t.strictSame(appliedBy(decision), [600])
    const codes = decision.refusals.map(({ errors }) => errors.map(({ code }) => code).join())
    const [followed, rest] = [codes.indexOf('invalid_value'), codes.slice(codes.indexOf('invalid_value'))]
    t.ok(followed > 50, `${followed} records are followed`)
    t.strictSame([...new Set(codes.slice(1, followed))], ['manager_cycle'])
    t.strictSame([...new Set(rest)], ['invalid_value'])
  },
)

/* Any records, of few people, so that they collide, refer to one another, swap what they have, and are wrong. */
const anyNumber = fc.integer({ min: 1, max: 6 })
const anyRecord = fc.record(
  {
    /** Only an update can name the employee by id. */
    of: fc.option(anyNumber),
    email: anyNumber.map((number) => `p${number}@example.com`),
    external_id: fc.constantFrom('E-1', 'E-2', 'E-3', null),
    manager_email: fc.option(fc.integer({ min: 1, max: 8 }).map((number) => `p${number}@example.com`)),
    manager_external_id: fc.constantFrom('E-1', 'E-2', null),
    phone: fc.constantFrom('+34600123456', 'x', null),
    first_name: fc.constantFrom('Ana', 'Bo', 'x'.repeat(81)),
    status: fc.constantFrom('active', 'inactive'),
  },
  { requiredKeys: ['email'] },
)
const anyCall = fc
  .record({
    operation: fc.constantFrom('create', 'update', 'upsert'),
    people: fc.uniqueArray(anyNumber, { maxLength: 5 }),
    reports: fc.boolean(),
    records: fc.array(anyRecord, { minLength: 1, maxLength: 8 }),
  })
  .map(({ operation, people, reports, records }) => ({
    operation: operation as 'create',
    before: fold(
      people.map((number, at) =>
        hired(number, {
          external_id: `E-${number}`,
          ...(reports && at > 0 ? { manager_id: emp(people[at - 1]!) } : {}),
        }),
      ),
      BEFORE,
    ),
    records: records.map(({ of, ...record }) => (operation === 'update' && of ? { id: emp(of), ...record } : record)),
  }))

const stateAfter = (before: ReadonlyMap<string, Employee>, { events }: CallDecision) =>
  [...fold(events, NOW, before).values()].map((employee) => ({ ...employee, id: null, manager_id: null }))
/** A creation that could have applied less is answered with 200, which its closing event says. */
const withoutStatus = (decision: CallDecision) => ({
  ...decision,
  events: decision.events.map((event) => {
    if (event.type !== 'ApiCallCompleted') return event
    const { http_status: _, ...data } = event.data
    return { ...event, data }
  }),
})
const sorted = (employees: object[]) => employees.map((one) => JSON.stringify(one)).toSorted()

await t.test('the rest of a partial call, sent alone, is applied whole and leads to the same state', async () => {
  fc.assert(
    fc.property(anyCall, ({ operation: call, before, records }) => {
      const decision = companyOf(before, { isAllOrNone: false })[call](records)
      const all = companyOf(before)[call](records)
      if (decision.problem) return assert.deepEqual(decision, all)
      if (!all.problem) return assert.deepEqual(withoutStatus(decision), all)
      const rest = records.filter((_, index) => decision.outcomes.some((outcome) => outcome.index === index))
      const alone = companyOf(before)[call](rest)
      assert.equal(alone.problem, null)
      assert.deepEqual(sorted(stateAfter(before, decision)), sorted(stateAfter(before, alone)))
      assert.equal(decision.outcomes.length + decision.refusals.length, records.length)
    }),
    { numRuns: 500 },
  )
})

await t.test('the order of the records changes neither the state nor the results', async () => {
  const anyOrder = anyCall.chain((call) =>
    fc.record({
      call: fc.constant(call),
      order: fc.shuffledSubarray(
        call.records.map((_, index) => index),
        { minLength: call.records.length },
      ),
    }),
  )
  fc.assert(
    fc.property(anyOrder, ({ call: { operation, before, records }, order }) => {
      const decide = (some: object[]) => companyOf(before, { isAllOrNone: false })[operation](some)
      const [one, other] = [decide(records), decide(order.map((index) => records[index]!))]
      assert.deepEqual(sorted(stateAfter(before, one)), sorted(stateAfter(before, other)))
      const codes = ({ refusals }: CallDecision, at: (index: number) => number) =>
        refusals
          .map(
            ({ index, errors }) =>
              `${at(index)} ${errors
                .map(({ code, pointer }) => pointer.split('/').at(-1) + code)
                .toSorted()
                .join()}`,
          )
          .toSorted()
      assert.deepEqual(
        codes(one, (index) => index),
        codes(other, (index) => order[index]!),
      )
    }),
    { numRuns: 500 },
  )
})
