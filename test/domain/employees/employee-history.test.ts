import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { ATTRIBUTE_NAMES } from '../../../src/domain/attributes.ts'
import { normalizeEmail } from '../../../src/text/normalize-text.ts'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import { evolve, evolveStored } from '../../../src/domain/employees/employee.ts'
import type { NewEvent } from '../../../src/domain/events.ts'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { anyCreation, anyEmail, anyPatch, anyText, COUNTRY } from '../../support/domain/arbitraries.ts'
import { inputs } from '../../support/quick.ts'
import { BEFORE, companyOf, emp, fold, hired, isOfEmployee, NOW } from '../../support/domain/given-when-then.ts'

type Employees = ReadonlyMap<string, Employee>

/** A call to a company, built from the employees it has by then. */
type Step = (employees: Employees, at: number) => CallDecision

const anyCreateStep: fc.Arbitrary<Step> = fc
  .array(anyCreation, { minLength: 1, maxLength: 3 })
  .map(
    (records) => (employees, at) =>
      companyOf(employees, { country: COUNTRY }).create({ employees: records }, 101 + at * 10),
  )

const anyUpdateStep: fc.Arbitrary<Step> = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom('id', 'email', 'external_id'), anyPatch), { minLength: 1, maxLength: 4 })
  .map((records) => (employees) => {
    const all = [...employees.values()]
    const sent = records.map(([number, by, patch]) => {
      const named = all[number % Math.max(1, all.length)]
      return { ...patch, [by]: named?.[by as 'id'] ?? 'nobody' }
    })
    return companyOf(employees, { country: COUNTRY }).update(sent)
  })

const anySteps = fc.array(fc.oneof(anyCreateStep, anyUpdateStep), { minLength: 1, maxLength: 12 })

/** Makes the calls one after the other. The ledger keeps each event as canonical JSON. */
function play(steps: Step[], check: (before: Employees, decision: CallDecision, after: Employees) => void): Employees {
  return steps.reduce<Employees>((before, step, at) => {
    const decision = step(before, at)
    const after = fold(JSON.parse(canonicalJson(decision.events)) as NewEvent[], NOW, before)
    check(before, decision, after)
    return after
  }, new Map())
}

await t.test('the events of any calls fold to exactly the employees in the answers', async (t) => {
  const seen = { applied: 0, refused: 0, updated: 0 }
  const check = (before: Employees, { events, outcomes, problem }: CallDecision, after: Employees) => {
    const expected = new Map(before)
    for (const { employee } of outcomes) expected.set(employee!.id, employee!)
    assert.deepEqual(after, expected)
    seen[problem ? 'refused' : 'applied'] += 1
    if (events.some(({ type }) => type === 'EmployeeUpdated')) seen.updated += 1
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(100, 300) },
  )
  const few = inputs(20, 100)
  t.ok(seen.applied > few && seen.refused > few && seen.updated > few / 5, 'there were histories of every kind')
})

await t.test(
  'a refused call has no employee event and no outcome; an applied one has an outcome for each record',
  async () => {
    const check = (_: Employees, { events, outcomes, counts, problem }: CallDecision) => {
      if (problem) {
        assert.ok(!events.some(isOfEmployee))
        assert.deepEqual(outcomes, [])
        assert.ok(counts.failed > 0)
      } else {
        assert.deepEqual(
          outcomes.map(({ index }) => index),
          Array.from({ length: counts.total }, (_, at) => at),
        )
      }
      assert.equal(events.filter(({ type }) => type.startsWith('ApiCall')).length, 1)
      assert.match(events.at(-1)!.type, problem ? /^ApiCallFailed$/ : /^ApiCallCompleted$/)
    }
    fc.assert(
      fc.property(anySteps, (steps) => void play(steps, check)),
      { numRuns: inputs(30, 100) },
    )
  },
)

await t.test('the counts of an applied update add up to the total; a refused one counts all as failed', async () => {
  const check = (_: Employees, { counts, outcomes, problem, events }: CallDecision) => {
    const closing = events.at(-1)!
    if (closing.type !== 'ApiCallCompleted' && closing.type !== 'ApiCallFailed') throw new Error(closing.type)
    if (closing.data.operation === 'create') return
    const { total, updated, deactivated, failed, no_updates } = counts
    assert.equal(updated + deactivated + no_updates, problem ? 0 : total)
    assert.equal(failed, problem ? total : 0)
    const changed = outcomes.filter(({ result }) => result === 'synced' || result === 'reactivated')
    assert.equal(updated, changed.length)
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(30, 100) },
  )
})

await t.test("a stream's versions are consecutive from 1", async () => {
  const check = (before: Employees, { events }: CallDecision) => {
    const versions = new Map([...before].map(([id, { version }]) => [id, version]))
    for (const { stream, version } of events.filter(isOfEmployee)) {
      assert.equal(version, (versions.get(stream) ?? 0) + 1)
      versions.set(stream, version)
    }
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(30, 100) },
  )
})

