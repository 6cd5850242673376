import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { planUndo } from '../../../src/domain/calls/plan-undo.ts'
import { valueOf, type Employee } from '../../../src/domain/employees/employee.ts'
import { changesOf } from '../../../src/domain/employees/employee-history.ts'
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
const anyCall = fc.oneof(
  { weight: 3, arbitrary: anyUpdate.map((body) => ({ kind: 'update' as const, body })) },
  {
    weight: 1,
    arbitrary: fc
      .array(withManager(anyCreation), { minLength: 1, maxLength: 2 })
      .map((body) => ({ kind: 'create' as const, body })),
  },
)
const beginning = given(
  hired(1, { email: 'ana@example.com', job_title: 'Dev' }),
  hired(2, { email: 'bob@example.com', manager_id: emp(1) }),
  hired(3, { manager_id: emp(2), custom_attributes: { grade: 1 } }),
  hired(4),
  left(4),
)

let nextNumber = 101
const make = (company: Company, call: { kind: 'update' | 'create'; body: unknown }): CallDecision =>
  call.kind === 'update' ? company.update(call.body) : company.create(call.body, (nextNumber += 10))
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
const made = (calls: Parameters<typeof make>[1][]) => {
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
      const created = stateOf(changed).slice(stateOf(before).length)
      assert.deepEqual(restored, [...stateOf(before), ...created.map((one) => ({ ...one, status: 'inactive' }))])
      assert.deepEqual(
        undone.outcomes.flatMap(({ leftOut = [] }) => leftOut),
        [],
      )
    }),
  )
})

await t.test('an undo changes only what has the value that the call gave it, to the old one', async () => {
  fc.assert(
    fc.property(anyCall, fc.array(anyCall, { minLength: 1, maxLength: 4 }), (call, others) => {
      const { company, decisions } = made([call, ...others])
      const [first] = decisions as [CallDecision]
      const byCall = new Map(first.events.map((event) => [event.stream, {}] as const))
      for (const event of first.events) Object.assign(byCall.get(event.stream)!, changesOf(event))
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
      for (const one of all) assert.ok(isBelowNobodyTwice(one, restored.employees), 'a cycle')
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
