import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { planUndo } from '../../../src/domain/calls/plan-undo.ts'
import { valueOf, type Employee } from '../../../src/domain/employees/employee.ts'
import { changesOf } from '../../../src/domain/employees/employee-history.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import { readDeletion, readPatch, readWholeUser } from '../../../src/domain/scim/scim-command.ts'
import { anyCreation, anyPatch } from '../../support/domain/arbitraries.ts'
import { companyOf, emp, fold, given, hired, left, NOW } from '../../support/domain/given-when-then.ts'

/* Random calls over a few people with few values, so that they collide, and undos of them. */

type Company = ReturnType<typeof companyOf>

const anyManager = fc.option(fc.constantFrom(emp(1), emp(2), emp(3), emp(4)))
const withManager = (records: fc.Arbitrary<Record<string, unknown>>) =>
  fc
    .tuple(records, fc.boolean(), anyManager)
    .map(([sent, isSet, manager]) => (isSet ? { ...sent, manager_id: manager } : sent))
const anyUpdate = fc
  .uniqueArray(fc.constantFrom(1, 2, 3, 4), { minLength: 1 })
  .chain((numbers) =>
    fc.tuple(...numbers.map((number) => withManager(anyPatch).map((sent) => ({ id: emp(number), ...sent })))),
  )
/** What an identity provider sends about a user: a creation, a replacement, a patch, or, without a body, a deletion. */
const anyUser = fc.record(
  {
    userName: fc.constantFrom('ana', 'bob', 'zoe'),
    emails: fc.constantFrom('ana@example.com', 'p3@example.com', 'zoe@example.com').map((value) => [{ value }]),
    name: fc.constant({ givenName: 'Zoe', familyName: 'Orr' }),
    title: fc.constantFrom('Lead', ''),
    active: fc.boolean(),
    externalId: fc.constantFrom('d-1', 'd-2'),
  },
  { requiredKeys: ['userName', 'name'] },
)
const anyOperations = fc.array(
  fc.constantFrom(
    { op: 'replace', path: 'active', value: true },
    { op: 'replace', path: 'active', value: 'False' },
    { op: 'add', path: 'title', value: 'Lead' },
    { op: 'remove', path: 'title' },
    { op: 'replace', path: 'userName', value: 'zoe' },
  ),
  { minLength: 1, maxLength: 2 },
)
const anyId = fc.constantFrom(1, 2, 3, 4).map(emp)
const ofKind = <const Kind extends string, Body>(kind: Kind, bodies: fc.Arbitrary<Body>) =>
  bodies.map((body) => ({ kind, body }))
const anyCall = fc.oneof(
  { weight: 3, arbitrary: ofKind('update', anyUpdate) },
  ofKind('create', fc.array(withManager(anyCreation), { minLength: 1, maxLength: 2 })),
  ofKind('upsert', fc.array(anyCreation, { minLength: 1, maxLength: 2 })),
  ofKind('one', fc.tuple(anyId, withManager(anyPatch))),
  ofKind('post', anyUser),
  ofKind('put', fc.tuple(anyId, anyUser)),
  ofKind('patch', fc.tuple(anyId, anyOperations)),
  { weight: 2, arbitrary: ofKind('delete', anyId) },
)
type Call = typeof anyCall extends fc.Arbitrary<infer Any> ? Any : never
const beginning = given(
  hired(1, { email: 'ana@example.com', job_title: 'Dev' }),
  hired(2, { email: 'bob@example.com', user_name: 'bob', manager_id: emp(1) }),
  hired(3, { manager_id: emp(2), custom_attributes: { grade: 1 } }),
  hired(4),
  left(4),
)

const NONE = { ifMatch: undefined, ifNoneMatch: undefined }
let nextNumber = 101
function make(company: Company, call: Call): CallDecision {
  nextNumber += 10
  const first = nextNumber
  const about = (id: string | null) => ({ id, preconditions: NONE, newId: () => emp(first) })
  switch (call.kind) {
    case 'update':
      return company.update(call.body)
    case 'create':
      return company.create(call.body, first)
    case 'upsert':
      return company.upsert(call.body, first)
    case 'one':
      return company.updateOne(...call.body)
    case 'post':
      return company.provide(doAtOnce(readWholeUser(call.body, about(null))))
    case 'put':
      return company.provide(doAtOnce(readWholeUser(call.body[1], about(call.body[0]))))
    case 'patch':
      return company.provide(doAtOnce(readPatch({ Operations: call.body[1] }, about(call.body[0]))))
    case 'delete':
      return company.provide(readDeletion({ ...about(null), id: call.body }))
  }
}
const after = (company: Company, { events }: CallDecision) =>
  companyOf(fold(events, NOW, company.employees), { isAllOrNone: false })
