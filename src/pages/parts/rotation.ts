import type { Static, TSchema } from '@sinclair/typebox'
import { DEFAULT_OVERLAP_SECONDS } from '#domain/accounts/key-lifecycle'
import { checkForm, readWholeNumber, type FormFields } from './form.ts'
import { renderFormSection, type PageForms } from './form-page.ts'
import { html, type Html } from './elements.ts'
import { formatAge } from '#wording/numbers'

/** Says when a secret was last replaced, if ever. */
function describeRotation(rotatedAt: string | null, now: string) {
  return rotatedAt === null ? 'Never rotated' : `Rotated ${formatAge(Date.parse(rotatedAt), Date.parse(now))}`
}

/* The form that gives a thing a new secret. */

const OVERLAPS = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'after 1 hour' },
  { value: String(DEFAULT_OVERLAP_SECONDS), label: 'after 24 hours' },
  { value: '604800', label: 'after 7 days' },
]

interface Rotated {
  version: number
  /** When it last got a new secret, RFC 3339 UTC. */
  rotatedAt: string | null
}

/** Renders the form `rotate`. The text says what happens to the current secret. */
export function renderRotation(forms: PageForms<'rotate'>, { version, rotatedAt }: Rotated, now: string, text: Html) {
  return renderFormSection(forms, 'rotate', {
    heading: 'Secret rotation',
    status: describeRotation(rotatedAt, now),
    text,
    version,
    values: { overlap_seconds: String(DEFAULT_OVERLAP_SECONDS) },
    fields: [{ name: 'overlap_seconds', label: 'Expire current secret', options: OVERLAPS }],
    buttons: html`<button>Rotate secret</button>`,
  })
}

/** Reads how long the current secret stays valid, in seconds. Throws a problem at the field. */
export function readOverlap<Schema extends TSchema>(schema: Schema, fields: FormFields): Static<Schema> {
  return checkForm(schema, { overlap_seconds: readWholeNumber(fields['overlap_seconds']) })
}
