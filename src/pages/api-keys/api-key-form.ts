import { ATTRIBUTE_NAMES } from '../../domain/attributes.ts'
import { FULL_ACCESS } from '../../domain/accounts/key-access.ts'
import { PROVIDER_QUOTA_LIMIT, type KeyScope } from '../../domain/accounts/api-key.ts'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD, REFRESH_PERIODS } from '../../domain/accounts/quota.ts'
import { MAX_QUOTA } from '../../domain/accounts/key-lifecycle.ts'
import type { SeenKey } from '../../accounts/api-keys/read-api-keys.ts'
import { type FormFields, type FormProblem, readWholeNumber, renderChoice, renderField } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { formatScopes } from '../parts/key-words.ts'
import { formatNumber } from '../../wording/numbers.ts'
import { findStartOf, formatLocal, readLocal } from '../../domain/local-times.ts'
import { describeZone } from '../parts/times.ts'
import { trimBlanks } from '../../text/normalize-text.ts'

/** The fields of a new key. */
export const NEW_KEY = {
  name: '',
  quota_limit: '',
  refresh_period: DEFAULT_REFRESH_PERIOD,
  scopes: FULL_ACCESS.scopes.join(' '),
  expires_at: '',
  allowed_networks: '',
  writable_fields: '',
  max_deactivations: '',
  max_changes: '',
}

/** The names of the fields of the form of a key. */
export const KEY_FIELDS = Object.keys(NEW_KEY)

/** Reads the fields of a key as the body that the endpoint takes. Fields of the access that were not sent are absent. */
export function readKeyBody(fields: FormFields, timeZone: string) {
  const { name = '', quota_limit: limit, refresh_period: period = '' } = fields
  const { scopes, expires_at: expiry, allowed_networks: networks } = fields
  const { writable_fields: writable, max_deactivations: deactivations, max_changes: changes } = fields
  return {
    name: trimBlanks(name),
    ...(limit !== undefined && trimBlanks(limit) === '' ? {} : { quota_limit: readWholeNumber(limit) }),
    refresh_period: period,
    ...(scopes === undefined ? {} : { scopes: scopes.split(' ') }),
    ...(expiry === undefined ? {} : { expires_at: readExpiry(expiry, timeZone) }),
    ...(deactivations === undefined ? {} : { max_deactivations: readLimit(deactivations) }),
    ...(changes === undefined ? {} : { max_changes: readLimit(changes) }),
    ...(networks === undefined ? {} : { allowed_networks: readWords(networks) }),
    ...(writable === undefined ? {} : { writable_fields: trimBlanks(writable) === '' ? null : readWords(writable) }),
  }
}

function readWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

/** A text that is neither a number nor a share is returned unchanged, for the schema to refuse. */
function readLimit(text: string) {
  const trimmed = text.replaceAll(' ', '')
  if (trimmed === '') return null
  return trimmed.endsWith('%') ? trimmed : readWholeNumber(trimmed)
}

/** Any text that is not a local time is returned unchanged, for the schema to refuse. */
function readExpiry(text: string, timeZone: string): string | null {
  if (text === '') return null
  return readLocal(text) ? new Date(findStartOf(text, timeZone)).toISOString() : text
}

/** Formats the fields of a key as `renderKeyFields` shows them. */
export function formatKeyFields({ key }: SeenKey, timeZone: string) {
  return {
    name: key.name,
    quota_limit: String(key.quotaLimit),
    refresh_period: key.refreshPeriod,
    scopes: key.scopes.join(' '),
    expires_at: key.expiresAt === null ? '' : formatLocal(Date.parse(key.expiresAt), timeZone),
    allowed_networks: (key.allowedNetworks ?? []).join('\n'),
    writable_fields: (key.writableFields ?? []).join(' '),
    max_deactivations: String(key.limits.max_deactivations ?? ''),
    max_changes: String(key.limits.max_changes ?? ''),
  }
}

const PERIODS = REFRESH_PERIODS.map((value) => ({ value, label: value }))
const CHOICES: readonly (readonly KeyScope[])[] = [
  FULL_ACCESS.scopes,
  ['employees:read'],
  ['employees:write'],
  ['scim'],
]
const SCOPES = CHOICES.map((scopes) => ({
  value: scopes.join(' '),
  label: formatScopes(scopes),
}))

/** Renders the fields of a key. */
export function renderKeyFields(
  { name = '', quota_limit: limit = '', refresh_period: period = '', ...access }: FormFields,
  problem: FormProblem,
  timeZone: string,
): Html {
  const { scopes = '', expires_at: expiry = '', allowed_networks: networks = '', writable_fields: fields = '' } = access
  const { max_deactivations: deactivations = '', max_changes: changes = '' } = access
  return html`${renderField({ name: 'name', label: 'Name', value: name, maxLength: 120, autocomplete: 'off', hint: 'What uses the key, such as “Nightly HR sync”.' }, problem)}
  ${renderField({ name: 'quota_limit', label: 'Quota', type: 'number', value: limit, min: 0, max: MAX_QUOTA, isRequired: false, hint: `Calls per period: unless you choose, ${formatNumber(DEFAULT_QUOTA_LIMIT)}, or ${formatNumber(PROVIDER_QUOTA_LIMIT)} for SCIM.` }, problem)}
  ${renderChoice({ name: 'refresh_period', label: 'Quota resets', value: period, options: PERIODS, hint: 'By the calendar, in UTC; weeks start on Monday.' }, problem)}
  ${renderChoice({ name: 'scopes', label: 'Access', value: scopes, options: SCOPES, hint: 'What calls with the key may do with employees. SCIM is for identity providers such as Okta and Entra.' }, problem)}
  ${renderField({ name: 'expires_at', label: 'Expires', type: 'datetime-local', value: expiry, isRequired: false, hint: `${describeZone(timeZone)} Leave empty for a key that does not expire.` }, problem)}
  ${renderField({ name: 'allowed_networks', label: 'Allowed networks', value: networks, lines: 3, isRequired: false, hint: 'Addresses, or networks such as 192.0.2.0/24, one per line. Leave empty to allow any address.' }, problem)}
  ${renderField({ name: 'writable_fields', label: 'Fields it may write', value: fields, lines: 3, isRequired: false, hint: `Leave empty for all. Others are accepted, ignored, and noted in the log. Names: ${ATTRIBUTE_NAMES.join(', ')}. Leave status out if another system says who has left.` }, problem)}
  ${renderField({ name: 'max_deactivations', label: 'Deactivations a day', value: deactivations, maxLength: 9, autocomplete: 'off', isRequired: false, hint: 'A call that would deactivate more people in a day (UTC) is refused, until you allow it: a number, or a share of the active people, such as 10%. Leave empty for no limit.' }, problem)}
  ${renderField({ name: 'max_changes', label: 'Changes a day', value: changes, maxLength: 9, autocomplete: 'off', isRequired: false, hint: 'The same for all people who are changed, including those who are deactivated.' }, problem)}`
}
