import { trimBlanks } from '#text/normalize-text'
import { LIMITED } from '#domain/accounts/key-limits'
import type { SeenKey } from '#accounts/api-keys/read-api-keys'
import { readWholeNumber } from '../parts/form.ts'
import { renderFormSection, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'

/** Reads a number of people; null if the field is empty. A text that is no number is returned, for the schema to refuse. */
export function readExcess(text = '') {
  return trimBlanks(text) === '' ? null : readWholeNumber(text)
}

const PEOPLE = { type: 'number', min: 1, isRequired: false } as const

/** Renders the form `allow`, if a call was refused for the limits of a key since somebody last allowed one. */
export function renderAllow({ key: { version, limits, usage } }: SeenKey, forms: PageForms<'allow'>): Html {
  const refused = usage.people?.refused
  if (!refused) return html``
  return renderFormSection(forms, 'allow', {
    heading: 'Allow once',
    status: 'A call was beyond the daily limits',
    text: html`<p>
      For the next 24 hours, calls with this key pass that deactivate or change up to so many people, whatever its daily
      limits. <a href="/bulk-user-logs/${refused.log_id}">See the refused call</a>
    </p>`,
    version,
    values: Object.fromEntries(LIMITED.map((name) => [name, limits[name] === null ? '' : String(refused.call[name])])),
    fields: [
      { ...PEOPLE, name: 'max_deactivations', label: 'People to deactivate' },
      { ...PEOPLE, name: 'max_changes', label: 'People to change', hint: 'Including those who are deactivated.' },
    ],
    buttons: html`<button class="primary">Allow once</button>`,
    isOpen: true,
  })
}