const undo = (company: Company, { events }: CallDecision) =>
  company.apply(
    [...planUndo(events)].map((record) => ({ ...record, leavesOut: true as const })),
    'undo',
  )
const partly = companyOf(beginning.employees, { isAllOrNone: false })
const stateOf = ({ employees }: Company) =>
  [...employees.values()].map(({ version: _version, updated_at: _at, deactivated_at: _gone, ...rest }) => rest)
type State = ReturnType<typeof stateOf>[number]
const share = (one: State, other: State) =>
  (['email', 'external_id', 'user_name'] as const).some(
    (name) => one[name] !== null && one[name].toLowerCase() === other[name]?.toLowerCase(),
  )
const made = (calls: Call[]) => {
  let company = partly
  const decisions = calls.map((call) => {
    const decision = make(company, call)
    company = after(company, decision)
    return decision
  })
  return { company, decisions }
}

await t.test('undoing a call right after it gives the state before it; whom it created is inactive', async () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 3 }), anyCall, (calls, call) => {
      const { company: before } = made(calls)
      const decision = make(before, call)
      const changed = after(before, decision)
      const undone = undo(changed, decision)
      if (![...planUndo(decision.events)].length) return
      assert.equal(undone.problem, null)
      const restored = stateOf(after(changed, undone))
      const created = stateOf(changed).slice(before.employees.size)
      // Whoever was created with it keeps it.
      const isTaken = stateOf(before).some((one) => created.some((other) => share(one, other)))
      if (isTaken) return
      assert.deepEqual(restored, [...stateOf(before), ...created.map((one) => ({ ...one, status: 'inactive' }))])
      assert.deepEqual(
        undone.outcomes.flatMap(({ leftOut = [] }) => leftOut),
        [],
      )
      const again = after(after(changed, undone), undo(after(changed, undone), undone))
      assert.deepEqual(stateOf(again), stateOf(changed), 'undone again')
    }),
  )
})

await t.test('an undo changes only what has the value that the call gave it, to the old one', async () => {
  fc.assert(
    fc.property(anyCall, fc.array(anyCall, { minLength: 1, maxLength: 4 }), (call, others) => {
      const { company, decisions } = made([call, ...others])
      const [first] = decisions as [CallDecision]
      const byCall = new Map(first.events.map((event) => [event.stream, {}] as const))
      for (const event of first.events)
        Object.assign(byCall.get(event.stream)!, changesOf({ ...event, recorded_at: NOW }))
      for (const event of undo(company, first).events)
        for (const [name, { from, to }] of Object.entries(changesOf(event))) {
          const own = (byCall.get(event.stream) ?? {}) as ReturnType<typeof changesOf>
          if (own[name]) assert.deepEqual({ from, to }, { from: own[name].to, to: own[name].from })
          // Somebody whom the call created, and nobody has touched since.
          else assert.deepEqual([name, company.employees.get(event.stream)?.version], ['status', 1])
        }
    }),
  )
})

await t.test('the state after an undo obeys the rules, and an undo of it gives the state before it', async () => {
  fc.assert(
    fc.property(anyCall, fc.array(anyCall, { maxLength: 4 }), (call, others) => {
      const { company, decisions } = made([call, ...others])
      const undone = undo(company, decisions[0]!)
      if (undone.problem) return
      const restored = after(company, undone)
      const all = [...restored.employees.values()]
      for (const name of ['email', 'external_id'] as const) {
        const values = all.map((one) => one[name]).filter((value) => value !== null)
        assert.equal(new Set(values).size, values.length)
      }
      for (const one of all) {
        assert.ok(isBelowNobodyTwice(one, restored.employees), 'a cycle')
        assert.ok(one.deprovisioned_at === null || one.status === 'inactive', 'active and hidden')
      }
      if (![...planUndo(undone.events)].length) return
      assert.deepEqual(stateOf(after(restored, undo(restored, undone))), stateOf(company))
    }),
  )
})

function isBelowNobodyTwice(employee: Employee, employees: ReadonlyMap<string, Employee>): boolean {
  const seen = new Set<string>()
  for (let id: string | null = employee.id; id !== null;) {
    if (seen.has(id)) return false
    seen.add(id)
    const one: Employee | undefined = employees.get(id)
    id = one === undefined ? null : (valueOf(one, 'manager_id') as string | null)
  }
  return true
}
