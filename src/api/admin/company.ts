import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { CompanyServices } from '#accounts/change-company'
import { changeSettings, type CompanySettings, readCompany, type CompanyRow } from '#accounts/companies/companies'
import { MAX_TIME_ZONE_CHARACTERS, readTimeZone, readCountry } from '#domain/accounts/company-settings'
import type { LedgerDb } from '#ledger/tables'
import { fieldError, invalidFields } from '#domain/errors'
import { ProblemError } from '#http/server/problem'
import { actingUser, MERGE_PATCH_BODY, setPositionHeader } from './company-schemas.ts'
import { mergePatch, namedObject, nullable, Time, render } from '#http/openapi/schema-parts'

const TimeZone = {
  description:
    'IANA name of the time zone in which pages show times, such as `Europe/Berlin`. API responses are always in UTC.',
}
const Country = {
  description:
    'ISO 3166-1 alpha-2 code, such as `DE`. Phone numbers without a country code are numbers of this country; ' +
    'they are refused if it is null.',
}
const ShownCompany = namedObject('Company', {
  id: Type.String(),
  name: Type.String(),
  time_zone: Type.String(TimeZone),
  country: nullable(Type.String(Country)),
  created_at: Time,
} satisfies Record<'id' | keyof Omit<CompanyRow, 'company_id'>, TSchema>)
export const ChangeCompanyBody = mergePatch(
  {
    time_zone: Type.String({ ...TimeZone, minLength: 1, maxLength: MAX_TIME_ZONE_CHARACTERS }),
    country: nullable(Type.String(Country)),
  },
  'absent fields keep their value, and null removes the country',
)

const GET_COMPANY = {
  operationId: 'getCompany',
  summary: 'Get the company and its settings',
  description: 'The company that the credentials belong to.',
  response: { 200: ShownCompany },
} satisfies FastifySchema

const CHANGE_COMPANY = {
  operationId: 'changeCompany',
  summary: "Change the company's time zone or country",
  description: 'Calls that are decided after the answer use the new country.',
  body: ChangeCompanyBody,
  response: { 200: ShownCompany },
} satisfies FastifySchema

/** `GET` and `PATCH /admin/v1/company`: the company and its settings, for administrators. */
export function company(app: FastifyInstance, db: LedgerDb, services: CompanyServices) {
  app.get('/company', { schema: GET_COMPANY }, async (request) =>
    render(ShownCompany, await readCompany(db, actingUser(request).companyId)),
  )

  app.patch('/company', { schema: CHANGE_COMPANY, ...MERGE_PATCH_BODY }, async (request, reply) => {
    const changed = await changeSettings(services, actingUser(request), readSettings(request.body))
    setPositionHeader(reply, changed.position)
    return render(ShownCompany, changed.company)
  })
}

/** Each setting; undefined if the body doesn't have it. */
type GivenSettings = { [Setting in keyof Required<CompanySettings>]: CompanySettings[Setting] }

/** Reads the new settings. Throws a problem at the fields that are no time zone or no country. */
export function readSettings({ time_zone: zone, country: code }: Static<typeof ChangeCompanyBody>): GivenSettings {
  const timeZone = zone === undefined ? undefined : readTimeZone(zone)
  const country = typeof code === 'string' ? readCountry(code) : code
  const wrong = [
    ...(timeZone === null ? [fieldError('/time_zone', 'invalid_value', NO_TIME_ZONE)] : []),
    ...(country === null && code !== null ? [fieldError('/country', 'invalid_value', NO_COUNTRY)] : []),
  ]
  if (timeZone === null || wrong.length > 0) throw new ProblemError(invalidFields(wrong))
  return { timeZone, country }
}

const NO_TIME_ZONE = 'time_zone must be an IANA time zone name, such as Europe/Berlin'
const NO_COUNTRY = 'country must be an ISO 3166-1 alpha-2 code, such as DE'