await t.test('e-mails and external ids are unique after every call', async () => {
  const check = (_: Employees, __: CallDecision, after: Employees) => {
    const all = [...after.values()]
    for (const name of ['email', 'external_id'] as const) {
      const values = all.flatMap((employee) => employee[name] ?? [])
      assert.equal(new Set(values).size, values.length)
    }
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(100, 300) },
  )
})

await t.test('a change has the old and new values: undoing every change restores the earlier ones', async () => {
  const check = (before: Employees, { events }: CallDecision, after: Employees) => {
    for (const event of events) {
      if (event.type !== 'EmployeeUpdated') continue
      const changes = Object.entries(event.data.changes)
      for (const [, { from, to }] of changes) assert.notEqual(from, to)
      const undone = Object.fromEntries(changes.map(([name, { from, to }]) => [name, { from: to, to: from }]))
      const undo = { ...event, recorded_at: NOW, data: { changes: undone } }
      const {
        version: _,
        updated_at: __,
        status: ___,
        deactivated_at: ____,
        ...values
      } = evolve(after.get(event.stream), undo)
      assert.deepEqual({ ...before.get(event.stream), ...values }, before.get(event.stream))
    }
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(30, 100) },
  )
})

await t.test('patching an employee with its own values is no_updates without an event', async () => {
  const check = (_: Employees, __: CallDecision, after: Employees) => {
    for (const employee of after.values()) {
      const own = Object.fromEntries(ATTRIBUTE_NAMES.map((name) => [name, employee[name]]))
      const padded = (text: string | null) => ` ${text?.normalize('NFD') ?? ''}\u00a0`
      const shouted = { ...own, email: padded(employee.email).toUpperCase(), first_name: padded(employee.first_name) }
      for (const patch of [own, shouted]) {
        const { outcomes, events, counts } = companyOf(after, { country: COUNTRY }).updateOne(employee.id, patch)
        assert.equal(outcomes[0]?.result, 'no_updates')
        assert.deepEqual(outcomes[0].employee, employee)
        assert.equal(events.length, 1)
        assert.equal(counts.no_updates, 1)
      }
    }
  }
  fc.assert(
    fc.property(anySteps, (steps) => void play(steps, check)),
    { numRuns: inputs(30, 100) },
  )
})

await t.test('making the same update twice changes nothing the second time', async () => {
  fc.assert(
    fc.property(anyCreation, anyPatch, (creation, patch) => {
      const created = fold(companyOf(new Map(), { country: COUNTRY }).create(creation).events, BEFORE)
      const once = fold(companyOf(created, { country: COUNTRY }).updateOne(emp(101), patch).events, NOW, created)
      const twice = companyOf(once, { country: COUNTRY }).updateOne(emp(101), patch)
      assert.ok(twice.problem !== null || twice.outcomes[0]?.result === 'no_updates')
    }),
    { numRuns: inputs(100, 300) },
  )
})

await t.test('normalizing an e-mail again changes nothing', async () => {
  const awkward = fc.string({
    unit: fc.constantFrom('İ', 'Σ', 'ς', 'ﬁ', 'K', '\u0301', 'ǅ', 'ẞ', '\u0345', 'A', '@', '.', 'ᏸ', 'Ω'),
  })
  fc.assert(
    fc.property(fc.oneof(anyEmail, anyText(), awkward), (text) => {
      const once = normalizeEmail(text)
      assert.equal(normalizeEmail(once), once)
    }),
    { numRuns: inputs(500, 2000), examples: [['\ufe49']] },
  )
})

await t.test('an event with erased data leaves the attributes unchanged and counts as a version', async (t) => {
  const created = { ...hired(1, { job_title: 'Dev' }), recorded_at: BEFORE }
  const before = evolve(undefined, created)
  const updated = { type: 'EmployeeUpdated', stream: emp(1), version: 2, recorded_at: NOW, data: null } as const
  t.strictSame(evolve(before, updated), { ...before, version: 2, updated_at: NOW })
  t.match(evolve(undefined, { ...created, data: null }), {
    id: emp(1),
    first_name: null,
    email: null,
    status: 'active',
    version: 1,
  })
  t.throws(() => evolve(undefined, updated), { message: /never created/ })
})

await t.test('an erased person does not exist, wherever in their history the erasure was read', async (t) => {
  const created = { ...hired(1), recorded_at: BEFORE }
  const erased = { type: 'EmployeeErased', stream: emp(1), version: 3, data: { positions: [1, 2] } } as const
  const updated = { type: 'EmployeeUpdated', stream: emp(1), version: 2, recorded_at: NOW, data: null } as const
  const read = (...events: object[]) =>
    events.reduce<Employee | undefined>((state, event) => evolveStored(state, event as never), undefined)
  t.equal(read(created, updated, erased), undefined, 'before anything was erased')
  t.equal(read({ ...created, data: null }, updated, erased), undefined, 'after everything was')
  t.equal(read({ ...created, data: null }, updated), undefined)
  t.equal(read(erased), undefined, 'someone never created')
  t.strictSame(read(created), evolve(undefined, created), 'until then they exist')
  t.throws(() => read({ ...updated, data: { changes: {} } }), { message: /never created/ })
})
