import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import { LoadedEmployees } from '../../../src/ledger/append/employee-index.ts'
import { BEFORE, emp, fold, hired } from '../../support/domain/given-when-then.ts'

function employee(number: number, more: Partial<Employee> = {}): Employee {
  const created = fold([hired(number)], BEFORE).get(emp(number))!
  return { ...created, ...more }
}

await t.test('only loaded employees are found by id, e-mail and external id', async (t) => {
  const ana = employee(1, { external_id: 'E-1' })
  const loaded = new LoadedEmployees([ana])
  t.equal(loaded.byId(emp(1)), ana)
  t.equal(loaded.byEmail('p1@example.com'), ana)
  t.equal(loaded.byExternalId('E-1'), ana)
  t.equal(loaded.byId(emp(2)), undefined)
  t.equal(loaded.byEmail('P1@example.com'), undefined)
  t.equal(loaded.byExternalId('e-1'), undefined)
})

await t.test('the look-ups work without their object', async (t) => {
  const { byId, byEmail, byExternalId } = new LoadedEmployees([employee(1, { external_id: 'E-1' })])
  t.ok(byId(emp(1)) && byEmail('p1@example.com') && byExternalId('E-1'))
})

await t.test('an employee loaded twice is one employee', async (t) => {
  const loaded = new LoadedEmployees([employee(1), employee(1)])
  loaded.change(employee(1, { email: 'new@example.com' }))
  t.equal(loaded.changes().moved.length, 1)
})

await t.test('the next call sees the changes of the previous one', async (t) => {
  const loaded = new LoadedEmployees([employee(1, { external_id: 'E-1' })])
  const moved = employee(1, { email: 'new@example.com', external_id: null, version: 2 })
  loaded.change(moved)
  t.equal(loaded.byId(emp(1)), moved)
  t.equal(loaded.byEmail('new@example.com'), moved)
  t.equal(loaded.byEmail('p1@example.com'), undefined, 'the e-mail is free')
  t.equal(loaded.byExternalId('E-1'), undefined, 'the external id is free')
  const heir = employee(2, { email: 'p1@example.com', external_id: 'E-1' })
  loaded.change(heir)
  t.equal(loaded.byEmail('p1@example.com'), heir)
  t.equal(loaded.byExternalId('E-1'), heir)
})

await t.test('the directory gets new employees and changed e-mails, external ids and managers', async (t) => {
  const stored = [1, 2, 3, 4, 5].map((number) => employee(number, { external_id: `E-${number}` }))
  const loaded = new LoadedEmployees(stored)
  const moved = [
    employee(1, { external_id: 'E-1', email: 'new@example.com', version: 3 }),
    employee(2, { external_id: null, version: 2 }),
    employee(3, { external_id: 'E-3', manager_id: emp(1), version: 2 }),
  ]
  loaded.change(employee(1, { external_id: 'E-9', version: 2 }))
  for (const state of moved) loaded.change(state)
  loaded.change(employee(4, { external_id: 'E-4', job_title: 'Engineer', version: 2 }))
  for (const version of [1, 2]) loaded.change(employee(6, { version }))
  t.strictSame(loaded.changes(), { moved, inserted: [employee(6, { version: 2 })] })
})

await t.test('values that change back are not written', async (t) => {
  const loaded = new LoadedEmployees([employee(1)])
  loaded.change(employee(1, { email: 'new@example.com', version: 2 }))
  loaded.change(employee(1, { version: 3 }))
  t.strictSame(loaded.changes(), { moved: [], inserted: [] })
})

/** Employees with unique e-mails and external ids, as after a call. */
const anyState = fc
  .tuple(
    fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 3, maxLength: 3 }),
    fc.shuffledSubarray(['x', 'y', 'z', null, null]),
  )
  .map(([emails, externalIds]) =>
    emails.map((email, at) =>
      employee(at + 1, { email: `${email}@example.com`, external_id: externalIds[at] ?? null }),
    ),
  )

await t.test('however values move between employees, each finds its current holder', async () => {
  fc.assert(
    fc.property(
      fc.array(anyState, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.boolean()),
      (states, flips) => {
        const loaded = new LoadedEmployees(states[0])
        for (const state of states) {
          for (const one of flips.next().value ? state : state.toReversed()) loaded.change(one)
          for (const name of ['a', 'b', 'c', 'd', 'e']) {
            const email = `${name}@example.com`
            assert.equal(
              loaded.byEmail(email),
              state.find((one) => one.email === email),
            )
          }
          for (const externalId of ['x', 'y', 'z']) {
            assert.equal(
              loaded.byExternalId(externalId),
              state.find((one) => one.external_id === externalId),
            )
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})
