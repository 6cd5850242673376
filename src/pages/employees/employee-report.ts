import type { FastifyInstance } from 'fastify'
import { fieldError, invalidFields } from '#domain/errors'
import { ALWAYS } from '#http/access/heavy-reads'
import { ErasureBody, makeReport } from '#api/admin/personal-data'
import { ProblemError } from '#http/server/problem'
import { checkForm, pickFields, readFormFields, renderField } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { renderReportButtons, sendReportFile } from '../parts/report-download.ts'
import { getActing } from '../parts/viewer.ts'
import { renderPersonFields } from './person-fields.ts'

/** Where administrators ask what is held about a person. */
export const REPORT_PATH = `${NAVIGATION.employees.path}/personal-data`

const ONE_OF_FOUR = fieldError(
  '',
  'invalid_value',
  'Enter exactly one: an employee ID, an email, an external ID, or a user name',
)
const FIELDS = ['employee_id', 'email', 'external_id', 'user_name'] as const

/** `/settings/employees/personal-data`: a report of an employee, or of a person who appears only in refused records. */
export function addEmployeeReport(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: REPORT_PATH,
    load: async () => null,
    render: (_, forms, { query }) => ({
      title: 'What is held about a person',
      trail: [NAVIGATION.employees],
      body: html`<p>
          The report lists everything that the service stores about an employee, or about someone who appears only in
          refused records: values, history, refused records, calls, and messages to webhooks. It also says what erasing the
          person deletes. The event stream records that you got it.
        </p>
        ${renderForm(forms, 'report', {
          values: readFormFields(query),
          fields: (values, problem) =>
            html`${renderField(
              {
                name: 'employee_id',
                label: 'Employee ID',
                value: values['employee_id'] ?? '',
                isRequired: false,
                autocomplete: 'off',
              },
              problem,
            )}
            ${renderPersonFields('Or email', values, problem)}`,
          buttons: renderReportButtons(),
        })}`,
    }),
    forms: {
      report: {
        config: { isHeavyRead: ALWAYS },
        keeps: FIELDS,
        async run(request, fields, reply) {
          const given = pickFields(fields, FIELDS)
          if (Object.keys(given).length !== 1) throw new ProblemError(invalidFields([ONE_OF_FOUR]))
          const person = checkForm(ErasureBody, given)
          const reading = { ...services.company, db: services.db }
          const report = await makeReport(reading, getActing(request), person, request.left)
          return sendReportFile(services, request, reply, report)
        },
      },
    },
  })
}
