import { omitUndefined } from '#domain/omit-undefined'
import { databaseTime } from '#postgres/database-clock'
import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { changeSettings, readCompany, type CompanyRecord } from '#accounts/companies/companies'
import { TIME_ZONES, COUNTRIES } from '#domain/accounts/company-settings'
import { formatTime } from '#domain/local-times'
import { ChangeCompanyBody, readSettings } from '#api/admin/company'
import { isolate, renderFacts, renderId, html, renderTime } from '#pages/parts/elements'
import { checkForm } from '#pages/parts/form'
import { addFormPage, renderForm } from '#pages/parts/form-page'
import { NAVIGATION } from '#wording/navigation'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'

const { path: PATH } = NAVIGATION.company

/** `/settings/company`: the company, its time zone, and its country. */
export function addCompanyPage(app: FastifyInstance, { db, company }: PageServices) {
  addFormPage(app, {
    path: PATH,
    load: (request) => readCompany(db, getViewer(request).companyId),
    render(shown, forms) {
      const { timeZone, country } = shown
      const hint = `All pages show times in this zone. Current time: ${formatTime(databaseTime(), timeZone)}.`
      const zoneField = { name: 'time_zone', label: 'Time zone', options: listZones(timeZone), hint }
      const countryField = { ...COUNTRY_FIELD, options: listCountries(country) }
      return {
        title: 'Company',
        body: html`${renderFacts({
          Name: isolate(shown.name),
          ID: renderId('company-id', shown.id),
          Registered: renderTime(shown.createdAt, timeZone),
        })}
        ${renderForm(forms, 'edit', {
          values: formatSettings(shown),
          fields: [zoneField, countryField],
          buttons: html`<button class="primary">Save</button>`,
        })}`,
      }
    },
    notices: { changed: 'Company changed.' },
    forms: {
      edit: {
        keeps: Object.keys(ChangeCompanyBody.properties),
        async run(request, { time_zone, country }) {
          const body = checkForm(ChangeCompanyBody, {
            ...omitUndefined({ time_zone }),
            ...(country === undefined ? {} : { country: country === '' ? null : country }),
          })
          const { position } = await changeSettings(company, getActing(request), readSettings(body))
          return position === null ? { goTo: PATH } : { done: 'changed' }
        },
      },
    },
  })
}

/** Writes the settings into the fields of the form, which are named as in the body of the endpoint. */
function formatSettings({ timeZone, country }: CompanyRecord): Record<keyof Static<typeof ChangeCompanyBody>, string> {
  return { time_zone: timeZone, country: country ?? '' }
}

const COUNTRY_FIELD = {
  name: 'country',
  label: 'Country',
  hint: 'Phone numbers without a country code are numbers of this country. Without a country, they are refused.',
}

/** Lists the countries, and none. An earlier version may have known one more. */
function listCountries(current: string | null) {
  const isListed = current === null || COUNTRIES.some(({ code }) => code === current)
  const others = isListed ? [] : [{ value: current, label: current }]
  return [
    { value: '', label: 'None' },
    ...others,
    ...COUNTRIES.map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
  ]
}

/** Lists the time zones. The company may have one that the list leaves out: another client may have set it. */
function listZones(current: string) {
  const zones = TIME_ZONES.includes(current) ? TIME_ZONES : [current, ...TIME_ZONES]
  return zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
