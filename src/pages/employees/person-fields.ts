import { renderField, type FormFields, type FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'

/** Renders the fields that name a person, one of which is filled in. */
export function renderPersonFields(
  emailLabel: string,
  { email = '', external_id: externalId = '', user_name: userName = '' }: FormFields,
  problem: FormProblem,
): Html {
  const optional = { isRequired: false, autocomplete: 'off' } as const
  const hint = 'Current, or as it appears in a refused record; case does not matter.'
  return html`${renderField({ name: 'email', label: emailLabel, value: email, ...optional, hint }, problem)}
  ${renderField({ name: 'external_id', label: 'Or external ID', value: externalId, ...optional, hint: 'Exactly as sent.' }, problem)}
  ${renderField({ name: 'user_name', label: 'Or user name', value: userName, ...optional, hint }, problem)}`
}
