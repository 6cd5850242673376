import type { FastifyInstance, FastifySchema } from 'fastify'
import { entityTag, explainFailure, findFailedCondition } from '#domain/employees/entity-tag'
import { refuseUnknown } from '#domain/calls/decide-call'
import { problem } from '#domain/errors'
import { isId } from '#domain/ids'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import type { FindEmployee } from '#ledger/read/read-employees'
import { callerOf } from '#http/access/authenticate'
import { jsonAnswer, Count, namedObject, Page, strictObject, flag } from '#http/openapi/schema-parts'
import { EMPLOYEE_READ, ERASED_EMPLOYEES } from '#http/openapi/employee-examples'
import { Employee, EmployeeId } from '#http/openapi/employee-schemas'
import { EmployeeParams, READING_PROBLEMS } from '#http/openapi/v1-calls'
import { preconditionsOf } from '#http/server/preconditions'
import { ProblemError } from '#http/server/problem'
import { chargedReading } from '#http/access/quota'
import { Type } from '@sinclair/typebox'
import { readErasures } from '#ledger/read/read-erasures'
import type { Reads } from '#ledger/read/reads'

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

const ErasedEmployees = namedObject('ErasedEmployees', {
  employees: Type.Array(
    strictObject({ id: EmployeeId, position: { ...Count, description: 'The position of the erasure in the ledger.' } }),
    { description: 'In the order of the erasures. Somebody who is erased again, by id, appears again.' },
  ),
  position: { ...Count, description: 'The position up to which the answer is complete: send it as `after` next time.' },
  is_complete: flag('Whether this is everything until now. If not, ask again at once.'),
})

const schema = {
  operationId: 'listErasedEmployees',
  summary: 'List who was erased',
  description:
    'The ids of erased employees, for copies that must erase them, too. Nothing else about them is left. An answer ' +
    'may have fewer employees than `limit`, or none, although `is_complete` is false.',
  querystring: strictObject({
    limit: Page.limit,
    after: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Only erasures after this position.',
    }),
  }),
  response: { 200: jsonAnswer('The erased employees.', ErasedEmployees, { examples: ERASED_EMPLOYEES }) },
  problems: READING_PROBLEMS,
} as const satisfies FastifySchema

/** `GET /v1/employees/erased`: how a copy of the employees learns of erasures. */
export function listErased(
  app: FastifyInstance,
  { reads, keyUsage }: { reads: Reads; keyUsage: KeyUsageCounter },
): void {
  app.get('/employees/erased', { schema, ...chargedReading(keyUsage) }, async (request) => {
    const { companyId } = callerOf(request)
    const erasures = await readErasures(await reads.of(companyId, request.left), companyId, request.query)
    return { employees: erasures.employees, position: erasures.position, is_complete: erasures.isComplete }
  })
}
