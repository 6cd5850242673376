import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Report } from '#personal-data/report'
import { sendReport } from '#api/admin/personal-data'
import { readFormFields } from './form.ts'
import { renderForm, type PageForms } from './form-page.ts'
import { html } from './elements.ts'
import { type PageServices, requireViewer } from './context.ts'

/** Renders the buttons of a form that asks for a report of what is held about a person. */
export function renderReportButtons() {
  return html`<div class="actions">
    <button name="format" value="html">Download as a page</button>
    <button name="format" value="json">Download as JSON</button>
  </div>`
}

/** Renders a section with the form `report`, which asks for what is held about a user. */
export function renderReportForm(forms: PageForms<'report'>, title: string, text: string) {
  return html`<h2>${title}</h2>
    <p>${text} The event stream records each report.</p>
    ${renderForm(forms, 'report', { buttons: renderReportButtons() })}`
}

/** Sends a report in the format that a form asks for, while its user stays signed in. */
export function sendReportFile(
  { access, sessions }: Pick<PageServices, 'access' | 'sessions'>,
  request: FastifyRequest,
  reply: FastifyReply,
  report: Report,
) {
  const format = readFormFields(request.body)['format'] === 'json' ? 'json' : 'html'
  return sendReport({ request, reply, authorize: requireViewer(access, sessions) }, report, format)
}
