import type { CallDecision } from '../domain/calls/api-call.ts'
import { decideCreate } from '../domain/calls/api-call.ts'
import { readCreation, recordsOfCreate } from '../domain/calls/call-records.ts'
import type { SentJson } from '../domain/events.ts'
import type { CallAnswer, PreparedCall } from './prepared-call.ts'
import { refusedCall } from './prepared-call.ts'
import type { CommandServices } from './run-api-call.ts'
import { touchedValues } from './touched-values.ts'

/** `POST /v1/employees`: creates one or more employees, all or none. */
export function createEmployees(services: CommandServices, body: SentJson): PreparedCall {
  const form = recordsOfCreate(body, services.maxRecords)
  if (form.problem) return refusedCall('create', form.problem, form.count)
  const records = form.records.map(readCreation)
  const ids = records.map(() => services.newId('emp'))
  return {
    operation: 'create',
    count: records.length,
    touches: touchedValues(records),
    decide: (directory, context) => decideCreate(records, ids, directory, context),
    present,
  }
}

function present({ outcomes }: CallDecision, logId: string | null): CallAnswer {
  // An id is given when an employee is created, not before.
  if (logId === null)
    return {
      status: 200,
      headers: {},
      body: { employees: outcomes.map(({ employee }) => ({ ...employee, id: null })) },
    }
  const employees = outcomes.map(({ employee }) => employee)
  const headers = employees.length === 1 ? { location: `/v1/employees/${employees[0]!.id}` } : {}
  return { status: 201, headers, body: { log_id: logId, employees } }
}
