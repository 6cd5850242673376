import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { Problem } from '../../../domain/errors.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { ErasureBody } from '../../admin/erasures.ts'
import { makeReport } from '../../admin/personal-data.ts'
import {
  checkForm,
  readFormFields,
  renderField,
  renderFormAlert,
  toFormProblem,
  type FormProblem,
} from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderReportButtons, sendReportFile } from '../parts/report-download.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/** Where administrators ask what is held about a person. */
export const REPORT_PATH = `${NAVIGATION.employees.path}/personal-data`

const FIELDS = ['employee_id', 'email', 'external_id'] as const

/** `/settings/employees/personal-data`: a report of an employee, or of a person who appears only in refused records. */
export function addEmployeeReport(app: FastifyInstance, services: PageServices): void {
  const show = (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
    sendReportForm(request, reply, request.body, problem)
  app.get(REPORT_PATH, (request, reply) => sendReportForm(request, reply, request.query, null))
  app.post(
    REPORT_PATH,
    { config: { isHeavyRead: ALWAYS, keptForm: { fields: FIELDS, show } } },
    async (request, reply) => {
      const fields = readFormFields(request.body)
      const given = FIELDS.map((name) => [name, (fields[name] ?? '').trim()]).filter(([, text]) => text !== '')
      try {
        const person = checkForm(ErasureBody, Object.fromEntries(given))
        return await sendReportFile(
          services,
          request,
          reply,
          await makeReport({ ...services.company, db: services.db }, getActing(request), person, request.left),
        )
      } catch (error) {
        return sendReportForm(request, reply, request.body, toFormProblem(error))
      }
    },
  )
}

function sendReportForm(
  request: FastifyRequest,
  reply: FastifyReply,
  given: unknown,
  problem: FormProblem,
): Promise<FastifyReply> {
  const { employee_id: id = '', email = '', external_id: externalId = '' } = readFormFields(given)
  if (problem) void reply.code(problem.status)
  const optional = { isRequired: false, autocomplete: 'off' } as const
  return sendUserPage(request, reply, getViewer(request), {
    title: 'What is held about a person',
    body: html`${renderBreadcrumb(NAVIGATION.employees)}
      <h1>What is held about a person</h1>
      ${renderFormAlert(problem)}
      <p>
        The report lists everything that the service stores about an employee, or about someone who appears only in
        refused records: values, history, refused records, calls, and messages to webhooks. It also says what erasing the
        person deletes. The event stream records that you got it.
      </p>
      <form method="post" action="${REPORT_PATH}" class="stack">
        ${renderField({ name: 'employee_id', label: 'Employee ID', value: id, ...optional }, problem)}
        ${renderField({ name: 'email', label: 'Or email', value: email, ...optional, hint: 'Current, or as it appears in a refused record; case does not matter.' }, problem)}
        ${renderField({ name: 'external_id', label: 'Or external ID', value: externalId, ...optional, hint: 'Exactly as sent.' }, problem)}
        ${renderReportButtons()}
      </form>`,
  })
}
