import type { FastifyRequest } from 'fastify'
import { changeAlerts, wantsAlerts } from '../../../accounts/attention/change-alerts.ts'
import { renderForm, type Form, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/** Makes the form that turns alerts by email on or off for the acting administrator. */
export function makeAlertsForm({ company }: PageServices): Form<unknown, 'alerts' | 'no-alerts'> {
  return {
    path: '/alerts',
    async run(request, { alerts }) {
      const isWanted = alerts === 'on'
      await changeAlerts(company, getActing(request), isWanted)
      return { done: isWanted ? 'alerts' : 'no-alerts' }
    },
  }
}

/** Renders the choice of alerts; nothing for users who are not administrators, or where no email can be sent. */
export async function renderAlerts<Name extends string>(
  { db, company }: PageServices,
  forms: PageForms<Name | 'alerts'>,
  request: FastifyRequest,
): Promise<Html> {
  const { companyId, userId, role } = getViewer(request)
  if (role !== 'admin' || !company.outbox) return html``
  const isOn = await wantsAlerts(db, companyId, userId)
  return html`<h2>Alerts</h2>
    <p>
      ${
        isOn
          ? 'You get an email when something begins or stops needing attention, at most one in 15 minutes.'
          : 'Get an email when something begins or stops needing attention, such as a webhook that fails.'
      }
    </p>
    ${renderForm(forms, 'alerts', {
      buttons: html`<button name="alerts" value="${isOn ? 'off' : 'on'}">${isOn ? 'Stop alerts' : 'Email me alerts'}</button>`,
    })}`
}
