import { ATTRIBUTE_NAMES } from '../attributes.ts'
import type { AttributeChanges, NewEvent, RecordedEvent } from '../events.ts'
import { CUSTOM_PREFIX, evolve, type Employee, type EmployeeEvent } from './employee.ts'

/** The event that last set an attribute. */
export type Cause = Pick<EmployeeEvent, 'position' | 'recorded_at' | 'call_id' | 'actor' | 'type'>

/** An employee after some events, with the last event that set each attribute. */
export interface ExplainedEmployee {
  employee: Employee
  /** By name; custom attributes as `custom_attributes.KEY`. Attributes never changed have the creation as cause. */
  causes: Readonly<Record<string, Cause>>
}

/** Returns what an event changed about an employee, the status included; a creation and erased data changed nothing. */
export function changesOf(event: NewEvent | RecordedEvent): AttributeChanges {
  const { type, data } = event
  if (data === null) return {}
  if (type === 'EmployeeUpdated') return data.changes
  if (type === 'EmployeeDeactivated') return { status: { from: 'active', to: 'inactive' } }
  if (type === 'EmployeeReactivated') return { status: { from: 'inactive', to: 'active' } }
  if (type === 'EmployeeDeprovisioned')
    return { deprovisioned_at: { from: null, to: 'recorded_at' in event ? event.recorded_at : 'now' } }
  return {}
}

/** Applies one event to the employee and the causes. Pure: does not modify its arguments. */
export function explain(before: ExplainedEmployee | undefined, event: EmployeeEvent): ExplainedEmployee {
  const employee = evolve(before?.employee, event)
  const cause = toCause(event)
  const causes = { ...before?.causes }
  for (const name of namesSetBy(event)) causes[name] = cause
  // A removed custom attribute has no cause.
  for (const name of Object.keys(causes)) {
    if (
      name.startsWith(CUSTOM_PREFIX) &&
      !Object.hasOwn(employee.custom_attributes, name.slice(CUSTOM_PREFIX.length))
    ) {
      delete causes[name]
    }
  }
  return { employee, causes }
}

function toCause({ position, recorded_at, call_id, actor, type }: EmployeeEvent): Cause {
  return { position, recorded_at, call_id, actor, type }
}

function namesSetBy(event: EmployeeEvent) {
  if (event.type !== 'EmployeeCreated') return Object.keys(changesOf(event))
  const custom = Object.keys(event.data?.attributes.custom_attributes ?? {})
  return [
    ...ATTRIBUTE_NAMES.filter((name) => name !== 'custom_attributes'),
    ...custom.map((key) => CUSTOM_PREFIX + key),
  ]
}
