import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { planUndo } from '../../../src/domain/calls/plan-undo.ts'
import { readDeletion } from '../../../src/domain/scim/scim-command.ts'
import type { NewEvent } from '../../../src/domain/events.ts'
import {
  companyOf,
  emp,
  faultsOf,
  fold,
  given,
  hired,
  left,
  NOW,
  person,
} from '../../support/domain/given-when-then.ts'

type Company = ReturnType<typeof companyOf>

/** The company after a call. */
const after = (company: Company, { events }: Pick<CallDecision, 'events'>) =>
  companyOf(fold(events, NOW, company.employees), { isAllOrNone: false })
const undo = (company: Company, events: readonly NewEvent[]) =>
  company.apply([...planUndo(events)].map((record) => ({ ...record, leavesOut: true })))
const stateOf = ({ employees }: Company) =>
  [...employees.values()].map(({ version: _version, updated_at: _at, deactivated_at: _gone, ...rest }) => rest)

await t.test('undoing a call right after it gives the state before it', async (t) => {
  const before = given(
    hired(1, { job_title: 'Dev', custom_attributes: { grade: 6, old: 'x' } }),
    hired(2, { manager_id: emp(1) }),
    hired(3),
    left(3),
  )
  const call = before.update([
    {
      id: emp(1),
      email: 'p2@example.com',
      job_title: null,
      custom_attributes: { grade: 'six', old: null, more: true },
    },
    { id: emp(2), email: 'p1@example.com', manager_id: null, status: 'inactive' },
    { id: emp(3), status: 'active', last_name: 'New' },
  ])
  const changed = after(before, call)
  const undone = undo(changed, call.events)
  t.strictSame(stateOf(after(changed, undone)), stateOf(before))
  t.strictSame(undone.counts, { total: 3, updated: 2, deactivated: 1, failed: 0, no_updates: 0 })
  t.strictSame(stateOf(after(after(changed, undone), undo(after(changed, undone), undone.events))), stateOf(changed))
})

await t.test('people whom the call created become inactive, unless something touched them later', async (t) => {
  const call = given().create([person(1), person(2), person(3, { status: 'inactive' })])
  const created = after(given(), call)
  const touched = after(created, created.update([{ id: emp(102), job_title: 'Dev' }]))
  const undone = undo(touched, call.events)
  t.strictSame(
    undone.outcomes.map(({ result, leftOut = [] }) => [result, leftOut.map(({ fault }) => fault.kind)]),
    [
      ['deactivated', []],
      ['no_updates', ['employee_changed']],
      ['no_updates', []],
    ],
  )
})

await t.test('what was changed later stays, and so does what somebody else holds by now', async (t) => {
  const before = given(hired(1, { job_title: 'Dev' }))
  const call = before.update([{ id: emp(1), email: 'new@example.com', job_title: 'Lead', location: 'Rome' }])
  const changed = after(before, call)
  const later = after(changed, changed.upsert([person(1), { id: emp(1), email: 'new@example.com', job_title: 'Boss' }]))
  const undone = undo(later, call.events)
  t.match(undone.outcomes, [
    {
      changed: ['location'],
      leftOut: [
        { path: ['job_title'], fault: { kind: 'changed_meanwhile' } },
        { path: ['email'], fault: { kind: 'held' } },
      ],
    },
  ])
})

await t.test('whom an identity provider deleted since stays inactive', (t) => {
  const before = given(hired(1))
  const call = before.update([{ id: emp(1), status: 'inactive' }])
  const changed = after(before, call)
  const preconditions = { ifMatch: undefined, ifNoneMatch: undefined }
  const later = after(changed, changed.provide(readDeletion({ id: emp(1), preconditions, newId: () => emp(101) })))
  t.match(undo(later, call.events).outcomes, [{ changed: [], leftOut: [{ path: ['status'] }] }])
  t.end()
})

await t.test('what was erased leaves a record that is refused', async (t) => {
  const call = given(hired(1)).update([{ id: emp(1), job_title: 'Lead' }])
  const erased = call.events.map((event) => (event.type === 'EmployeeUpdated' ? { ...event, data: null } : event))
  const decision = undo(given(), erased as never)
  t.strictSame(faultsOf(decision), ['/0/id employee_not_found'])
  t.match(decision.problem?.errors, [{ message: /erased/ }])
})

await t.test(
  'an undo of what is undone leaves nothing, also if the manager of that time was erased since',
  async (t) => {
    const before = given(hired(1), hired(2, { manager_id: emp(1) }))
    const call = before.update([{ id: emp(2), manager_id: null }])
    const restored = after(after(before, call), undo(after(before, call), call.events))
    const erased = new Map([...restored.employees].filter(([id]) => id !== emp(1)))
    t.match(undo(companyOf(erased, { isAllOrNone: false }), call.events).outcomes, [
      { result: 'no_updates', leftOut: undefined },
    ])
  },
)
