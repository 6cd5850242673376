import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { RefusedByStateError, type Acting, type CompanyServices } from '../../accounts/change-company.ts'
import { NO_SUCH_USER } from '../../accounts/users/change-user.ts'
import { isId } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { reportEmployee } from '../../personal-data/report-employee.ts'
import { reportUser } from '../../personal-data/report-user.ts'
import type { Report } from '../../personal-data/report.ts'
import { writeHtml } from '../../personal-data/write-html.ts'
import { writeJson } from '../../personal-data/write-json.ts'
import { oneOf, optionalString, requireOnly } from '../../http/openapi/schema-parts.ts'
import { streamTexts, type Reader } from '../../http/server/text-stream.ts'
import { formatFileTime, sendAttachment } from '../../http/server/attachment.ts'
import { actingUser, HEAVY_JSON_BODY, setPositionHeader } from './company-schemas.ts'
import { ErasureBody, listIdentifiers, refuseIdentifiers } from './erasures.ts'

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
  description: Type.String({ description: 'What this section contains, in sentences.' }),
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
} as const satisfies FastifySchema

/** The route that reports what is held about a person, for administrators. */
export function personalData(app: FastifyInstance, services: ReportServices, authorize: Reader['authorize']): void {
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
