import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { EmployeeFilter, EmployeePlace } from '../../../projections/employees/queries.ts'
import { EMPLOYEES, listEmployees } from '../../../projections/employees/queries.ts'
import { normaliseEmail } from '../../domain/attributes.ts'
import { isId } from '../../domain/ids.ts'
import { callerOf } from '../access/authenticate.ts'
import { EmployeeList } from '../openapi/answer-schemas.ts'
import { whenGiven } from '../access/heavy-reads.ts'
import { jsonAnswer } from '../openapi/documented-schema.ts'
import { EMPLOYEES_LISTED } from '../openapi/employee-examples.ts'
import { READING_PROBLEMS } from '../openapi/v1-calls.ts'
import { pageOf, readCursor } from '../server/cursor.ts'
import { assertStorable, parseTime } from '../server/query-values.ts'
import { chargedReading } from '../access/quota.ts'
import { openPositionWaits } from './position-waits.ts'
import type { ReadServices } from './read-employees.ts'

const ListQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The `next_cursor` of the previous page.' }),
    ),
    status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('inactive')])),
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'The employee with exactly this value now, including the latest commit.',
      }),
    ),
    external_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The employee with exactly this value now, including the latest commit.',
      }),
    ),
    updated_since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Changed at or after this time. The list is then in the order of the changes.',
      }),
    ),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Part of a name, email or external id.' }),
    ),
    min_position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Wait up to 10 seconds for the list to include this `X-Ledger-Position`.',
      }),
    ),
  },
  { additionalProperties: false },
)

const listSchema = {
  operationId: 'listEmployees',
  summary: 'List employees',
  description: 'In order of creation. The list is eventually consistent; use `min_position` to read your own write.',
  tags: ['Employees'],
  querystring: ListQuery,
  response: { 200: jsonAnswer('A page of the list.', EmployeeList, { examples: EMPLOYEES_LISTED }) },
  problems: READING_PROBLEMS,
} as const

/** `GET /v1/employees`: a list from the read model, which follows the ledger at a short distance. */
export function listEmployeesRoute(app: FastifyInstance, { db, keyUsage }: ReadServices): void {
  const waitForPosition = openPositionWaits(db, EMPLOYEES, (error) =>
    app.log.debug({ err: error }, 'the employee list could not be watched'),
  )
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/employees',
    { schema: listSchema, config: { isHeavyRead: whenGiven('q') }, ...chargedReading(keyUsage) },
    async (request) => {
      const { companyId } = callerOf(request)
      const { limit, cursor, min_position: minPosition, ...rest } = request.query
      const filter: EmployeeFilter = rest
      assertStorable(rest)
      if (filter.email !== undefined) filter.email = normaliseEmail(filter.email)
      if (filter.updated_since !== undefined) filter.updated_since = parseTime('updated_since', filter.updated_since)
      const after = cursor === undefined ? null : readCursor(cursor, readPlace)
      if (minPosition !== undefined) await waitForPosition(companyId, minPosition)
      // One more than asked for tells whether there is a next page.
      const page = { after, limit: limit + 1 }
      const found = await listEmployees(db, companyId, filter, page)
      return pageOf(found, limit, ({ id, updated_at: updatedAt }) => `${updatedAt}:${id}`)
    },
  )
}

function readPlace(place: string): EmployeePlace | null {
  const [, updatedAt, id] = /^([0-9T:.-]{23}Z):(emp_[0-9a-z]+)$/.exec(place) ?? []
  return updatedAt !== undefined && isId('emp', id) ? { updatedAt: parseTime('cursor', updatedAt), id } : null
}
