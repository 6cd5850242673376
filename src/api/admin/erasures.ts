import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import type { CompanyServices } from '../../accounts/change-company.ts'
import { eraseEmployee } from '../../personal-data/erase-employee.ts'
import type { NamedPerson } from '../../personal-data/find-person.ts'
import { refuseField, type ProblemError } from '../../http/server/problem.ts'
import { actingUser, HEAVY_JSON_BODY, setPositionHeader } from './company-schemas.ts'
import { namedObject, optionalString, strictObject, textOrNull } from '../../http/openapi/schema-parts.ts'

// A refused record may contain longer values than a stored employee.
const Name = (description: string) => optionalString({ minLength: 1, maxLength: 1_000, description })

export const ErasureBody = strictObject(
  {
    employee_id: Name("The employee's id. May be the id of an erased employee, to erase newer data."),
    email: Name('The current email address of the person, or one in refused records. Case-insensitive.'),
    external_id: Name('The current external id of the person, or one in refused records.'),
    user_name: Name('The current user name of the person, or one in refused records. Case-insensitive.'),
  },
  { description: 'Send exactly one of the four.' },
)

const Erasure = namedObject('Erasure', {
  erased: Type.Object({
    employee_id: textOrNull('Null for a person who was never created.'),
    positions: Type.Integer({
      minimum: 0,
      description:
        'The number of events whose data was erased. 0 if the person appeared only beside them, such as in a body that ' +
        'could not be read or in an uploaded file.',
    }),
  }),
  position: Type.Integer({ minimum: 1, description: 'The ledger position of the event that records the erasure.' }),
})

const ERASE_PERSON = {
  operationId: 'erasePerson',
  summary: 'Erase a person permanently',
  description:
    'Erases the data of an employee from the ledger, and every refused record that contains their id, or a current ' +
    'or former email address, external id, or user name. This cannot be undone. Ids, counts and hashes remain, so every proof ' +
    'still verifies. Bulk User Logs shows the records as erased. Returns 404 if there is nothing to erase.',
  body: ErasureBody,
  response: { 200: Erasure },
  problems: ['employee_not_found', 'former_name'],
} as const satisfies FastifySchema

/** The route that erases a person, for administrators. */
export function erasures(app: FastifyInstance, services: CompanyServices): void {
  app.post('/erasures', { schema: ERASE_PERSON, ...HEAVY_JSON_BODY }, async (request, reply) => {
    const { position, ...erased } = await eraseEmployee(
      services,
      actingUser(request),
      readIdentifier(request.body),
      request.left,
    )
    const { employeeId: employee_id, positions } = erased
    setPositionHeader(reply, position)
    return { erased: { employee_id, positions }, position }
  })
}

const BY = { employee_id: 'id', email: 'email', external_id: 'external_id', user_name: 'user_name' } as const

/** Lists the identifiers in a body. */
export function listIdentifiers(body: Static<typeof ErasureBody>): NamedPerson[] {
  const fields = Object.keys(BY) as (keyof typeof BY)[]
  return fields.flatMap((field) => (body[field] === undefined ? [] : [{ by: BY[field], value: body[field] }]))
}

/** Reads which person to erase. Throws a problem unless the body has exactly one identifier. */
export function readIdentifier(body: Static<typeof ErasureBody>): NamedPerson {
  const [named, ...others] = listIdentifiers(body)
  if (named && others.length === 0) return named
  throw refuseIdentifiers(
    named ? 'invalid_value' : 'required',
    'Send exactly one of employee_id, email, external_id and user_name',
  )
}

/** Makes the problem of a body with no identifier, or several. */
export function refuseIdentifiers(code: 'invalid_value' | 'required', message: string): ProblemError {
  return refuseField('', message, code)
}
