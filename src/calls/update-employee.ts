import type { CallContext, CallDecision } from '../domain/calls/api-call.ts'
import { decideUpdate, refuseCall } from '../domain/calls/api-call.ts'
import type { EmployeeDirectory } from '../domain/calls/call-draft.ts'
import type { ReadRecord } from '../domain/calls/call-records.ts'
import { readUpdateOf, recordOfOne } from '../domain/calls/call-records.ts'
import { entityTag, matchesEntityTag } from '../domain/employees/entity-tag.ts'
import { problem } from '../domain/errors.ts'
import type { SentJson } from '../domain/events.ts'
import type { CallAnswer, PreparedCall } from './prepared-call.ts'
import { refusedCall } from './prepared-call.ts'
import { touchedValues } from './touched-values.ts'

/**
 * `PATCH /v1/employees/{id}`: updates the employee that the path names.
 * `ifMatch` is the value of the If-Match header, if there was one.
 */
export function updateEmployee(id: string, body: SentJson, ifMatch: string | undefined): PreparedCall {
  const blamed = { locator: { id }, record: body }
  const form = recordOfOne(body)
  if (form.problem) return refusedCall('update_one', form.problem, 1, blamed)
  const record = readUpdateOf(form.records[0]!, id)
  return {
    operation: 'update_one',
    count: 1,
    touches: touchedValues([record]),
    blamed,
    decide: (directory, context) => decide(record, ifMatch, directory, context),
    present,
  }
}

/** Evaluates preconditions before the content (RFC 9110 section 13.2.1). */
function decide(
  record: ReadRecord,
  ifMatch: string | undefined,
  directory: EmployeeDirectory,
  context: CallContext,
): CallDecision {
  const id = record.locator!.value
  const blamed = { locator: { id }, record: record.sent }
  const employee = directory.byId(id)
  if (!employee) {
    return refuseCall(problem('employee_not_found', 'No such employee exists'), 1, context, blamed)
  }
  if (ifMatch !== undefined && !matchesEntityTag(ifMatch, employee.version)) {
    const detail = 'The employee has changed since the version in If-Match'
    return refuseCall(problem('precondition_failed', detail), 1, context, blamed)
  }
  return decideUpdate([record], directory, context)
}

function present({ outcomes }: CallDecision, logId: string | null): CallAnswer {
  const { employee, result, changed } = outcomes[0]!
  if (logId === null) return { status: 200, headers: {}, body: { result, changed, employee } }
  return {
    status: 200,
    headers: { etag: entityTag(employee.version) },
    body: { log_id: logId, result, changed, employee },
  }
}
