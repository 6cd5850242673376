import { attributesSet, evolve, patchEffect } from '../employees/employee.ts'
import type { Employee, PatchEffect } from '../employees/employee.ts'
import type { NewEvent } from '../events.ts'
import type { RecordErrors } from '../record-errors.ts'
import type { Draft } from './call-draft.ts'
import type { ReadRecord } from './call-records.ts'

/* What each record of a call would do, whatever the others are. */

function newDraft(record: ReadRecord, errors: RecordErrors): Draft {
  const needs = [...(record.needs ?? [])]
  return { record, before: undefined, after: undefined, effect: undefined, events: [], errors, collisions: 0, needs }
}

/** Drafts the creation of an employee. */
export function draftCreation(record: ReadRecord, id: string, now: string): Draft {
  const { index, patch } = record
  const data = { attributes: attributesSet(patch) }
  const event = { type: 'EmployeeCreated', stream: id, version: 1, index, data } as const
  const after = evolve(undefined, { ...event, recorded_at: now })
  const errors = record.errors.copy()
  if (record.statedId !== null) errors.add(['id'], 'read_only_field', 'The id of a new employee cannot be chosen')
  return { ...newDraft(record, errors), after, events: [event] }
}

/** Drafts an update; `before` is undefined if nobody has the record's name. */
export function draftUpdate(record: ReadRecord, before: Employee | undefined, now: string): Draft {
  const errors = record.errors.copy()
  if (!before) {
    if (record.locator) {
      errors.addFirst({
        path: [record.locator.field],
        code: 'employee_not_found',
        message: 'No such employee exists',
      })
    }
    return newDraft(record, errors)
  }
  if (record.statedId !== null && record.statedId !== before.id)
    errors.add(['id'], 'read_only_field', 'This is not the id of the employee, and it cannot be changed')
  const effect = patchEffect(before, record.patch)
  const events = updateEvents(before, effect, record.index)
  const after = events.reduce((state, event) => evolve(state, { ...event, recorded_at: now } as never), before)
  return { ...newDraft(record, errors), before, after, effect, events }
}

function updateEvents(before: Employee, effect: PatchEffect, index: number): NewEvent[] {
  const events: NewEvent[] = []
  const next = () => ({ stream: before.id, version: before.version + events.length + 1, index })
  if (Object.keys(effect.changes).length > 0) {
    events.push({ type: 'EmployeeUpdated', ...next(), data: { changes: effect.changes } })
  }
  if (effect.statusTo === 'inactive') events.push({ type: 'EmployeeDeactivated', ...next(), data: {} })
  if (effect.statusTo === 'active') events.push({ type: 'EmployeeReactivated', ...next(), data: {} })
  return events
}
