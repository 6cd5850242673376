import type { CallDecision } from '../domain/calls/api-call.ts'
import { decideUpdate } from '../domain/calls/api-call.ts'
import { readUpdate, recordsOfMany } from '../domain/calls/call-records.ts'
import type { SentJson } from '../domain/events.ts'
import type { CallAnswer, PreparedCall } from './prepared-call.ts'
import { refusedCall } from './prepared-call.ts'
import type { CommandServices } from './run-api-call.ts'
import { touchedValues } from './touched-values.ts'

/** `PATCH /v1/employees`: updates several employees, all or none. */
export function updateEmployees(services: CommandServices, body: SentJson): PreparedCall {
  const form = recordsOfMany(body, services.maxRecords)
  if (form.problem) return refusedCall('update_many', form.problem, form.count)
  const records = form.records.map(readUpdate)
  return {
    operation: 'update_many',
    count: records.length,
    touches: touchedValues(records),
    decide: (directory, context) => decideUpdate(records, directory, context),
    present,
  }
}

function present({ outcomes, counts }: CallDecision, logId: string | null): CallAnswer {
  const results = outcomes.map(({ index, employee, result, changed }) => ({ index, id: employee.id, result, changed }))
  return { status: 200, headers: {}, body: { ...(logId === null ? {} : { log_id: logId }), counts, results } }
}
