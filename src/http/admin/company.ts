import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { CompanyServices } from '../../accounts/change-company.ts'
import { changeTimeZone } from '../../accounts/companies/change-time-zone.ts'
import { MAX_TIME_ZONE_CHARACTERS, readTimeZone } from '../../domain/accounts/time-zone.ts'
import type { CompanyRecord } from '../../accounts/companies/read-company.ts'
import { readCompany } from '../../accounts/companies/read-company.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { fieldError, invalidFields } from '../../domain/field-errors.ts'
import { MERGE_PATCH_TYPES } from '../server/media-types.ts'
import { ProblemError } from '../server/problem.ts'
import { actingUser, ADMIN_BODY_LIMIT, setPositionHeader } from './company-schemas.ts'
import { NoQuery, STRICT, Time } from '../openapi/schema-parts.ts'

const TimeZone = {
  description:
    'IANA name of the time zone in which pages show times, such as `Europe/Berlin`. API responses are always in UTC.',
}
const ShownCompany = Type.Object(
  { id: Type.String(), name: Type.String(), time_zone: Type.String(TimeZone), created_at: Time },
  { $id: 'Company', ...STRICT },
)
export const ChangeCompanyBody = Type.Partial(
  Type.Object({ time_zone: Type.String({ ...TimeZone, minLength: 1, maxLength: MAX_TIME_ZONE_CHARACTERS }) }),
  { ...STRICT, description: 'A JSON Merge Patch: absent fields keep their value.' },
)

const tags = ['Company']

/** `GET` and `PATCH /admin/v1/company`: the company and its settings, for administrators. */
export function company(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  app.get(
    '/company',
    {
      schema: {
        operationId: 'getCompany',
        summary: 'Get the company and its settings',
        tags,
        description: 'The company that the credentials belong to.',
        querystring: NoQuery,
        response: { 200: ShownCompany },
      },
    },
    async (request) => showCompany(await readCompany(db, actingUser(request).companyId)),
  )

  app.patch(
    '/company',
    {
      schema: {
        operationId: 'changeCompany',
        summary: "Change the company's time zone",
        tags,
        description: 'The web pages show times in this zone. The API always uses UTC.',
        querystring: NoQuery,
        body: ChangeCompanyBody,
        response: { 200: ShownCompany },
      },
      config: { mediaTypes: MERGE_PATCH_TYPES },
      bodyLimit: ADMIN_BODY_LIMIT,
    },
    async (request, reply) => {
      const changed = await changeTimeZone(services, actingUser(request), readTimeZoneField(request.body))
      setPositionHeader(reply, changed.position)
      return showCompany(changed.company)
    },
  )
}

/** Reads the new time zone. Throws a problem at the field if it is not a time zone. */
export function readTimeZoneField({ time_zone: text }: Static<typeof ChangeCompanyBody>): string | undefined {
  if (text === undefined) return undefined
  const timeZone = readTimeZone(text)
  if (timeZone !== null) return timeZone
  const message = 'time_zone must be an IANA time zone name, such as Europe/Berlin'
  throw new ProblemError(invalidFields([fieldError('/time_zone', 'invalid_value', message)]))
}

function showCompany({ id, name, timeZone, createdAt }: CompanyRecord): Static<typeof ShownCompany> {
  return { id, name, time_zone: timeZone, created_at: createdAt }
}
