import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { changeAlerts, wantsAlerts } from '../../../accounts/attention/change-alerts.ts'
import { readFormFields } from '../parts/form.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing } from '../parts/viewer.ts'

/** Adds the route that turns alerts by email on or off for the acting administrator. */
export function addAlertsRoute(app: FastifyInstance, { company }: PageServices): void {
  app.post(`${ACCOUNT_PATH}/alerts`, async (request, reply) => {
    const isWanted = readFormFields(request.body)['alerts'] === 'on'
    await changeAlerts(company, getActing(request), isWanted)
    return reply.redirect(`${ACCOUNT_PATH}?done=${isWanted ? 'alerts' : 'no-alerts'}`, 303)
  })
}

/** Renders the choice of alerts; nothing for users who are not administrators, or where no email can be sent. */
export async function renderAlerts(
  { db, company }: PageServices,
  { companyId, userId, role }: SessionUser,
): Promise<Html> {
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
    <form method="post" action="${ACCOUNT_PATH}/alerts">
      <button name="alerts" value="${isOn ? 'off' : 'on'}">${isOn ? 'Stop alerts' : 'Email me alerts'}</button>
    </form>`
}
