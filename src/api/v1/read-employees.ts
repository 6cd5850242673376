import type { FastifyInstance, FastifySchema } from 'fastify'
import { entityTag, explainFailure, findFailedCondition } from '#domain/employees/entity-tag'
import { refuseUnknown } from '#domain/calls/decide-call'
import { problem } from '#domain/errors'
import { isId } from '#domain/ids'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import type { FindEmployee } from '#ledger/read/read-employees'
import { callerOf } from '#http/access/authenticate'
import { jsonAnswer } from '#http/openapi/documented-schema'
import { EMPLOYEE_READ } from '#http/openapi/employee-examples'
import { Employee } from '#http/openapi/employee-schemas'
import { EmployeeParams, READING_PROBLEMS } from '#http/openapi/v1-calls'
import { preconditionsOf } from '#http/server/preconditions'
import { ProblemError } from '#http/server/problem'
import { chargedReading } from '#http/access/quota'

export interface ReadServices {
  findEmployee: FindEmployee
  keyUsage: KeyUsageCounter
}

const readSchema = {
  operationId: 'readEmployee',
  summary: 'Read one employee',
  description: 'Always current. An id of another company is treated like one that does not exist.',
  params: EmployeeParams,
  documentedHeaders: ['If-None-Match', 'If-Match'],
  response: {
    200: jsonAnswer('The employee.', Employee, { headers: ['ETag'], examples: EMPLOYEE_READ }),
    304: { description: 'The employee has a version that `If-None-Match` names.', headers: ['ETag'], type: 'null' },
  },
  problems: ['employee_not_found', 'precondition_failed', ...READING_PROBLEMS],
} as const satisfies FastifySchema

/** `GET /v1/employees/{id}`: the employee as the last commit left it. */
export function readEmployees(app: FastifyInstance, { findEmployee, keyUsage }: ReadServices): void {
  app.get('/employees/:id', { schema: readSchema, ...chargedReading(keyUsage) }, async (request, reply) => {
    const { companyId } = callerOf(request)
    const { id } = request.params
    const employee = isId('emp', id) ? await findEmployee({ companyId, id }) : null
    if (!employee) throw new ProblemError(refuseUnknown(id))
    const conditions = preconditionsOf(request)
    const failed = findFailedCondition(conditions, employee.version)
    if (failed === 'If-Match') {
      const reason = explainFailure(failed, conditions, 'The employee has another version than those in If-Match')
      throw new ProblemError(problem('precondition_failed', reason))
    }
    void reply.header('etag', entityTag(employee.version))
    return failed ? reply.code(304).send() : reply.send(employee)
  })
}
