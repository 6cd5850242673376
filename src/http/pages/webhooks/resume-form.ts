import { findResumePosition } from '../../../accounts/webhooks/find-resume-position.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { ResumeBody } from '../../admin/webhooks/webhook-schemas.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { checkForm, renderField, readWholeNumber, type FormFields, type FormProblem } from '../parts/form.ts'
import { findStartOf, readLocal } from '../../../domain/local-times.ts'
import { html, type Html } from '../parts/html.ts'
import { describeZone } from '../parts/times.ts'

/** The fields of `renderResumeFields`. */
export const RESUME_FIELDS = ['since', 'after'] as const

/** Renders the fields that say from where messages are sent. */
export function renderResumeFields(
  { since = '', after = '' }: FormFields,
  problem: FormProblem,
  timeZone: string,
): Html {
  return html`${renderField({ name: 'since', label: 'Events since', type: 'datetime-local', value: since, isRequired: false, hint: describeZone(timeZone) }, problem)}
  ${renderField({ name: 'after', label: 'Or events after number', type: 'number', value: after, min: 0, isRequired: false, hint: 'As in the event stream; 0 for all events.' }, problem)}`
}

/** Reads the position after which messages are sent. Throws a problem at the field. */
export async function readResumeForm(
  db: LedgerDb,
  companyId: string,
  { since = '', after = '' }: FormFields,
  timeZone: string,
): Promise<number> {
  const refuse = (message: string) => new ProblemError(invalidFields([fieldError('/since', 'invalid_value', message)]))
  if ((since === '') === (after === '')) throw refuse('Enter either a time or the number of an event')
  if (since === '') return checkForm(ResumeBody, { after: readWholeNumber(after) }).after!
  if (!readLocal(since)) throw refuse('Enter a date and a time')
  return findResumePosition(db, companyId, new Date(findStartOf(since, timeZone)).toISOString())
}
