import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import { readErasures } from '#ledger/read/read-erasures'
import type { Reads } from '#ledger/read/reads'
import { callerOf } from '#http/access/authenticate'
import { chargedReading } from '#http/access/quota'
import { jsonAnswer } from '#http/openapi/documented-schema'
import { ERASED_EMPLOYEES } from '#http/openapi/employee-examples'
import { EmployeeId } from '#http/openapi/employee-schemas'
import { Count, namedObject, Page, strictObject, flag } from '#http/openapi/schema-parts'
import { READING_PROBLEMS } from '#http/openapi/v1-calls'

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
