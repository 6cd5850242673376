import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { MAX_ANSWERED_LEFT } from '#domain/calls/answer-call'
import { problem } from '#domain/errors'
import { RECORD_RESULTS } from '#domain/employees/employee'
import { FAULT_KINDS } from '#domain/record-faults'
import { sendAnswer } from '#http/calls/writing-call'
import { CallCounts } from '#http/openapi/answer-schemas'
import {
  Count,
  namedObject,
  nullable,
  oneOf,
  optionalBoolean,
  optionalString,
  strictObject,
  textOrNull,
  Time,
  jsonAnswer,
  count,
  text,
} from '#http/openapi/schema-parts'
import { PROBLEM_DOCUMENTS, ProblemError } from '#http/server/problem'
import { LogParams } from '#log/bulk-user-logs-schemas'
import { MAX_LOOKED_INTO, undoEntry, type UndoServices } from '#undo/undo-entry'
import { actingUser, HEAVY_JSON_BODY } from './company-schemas.ts'

const UndoQuery = strictObject({
  validate_only: optionalBoolean({ description: 'Return what would happen, and store nothing.' }),
  all_or_none: optionalBoolean({
    default: true,
    description:
      'Whether something that has to stay keeps everything else from being undone. With `false`, the call undoes ' +
      'what it can, and the answer lists the rest.',
  }),
})

const Undone = namedObject('Undone', {
  log_id: optionalString({ description: 'The id of the call, and of its own entry. Absent with `validate_only`.' }),
  undoes: text('The id of the entry that was undone.'),
  counts: CallCounts,
  attributes: Type.Object(
    { restored: Count, left: Count },
    { description: 'The numbers of attributes that got their old values, and of those that stay as they are.' },
  ),
  results: Type.Array(
    namedObject('UndoneRecord', {
      index: count('From 0, among the employees whom the entry created or changed, in its order.'),
      id: textOrNull('The employee.'),
      status: nullable(oneOf(['active', 'inactive'], 'The status afterwards.')),
      result: oneOf([...RECORD_RESULTS, 'failed'], '`failed`: nothing about the employee could be undone.'),
      changed: Type.Array(Type.String(), { description: 'The attributes that got their old values.' }),
      left: Type.Array(
        Type.Object({
          attribute: text('A custom attribute is named like `custom_attributes.grade`.'),
          reason: oneOf(
            FAULT_KINDS,
            '`changed_meanwhile`: it no longer has the value that the entry gave it. `employee_changed`: the entry ' +
              'created the employee, and something was changed since. Others: the rules do not allow the old ' +
              'value now, such as `held`: another employee has it.',
          ),
          message: Type.String(),
          changed_by: nullable(
            Type.Object({
              log_id: textOrNull('The entry that set it last.'),
              position: Count,
              recorded_at: Time,
            }),
            { description: `Null for other reasons, and after the first ${MAX_LOOKED_INTO} attributes.` },
          ),
        }),
        {
          description:
            `The attributes that stay as they are, and why: the first ${MAX_ANSWERED_LEFT} of the call, which ` +
            '`attributes` counts.',
        },
      ),
      errors: Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), message: Type.String() }), {
        description: 'Why nothing could be undone. Empty otherwise.',
      }),
    }),
  ),
})

const UNDO_ENTRY = {
  operationId: 'undoBulkUserLog',
  summary: 'Undo an entry',
  description:
    'Takes back what the call of the entry changed, by a call with an entry of its own, which can be undone, too. An ' +
    'attribute that still has the value which the entry gave it gets its old one. Employees whom the entry created ' +
    'are deactivated, unless something was changed since. What was erased stays erased. Everything is decided on the ' +
    'state of the moment: whoever undoes an entry for the second time finds nothing left.',
  params: LogParams,
  querystring: UndoQuery,
  hasEntry: true,
  response: { 200: jsonAnswer('What was undone, and what stays.', Undone, { headers: ['X-Ledger-Position'] }) },
  problems: [
    'log_not_found',
    'nothing_to_undo',
    'already_exists',
    'inactive_employee_exists',
    'invalid_body',
    'validation_failed',
  ],
} satisfies FastifySchema

const NO_BODY = problem('invalid_body', 'An undo takes no body: validate_only and all_or_none are query parameters')

/** `POST /admin/v1/bulk-user-logs/{log_id}/undo`, for administrators. */
export function undoRoute(app: FastifyInstance, services: UndoServices) {
  app.post('/bulk-user-logs/:log_id/undo', { schema: UNDO_ENTRY, ...HEAVY_JSON_BODY }, async (request, reply) => {
    // A body that says `validate_only` must not undo.
    if (Object.keys(request.body ?? {}).length > 0) throw new ProblemError(NO_BODY)
    const { all_or_none: isAllOrNone = true, validate_only: validateOnly = false } = request.query
    const how = { isAllOrNone, validateOnly, requestId: request.id }
    const answer = await undoEntry(services, actingUser(request), request.params.log_id, how)
    request.callId = answer.callId
    return sendAnswer(reply, PROBLEM_DOCUMENTS, answer)
  })
}
