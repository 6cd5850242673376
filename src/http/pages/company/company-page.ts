import { databaseTime } from '../../../postgres/database-clock.ts'
import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { CompanyServices } from '../../../accounts/change-company.ts'
import { changeTimeZone } from '../../../accounts/companies/change-time-zone.ts'
import { readCompany } from '../../../accounts/companies/read-company.ts'
import { TIME_ZONES } from '../../../domain/accounts/time-zone.ts'
import { formatTime } from '../../../domain/local-times.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ChangeCompanyBody, readTimeZoneField } from '../../admin/company.ts'
import { renderFacts, renderId } from '../parts/facts.ts'
import { checkForm, renderChoice } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.company

/** `/settings/company`: the company and its time zone. */
export function addCompanyPage(app: FastifyInstance, db: LedgerDb, services: CompanyServices): void {
  addFormPage(app, {
    path: PATH,
    load: (request) => readCompany(db, getViewer(request).companyId),
    render: ({ id, name, createdAt, timeZone }, forms) => ({
      title: 'Company',
      body: html`${renderFacts([
        ['Name', html`<bdi>${name}</bdi>`],
        ['ID', renderId('company-id', id)],
        ['Registered', renderTime(createdAt, timeZone)],
      ])}
      ${renderForm(forms, 'edit', {
        values: { time_zone: timeZone },
        fields: ({ time_zone: value = timeZone }, problem) => {
          const hint = `All pages show times in this zone. Current time: ${formatTime(databaseTime(), timeZone)}.`
          const options = listZones(timeZone)
          return renderChoice({ name: 'time_zone', label: 'Time zone', value, options, hint }, problem)
        },
        buttons: html`<button class="primary">Save</button>`,
      })}`,
    }),
    notices: { changed: 'Time zone changed.' },
    forms: {
      edit: {
        keeps: ['time_zone'],
        async run(request, { time_zone }) {
          const body = checkForm(ChangeCompanyBody, time_zone === undefined ? {} : { time_zone })
          const { position } = await changeTimeZone(services, getActing(request), readTimeZoneField(body))
          return position === null ? { goTo: PATH } : { done: 'changed' }
        },
      },
    },
  })
}

/** Lists the time zones. The company may have one that the list leaves out: another client may have set it. */
function listZones(current: string): { value: string; label: string }[] {
  const zones = TIME_ZONES.includes(current) ? TIME_ZONES : [current, ...TIME_ZONES]
  return zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
