import type { Static } from '@sinclair/typebox'
import type { SeenKey } from '#accounts/api-keys/read-api-keys'
import type { EditBody } from '#api/admin/api-key-schemas'
import {
  PROVIDER_QUOTA_LIMIT,
  type KeyScope,
  DEFAULT_QUOTA_LIMIT,
  DEFAULT_REFRESH_PERIOD,
  REFRESH_PERIODS,
} from '#domain/accounts/api-key'
import { FULL_ACCESS } from '#domain/accounts/key-access'
import { MAX_QUOTA } from '#domain/accounts/key-lifecycle'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import { findStartOf, formatLocal, readLocal } from '#domain/local-times'
import { trimBlanks } from '#text/normalize-text'
import { formatNumber } from '#wording/numbers'
import { readWholeNumber, type FormControl, type FormFields } from '../parts/form.ts'
import { formatScopes } from '../parts/key-words.ts'
import { describeZone } from '../parts/times.ts'

/** What the fields of a new key begin with; the others are empty. */
export const NEW_KEY = { refresh_period: DEFAULT_REFRESH_PERIOD, scopes: FULL_ACCESS.scopes.join(' ') }

type KeyField = FormControl & {
  name: keyof Static<typeof EditBody>
  /** What it shows of a key. */
  format(key: SeenKey['key']): string
  /**
   * What it says in the body that the endpoint takes; undefined leaves it out. A text that cannot be read is returned
   * unchanged, for the schema to refuse.
   */
  read(text: string): unknown
}

const PERIODS = REFRESH_PERIODS.map((value) => ({ value, label: value }))
const CHOICES: readonly (readonly KeyScope[])[] = [
  FULL_ACCESS.scopes,
  ['employees:read'],
  ['employees:write'],
  ['scim'],
]
const SCOPES = CHOICES.map((scopes) => ({ value: scopes.join(' '), label: formatScopes(scopes) }))
const QUOTAS = `${formatNumber(DEFAULT_QUOTA_LIMIT)}, or ${formatNumber(PROVIDER_QUOTA_LIMIT)} for SCIM`

/** A limit is a number or a share. */
const LIMIT = {
  maxLength: 9,
  autocomplete: 'off',
  isRequired: false,
  read(text: string) {
    const trimmed = text.replaceAll(' ', '')
    if (trimmed === '') return null
    return trimmed.endsWith('%') ? trimmed : readWholeNumber(trimmed)
  },
}

/** The fields of a key, for a company in this time zone. */
export function listKeyFields(timeZone: string): readonly KeyField[] {
  return [
    {
      name: 'name',
      label: 'Name',
      maxLength: 120,
      autocomplete: 'off',
      hint: 'What uses the key, such as “Nightly HR sync”.',
      format: ({ name }) => name,
      read: trimBlanks,
    },
    {
      name: 'quota_limit',
      label: 'Quota',
      type: 'number',
      min: 0,
      max: MAX_QUOTA,
      isRequired: false,
      hint: `Calls per period: unless you choose, ${QUOTAS}.`,
      format: ({ quotaLimit }) => String(quotaLimit),
      read: (text) => (trimBlanks(text) === '' ? undefined : readWholeNumber(text)),
    },
    {
      name: 'refresh_period',
      label: 'Quota resets',
      options: PERIODS,
      hint: 'By the calendar, in UTC; weeks start on Monday.',
      format: ({ refreshPeriod }) => refreshPeriod,
      read: (text) => text,
    },
    {
      name: 'scopes',
      label: 'Access',
      options: SCOPES,
      hint: 'What calls with the key may do with employees. SCIM is for identity providers such as Okta and Entra.',
      format: ({ scopes }) => scopes.join(' '),
      read: (text) => text.split(' '),
    },
    {
      name: 'expires_at',
      label: 'Expires',
      type: 'datetime-local',
      isRequired: false,
      hint: `${describeZone(timeZone)} Leave empty for a key that does not expire.`,
      format: ({ expiresAt }) => (expiresAt === null ? '' : formatLocal(Date.parse(expiresAt), timeZone)),
      read(text) {
        if (text === '') return null
        return readLocal(text) ? new Date(findStartOf(text, timeZone)).toISOString() : text
      },
    },
    {
      name: 'allowed_networks',
      label: 'Allowed networks',
      lines: 3,
      isRequired: false,
      hint: 'Addresses, or networks such as 192.0.2.0/24, one per line. Leave empty to allow any address.',
      format: ({ allowedNetworks }) => (allowedNetworks ?? []).join('\n'),
      read: readWords,
    },
    {
      name: 'writable_fields',
      label: 'Fields it may write',
      lines: 3,
      isRequired: false,
      hint:
        `Leave empty for all. Others are accepted, ignored, and noted in the log. Names: ${ATTRIBUTE_NAMES.join(', ')}. ` +
        'Leave status out if another system says who has left.',
      format: ({ writableFields }) => (writableFields ?? []).join(' '),
      read: (text) => (trimBlanks(text) === '' ? null : readWords(text)),
    },
    {
      ...LIMIT,
      name: 'max_deactivations',
      label: 'Deactivations a day',
      hint:
        'A call that would deactivate more people in a day (UTC) is refused, until you allow it: a number, or a ' +
        'share of the active people, such as 10%. Leave empty for no limit.',
      format: ({ limits }) => String(limits.max_deactivations ?? ''),
    },
    {
      ...LIMIT,
      name: 'max_changes',
      label: 'Changes a day',
      hint: 'The same for all people who are changed, including those who are deactivated.',
      format: ({ limits }) => String(limits.max_changes ?? ''),
    },
  ]
}

function readWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

/** The names of the fields of a key. */
export const KEY_FIELDS = listKeyFields('UTC').map(({ name }) => name)

/** Reads the fields of a key as the body that the endpoint takes. Those that were not sent are absent. */
export function readKeyBody(fields: FormFields, timeZone: string): object {
  const sent = listKeyFields(timeZone).filter(({ name }) => fields[name] !== undefined)
  const values = sent.map(({ name, read }) => [name, read(fields[name]!)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Formats a key as the fields of the form. */
export function formatKeyFields({ key }: SeenKey, timeZone: string): FormFields {
  return Object.fromEntries(listKeyFields(timeZone).map(({ name, format }) => [name, format(key)]))
}
