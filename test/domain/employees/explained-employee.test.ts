import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { ATTRIBUTE_NAMES } from '../../../src/domain/attributes.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import type { EventType } from '../../../src/domain/events.ts'
import type { EmployeeEvent } from '../../../src/domain/employees/employee.ts'
import { evolve } from '../../../src/domain/employees/employee.ts'
import type { ExplainedEmployee } from '../../../src/domain/employees/employee-history.ts'
import { explain } from '../../../src/domain/employees/employee-history.ts'

const ID = 'emp_01h455vb4pex5vsknk084sn02q'
const PLAIN = ATTRIBUTE_NAMES.filter((name) => name !== 'custom_attributes')

type Fact = Pick<EmployeeEvent, 'type' | 'data'>

/** Facts as events of one stream, each at its own position in the ledger. */
function eventsOf(facts: Fact[]): EmployeeEvent[] {
  return facts.map((fact, at) => ({
    stream: ID,
    version: at + 1,
    index: 0,
    position: 10 + at * 3,
    schema_version: 1,
    call_id: `log_${at}`,
    recorded_at: `2026-11-20T15:00:0${at % 10}.000Z`,
    actor: `key_${at % 2}`,
    ...fact,
  })) as EmployeeEvent[]
}

const explainAll = (events: EmployeeEvent[]) =>
  events.reduce<ExplainedEmployee | undefined>((before, event) => explain(before, event), undefined)!

const CREATED: Fact = {
  type: 'EmployeeCreated',
  data: {
    attributes: {
      first_name: 'Ana',
      last_name: 'Pérez',
      email: 'ana@example.com',
      status: 'active',
      custom_attributes: { grade: 7 },
    },
  },
}

await t.test('an employee has the version of their last event, whatever it says', (t) => {
  const types = (Object.keys(EVENT_TYPES) as EventType[]).filter((type) => EVENT_TYPES[type].stream === 'emp')
  const own = types.filter((type) => type !== 'EmployeeErased') as EmployeeEvent['type'][]
  for (const type of own) {
    const [created, event] = eventsOf([CREATED, { type, data: null }]) as [EmployeeEvent, EmployeeEvent]
    t.equal(evolve(evolve(undefined, created), event).version, 2, type)
  }
  t.end()
})

await t.test('unchanged attributes come from the creation, including unset ones', async (t) => {
  const [event] = eventsOf([CREATED])
  const { causes } = explain(undefined, event!)
  t.strictSame(Object.keys(causes).toSorted(), [...PLAIN, 'custom_attributes.grade'].toSorted())
  const { position, recorded_at, call_id, actor, type } = event!
  for (const cause of Object.values(causes)) t.strictSame(cause, { position, recorded_at, call_id, actor, type })
})

await t.test('each attribute comes from the last event that set it; the status, from a change of status', async (t) => {
  const events = eventsOf([
    CREATED,
    {
      type: 'EmployeeUpdated',
      data: { changes: { job_title: { from: null, to: 'Dev' }, 'custom_attributes.grade': { from: 7, to: 8 } } },
    },
    { type: 'EmployeeDeactivated', data: {} },
    {
      type: 'EmployeeUpdated',
      data: { changes: { job_title: { from: 'Dev', to: null }, 'custom_attributes.team': { from: null, to: 'A' } } },
    },
    { type: 'EmployeeUpdated', data: { changes: { 'custom_attributes.grade': { from: 8, to: null } } } },
    { type: 'EmployeeReactivated', data: {} },
  ])
  const { employee, causes } = explainAll(events)
  t.match(employee, { job_title: null, status: 'active', custom_attributes: { team: 'A' }, version: 6 })
  t.equal(causes['job_title']?.position, events[3]!.position, 'this event unset it')
  t.equal(causes['custom_attributes.team']?.position, events[3]!.position)
  t.equal(causes['custom_attributes.grade'], undefined, 'a removed attribute is gone')
  t.match(causes['status'], { position: events[5]!.position, type: 'EmployeeReactivated' })
  t.equal(causes['email']?.position, events[0]!.position)
})

await t.test('explaining does not modify the state', async (t) => {
  const [first, second] = eventsOf([
    CREATED,
    { type: 'EmployeeUpdated', data: { changes: { 'custom_attributes.grade': { from: 7, to: null } } } },
  ])
  const before = explain(undefined, first!)
  const copy = structuredClone(before)
  explain(before, second!)
  t.strictSame(before, copy)
  t.throws(() => explain(undefined, second!), { message: /never created/ })
})

const name = fc.constantFrom(
  'job_title',
  'department',
  'custom_attributes.a',
  'custom_attributes.toString',
  'custom_attributes.custom_attributes.a',
)
const value = fc.option(fc.string({ maxLength: 3 }))
const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }).map((to) => ({
    type: 'EmployeeUpdated' as const,
    data: { changes: Object.fromEntries(Object.entries(to).map(([key, to]) => [key, { from: null, to }])) },
  })),
  fc.constantFrom<Fact>({ type: 'EmployeeDeactivated', data: {} }, { type: 'EmployeeReactivated', data: {} }),
)

await t.test(
  'after any history the employee is what its events fold to, and each cause really set its attribute',
  async () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 20 }), (facts) => {
        const events = eventsOf([CREATED, ...facts])
        const { employee, causes } = explainAll(events)
        assert.deepEqual(employee, events.reduce<ExplainedEmployee['employee'] | undefined>(evolve, undefined))
        const custom = Object.keys(employee.custom_attributes).map((key) => `custom_attributes.${key}`)
        assert.deepEqual(Object.keys(causes).toSorted(), [...PLAIN, ...custom].toSorted())
        for (const [attribute, cause] of Object.entries(causes)) {
          const at = events.findLastIndex((event) =>
            event.type === 'EmployeeUpdated'
              ? Object.hasOwn(event.data!.changes, attribute)
              : event.type === 'EmployeeCreated' || attribute === 'status',
          )
          assert.equal(cause.position, events[at]!.position, attribute)
        }
      }),
    )
  },
)
