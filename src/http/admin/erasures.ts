import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { CompanyServices } from '../../accounts/users/change-company.ts'
import { eraseEmployee } from '../../erasure/erase-employee.ts'
import type { NamedPerson } from '../../erasure/find-person.ts'
import { fieldError, invalidFields } from '../server/body-faults.ts'
import { JSON_TYPES } from '../server/media-types.ts'
import { ProblemError } from '../server/problem.ts'
import { actingUser, SMALL_BODY, tellPosition } from './company-schemas.ts'
import { NoQuery, STRICT } from '../openapi/schema-parts.ts'

// As much as a refused record may have said, for a person who was never created.
const Name = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }))

export const ErasureBody = Type.Object(
  {
    employee_id: Name("The employee's id; also of one who was erased before, for what has come since."),
    email: Name('The e-mail address that the person has now, or that refused records named; in any case.'),
    external_id: Name('The external id that the person has now, or that refused records named.'),
  },
  { ...STRICT, description: 'Exactly one of the three.' },
)

const Erasure = Type.Object(
  {
    erased: Type.Object({
      employee_id: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'Null for somebody who was never created.',
      }),
      positions: Type.Integer({ minimum: 1, description: 'How many events have lost their data.' }),
    }),
    position: Type.Integer({ minimum: 1, description: 'Where in the ledger it says so.' }),
  },
  { $id: 'Erasure', ...STRICT },
)

/** Forgetting a person, for administrators. */
export function erasures(app: FastifyInstance, services: CompanyServices): void {
  app.post<{ Body: Static<typeof ErasureBody> }>(
    '/erasures',
    {
      schema: {
        operationId: 'erasePerson',
        summary: 'Forget a person, for ever',
        description:
          'Erases what the ledger holds of an employee, and of refused records in which their id stands, or an e-mail ' +
          'address or external id that they have or had. It cannot be undone. Ids, counts and hashes stay, so every ' +
          'proof still verifies; Bulk User Logs shows the records as erased. A second time there is nothing left: 404.',
        ...{ tags: ['Erasure'], querystring: NoQuery, body: ErasureBody, response: { 200: Erasure } },
        problems: ['employee_not_found', 'former_name'],
      },
      ...{ config: { mediaTypes: JSON_TYPES }, bodyLimit: SMALL_BODY },
    },
    async (request, reply) => {
      const { position, ...erased } = await eraseEmployee(services, actingUser(request), namedIn(request.body))
      const { employeeId: employee_id, positions } = erased
      return tellPosition(reply, position).send({ erased: { employee_id, positions }, position })
    },
  )
}

const BY = { employee_id: 'id', email: 'email', external_id: 'external_id' } as const

/** The person that a body names. Throws a problem unless it names one by exactly one name. */
export function namedIn(body: Static<typeof ErasureBody>): NamedPerson {
  const [named, ...others] = Object.entries(body) as [keyof typeof BY, string][]
  if (named && others.length === 0) return { by: BY[named[0]], value: named[1] }
  const message = 'exactly one of employee_id, email and external_id must name the person'
  throw new ProblemError(invalidFields([fieldError('', named ? 'invalid_value' : 'required', message)]))
}
