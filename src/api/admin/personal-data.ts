import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { RefusedByStateError, type Acting, type CompanyServices } from '#accounts/change-company'
import { NO_SUCH_USER } from '#accounts/users/change-user'
import { isId } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { reportEmployee } from '#personal-data/report-employee'
import { reportUser } from '#personal-data/report-user'
import { type Report, writeJson, writeHtml } from '#personal-data/report'
import {
  oneOf,
  optionalString,
  requireOnly,
  namedObject,
  strictObject,
  textOrNull,
  count,
  text,
} from '#http/openapi/schema-parts'
import { streamTexts, type Reader, formatFileTime, sendAttachment } from '#http/server/text-stream'
import { actingUser, HEAVY_JSON_BODY, setPositionHeader } from './company-schemas.ts'
import { eraseEmployee } from '#personal-data/erase-employee'
import type { NamedPerson } from '#personal-data/find-person'
import { refuseField } from '#http/server/problem'

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
    positions: count(
      'The number of events whose data was erased. 0 if the person appeared only beside them, such as in a ' +
        'body that could not be read or in an uploaded file.',
    ),
  }),
  position: Type.Integer({ minimum: 1, description: 'The ledger position of the event that records the erasure.' }),
})

const ERASE_PERSON = {
  operationId: 'erasePerson',
  summary: 'Erase a person permanently',
  description:
    'Erases the data of an employee from the ledger, and every refused record that contains their id, or a current ' +
    'or former email address, external id, or user name. This cannot be undone. Ids, counts and hashes remain, so ' +
    'every proof still verifies. Bulk User Logs shows the records as erased. Returns 404 if there is nothing to ' +
    'erase.',
  body: ErasureBody,
  response: { 200: Erasure },
  problems: ['employee_not_found', 'former_name'],
} satisfies FastifySchema

/** The route that erases a person, for administrators. */
export function erasures(app: FastifyInstance, services: CompanyServices) {
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
function listIdentifiers(body: Static<typeof ErasureBody>): NamedPerson[] {
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
function refuseIdentifiers(code: 'invalid_value' | 'required', message: string) {
  return refuseField('', message, code)
}

const FORMATS = ['json', 'html'] as const

const ReportBody = requireOnly(
  [],
  {
    ...ErasureBody.properties,
    user_id: optionalString({ minLength: 1, maxLength: 1_000, description: 'The id of a user, removed or not.' }),
    format: { ...oneOf(FORMATS, 'JSON, or a page to read, print, and hand over.'), default: 'json' },
  },
  { description: 'Send exactly one of the four identifiers.' },
)

const Section = Type.Object({
  title: Type.String(),
  description: text('What this section contains, in sentences.'),
  erases: Type.Array(Type.String(), { description: "The fields that the person's erasure deletes; none if all stay." }),
  items: Type.Array(Type.Object({}, { additionalProperties: true })),
})

const PersonalDataReport = Type.Object(
  {
    title: Type.String(),
    facts: Type.Object(
      {},
      { additionalProperties: true, description: 'Who the report is about, and when it was made.' },
    ),
    sections: Type.Record(Type.String(), Section, { description: 'What is held, by the kind of place.' }),
  },
  { $id: 'PersonalDataReport' },
)

type ReportServices = CompanyServices & { db: LedgerDb }

const REPORT_PERSONAL_DATA = {
  operationId: 'reportPersonalData',
  summary: 'Report what is held about a person',
  description:
    'Finds everything that an erasure of the person would find, and what it would leave: of an employee, or of a ' +
    'user. The report is streamed as it is read; if it cannot be completed, the connection breaks. The ledger ' +
    'records that you got it, with an event that names the id alone.',
  body: ReportBody,
  response: {
    200: {
      description: 'The report.',
      content: { 'application/json': { schema: PersonalDataReport }, 'text/html': { schema: Type.String() } },
    },
  },
  problems: ['employee_not_found', 'user_not_found', 'former_name'],
} satisfies FastifySchema

/** The route that reports what is held about a person, for administrators. */
export function personalData(app: FastifyInstance, services: ReportServices, authorize: Reader['authorize']) {
  app.post('/personal-data-reports', { schema: REPORT_PERSONAL_DATA, ...HEAVY_JSON_BODY }, async (request, reply) => {
    const report = await makeReport(services, actingUser(request), request.body, request.left)
    return sendReport({ request, reply, authorize }, report, request.body.format)
  })
}

/** Makes the report that a body asks for. Throws a problem unless the body has exactly one identifier. */
export function makeReport(
  services: ReportServices,
  acting: Acting,
  body: Omit<Static<typeof ReportBody>, 'format'>,
  left?: AbortSignal,
): Promise<Report> {
  const { user_id: userId } = body
  const [named, ...others] = listIdentifiers(body)
  if (named && others.length === 0 && userId === undefined) return reportEmployee(services, acting, named, left)
  const message = 'Send exactly one of employee_id, email, external_id, user_name and user_id'
  if (named || userId === undefined) throw refuseIdentifiers(named ? 'invalid_value' : 'required', message)
  if (!isId('usr', userId)) throw new RefusedByStateError(NO_SUCH_USER)
  return reportUser(services, acting, userId)
}

/** Streams a report as a file to download. */
export async function sendReport(
  reader: Reader,
  report: Report,
  format: (typeof FORMATS)[number],
): Promise<FastifyReply> {
  const { id, position, reportedAt } = report.subject
  const [type, texts] =
    format === 'html'
      ? (['text/html; charset=utf-8', writeHtml(report)] as const)
      : (['application/json; charset=utf-8', writeJson(report)] as const)
  const content = await streamTexts(reader, texts)
  const fileName = `personal-data-${id ?? 'person'}-${formatFileTime(reportedAt)}.${format}`
  return sendAttachment(setPositionHeader(reader.reply, position), fileName, type, content)
}
