import { foldUserName } from '../../../src/domain/attributes.ts'
import type { CallContext, CallDecision, EmployeeDirectory } from '../../../src/domain/calls/call-decision.ts'
import { refuseCall } from '../../../src/domain/calls/close-call.ts'
import { decideFitted, type FittedCommand } from '../../../src/domain/calls/decide-fitted.ts'
import { decideRecords } from '../../../src/domain/calls/decide-records.ts'
import type { CallRecords, NewIds, ReadRecord } from '../../../src/domain/calls/call-records.ts'
import {
  readRecord,
  readUpdateOf,
  recordOfOne,
  recordsOfMany,
  type SentRecord,
} from '../../../src/domain/calls/call-records.ts'
import type { Employee, EmployeeEvent } from '../../../src/domain/employees/employee.ts'
import { evolve } from '../../../src/domain/employees/employee.ts'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import type { AttributesSet, EventType, NewEvent } from '../../../src/domain/events.ts'
import type { ManyOperation, Operation } from '../../../src/domain/operations.ts'
import { SCIM } from '../../../src/domain/scim/scim-protocol.ts'
import { readConfig } from '../../../src/config.ts'
import type { Pieces } from '../../../src/domain/pieces.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import { fromUuid } from '../../../src/domain/ids.ts'

/** When the given events happened. */
export const BEFORE = '2026-01-01T08:00:00.000Z'
/** When the calls are decided. */
export const NOW = '2026-03-01T12:00:00.000Z'
export const { MAX_RECORDS } = readConfig({})

/** The id of employee `number`. Calls give new employees ids from 101. */
export function emp(number: number): string {
  return fromUuid('emp', `01930000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`)
}

export const CALL_ID = fromUuid('log', '01930000-0000-7000-8000-00000000ca11')
export const KEY = { id: fromUuid('key', '01930000-0000-7000-8000-0000000000e1'), name: 'HR sync' }

export function contextOf(operation: Operation, country: string | null = null): CallContext {
  return {
    callId: CALL_ID,
    operation,
    requestId: 'req-1',
    key: KEY,
    source: 'Public API',
    upload: null,
    undoes: null,
    requestedAt: NOW,
    durationMs: 3,
    now: NOW,
    isAllOrNone: true,
    wording: {},
    linksByEmail: false,
    country,
  }
}

/** A minimal valid creation, with an e-mail for this number. */
export function person(number: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { first_name: 'Ana', last_name: 'Pérez', email: `p${number}@example.com`, ...more }
}

export type GivenEvent = Extract<NewEvent, { type: EmployeeEvent['type'] }>

/** An employee was created. */
export function hired(number: number, more: Partial<AttributesSet> = {}): GivenEvent {
  const attributes = { ...person(number), status: 'active', ...more } as AttributesSet
  return { type: 'EmployeeCreated', stream: emp(number), version: 1, index: 0, data: { attributes } }
}

/** An employee was deactivated, right after the creation. */
export function left(number: number): GivenEvent {
  return { type: 'EmployeeDeactivated', stream: emp(number), version: 2, index: 0, data: {} }
}

/** The company's employees by id, folded from its events. */
export function fold(
  events: readonly NewEvent[],
  at: string,
  employees: ReadonlyMap<string, Employee> = new Map(),
): Map<string, Employee> {
  const after = new Map(employees)
  for (const event of events) {
    if (isOfEmployee(event)) after.set(event.stream, evolve(after.get(event.stream), { ...event, recorded_at: at }))
  }
  return after
}

export function isOfEmployee(event: NewEvent): event is GivenEvent {
  return EVENT_TYPES[event.type].stream === 'emp' && event.type !== 'EmployeeErased'
}

/** A company with these events, and the calls that it takes. */
export function given(...events: GivenEvent[]) {
  return companyOf(fold(events, BEFORE))
}

/** Takes calls with these switches, in a country. */
export function companyOf(
  employees: ReadonlyMap<string, Employee>,
  { country = null, ...switches }: Partial<Pick<CallContext, 'isAllOrNone' | 'linksByEmail' | 'country'>> = {},
) {
  const directory = directoryOf(employees)
  const decided = (
    operation: Operation,
    form: CallRecords,
    read: (record: SentRecord) => ReadRecord,
    decide: (records: ReadRecord[], context: CallContext) => Pieces<CallDecision>,
  ): CallDecision => {
    const context = { ...contextOf(operation, country), ...switches }
    if (form.problem) return refuseCall(form.problem, form.count, context)
    return doAtOnce(decide(form.records.map(read), context))
  }
  const many = (operation: ManyOperation, body: unknown, newIds: Pick<NewIds, 'of'> | null): CallDecision => {
    const read = (record: SentRecord) => readRecord(operation, record)
    return decided(operation, recordsOfMany(operation, body, MAX_RECORDS), read, (records, context) =>
      decideRecords(records, newIds, directory, context),
    )
  }
  return {
    employees,
    /** `POST /v1/employees`. `firstNumber` is the number of the first new employee. */
    create(body: unknown, firstNumber = 101): CallDecision {
      return many('create', body, { of: (index) => emp(firstNumber + index) })
    },
    /** `PATCH /v1/employees`. */
    update(body: unknown): CallDecision {
      return many('update_many', body, null)
    },
    /** `PUT /v1/employees`. The record at an index gets the id `firstNumber + index` if its employee is new. */
    upsert(body: unknown, firstNumber = 101): CallDecision {
      return many('upsert', body, { of: (index) => emp(firstNumber + index) })
    },
    /** Decides records that were read, or made, in another way. */
    apply(records: ReadRecord[], operation: Operation = 'update_many'): CallDecision {
      return doAtOnce(decideRecords(records, null, directory, { ...contextOf(operation, country), ...switches }))
    },
    /** A call of an identity provider. */
    provide(command: FittedCommand): CallDecision {
      const context = { ...contextOf(command.operation, country), ...switches, wording: SCIM }
      return doAtOnce(decideFitted(command, directory, context, null))
    },
    /** `PATCH /v1/employees/{id}`. */
    updateOne(id: string, body: unknown): CallDecision {
      const read = (record: SentRecord) => readUpdateOf(record, id)
      const decide = (records: ReadRecord[], context: CallContext) => decideRecords(records, null, directory, context)
      return decided('update_one', recordOfOne(body), read, decide)
    },
  }
}

/** Searches all employees one by one: too simple to be wrong. */
function directoryOf(employees: ReadonlyMap<string, Employee>): EmployeeDirectory {
  const all = [...employees.values()]
  return {
    byId: (id) => all.find((employee) => employee.id === id),
    byEmail: (email) => all.find((employee) => employee.email === email),
    byExternalId: (externalId) => all.find((employee) => employee.external_id === externalId),
    byUserName: (name) => all.find(({ user_name }) => user_name !== null && foldUserName(user_name) === name),
    byDirectoryId: (id) => all.filter(({ directory_external_id: own }) => own === id),
    managerOf: (id) => all.find((employee) => employee.id === id)?.manager_id ?? null,
    unchangedBy: () => undefined,
    knowsManagers: true,
  }
}

/** The errors of a refused call, as pointer and code, in a stable order. */
export function faultsOf({ problem }: CallDecision): string[] {
  return (problem?.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort()
}

/** The types of the events that a call appended. */
export function typesOf({ events }: CallDecision): EventType[] {
  return events.map(({ type }) => type)
}
