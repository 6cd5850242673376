import type { Static } from '@sinclair/typebox'
import type { SeenKey } from '#accounts/api-keys/api-keys'
import type { EditBody } from '#api/admin/api-key-schemas'
import {
  PROVIDER_QUOTA_LIMIT,
  type KeyScope,
  DEFAULT_QUOTA_LIMIT,
  DEFAULT_REFRESH_PERIOD,
  REFRESH_PERIODS,
  type ExpectedCalls,
  isSameExpectation,
  MAX_EVERY_HOURS,
  PROPOSAL_DAYS,
  proposeExpectedCalls,
  TIME_OF_DAY,
  WEEKDAYS,
} from '#domain/accounts/api-key'
import { MAX_QUOTA, FULL_ACCESS } from '#domain/accounts/key-lifecycle'
import { ATTRIBUTE_NAMES } from '#domain/attributes'
import { findStartOf, formatLocal, readLocal } from '#domain/local-times'
import { trimBlanks } from '#text/normalize-text'
import { formatNumber } from '#wording/numbers'
import { countCallsByHour } from '#projections/bulk-user-logs/usage-queries'
import type { LedgerDb } from '#ledger/tables'
import { refuseField } from '#http/server/problem'
import { LIMITED } from '#domain/accounts/key-limits'
import {
  readWholeNumber,
  type FormControl,
  type FormFields,
  findError,
  type FormProblem,
  renderFields,
  renderSeenVersion,
  renderHidden,
  renderBox,
  describeZone,
} from '#pages/parts/form'
import { formatScopes, DAYS, formatExpectedCalls } from '#pages/parts/key-words'
import { html } from '#pages/parts/elements'
import { renderFormSection, type PageForms } from '#pages/parts/form-page'
import { capitalise } from '#pages/parts/call-words'

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

/** The usual choices, and what a key has, which the API lets be anything. */
function listScopes(current: readonly KeyScope[]) {
  const isUsual = CHOICES.some((scopes) => scopes.join(' ') === current.join(' '))
  const choices = isUsual ? CHOICES : [...CHOICES, current]
  return choices.map((scopes) => ({ value: scopes.join(' '), label: formatScopes(scopes) }))
}

const QUOTAS = `${formatNumber(DEFAULT_QUOTA_LIMIT)}, or ${formatNumber(PROVIDER_QUOTA_LIMIT)} for SCIM`

/** A limit is a number or a share. */
const LIMIT = {
  maxLength: 9,
  isRequired: false,
  read(text: string) {
    const trimmed = text.replaceAll(' ', '')
    if (trimmed === '') return null
    return trimmed.endsWith('%') ? trimmed : readWholeNumber(trimmed)
  },
}

/** The fields of a key that has these scopes, for a company in this time zone. */
export function listKeyFields(timeZone: string, current = FULL_ACCESS.scopes): readonly KeyField[] {
  return [
    {
      name: 'name',
      label: 'Name',
      maxLength: 120,
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
      options: listScopes(current),
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
        'Leave empty for all. Others are accepted, ignored, and noted in the log. ' +
        `Names: ${ATTRIBUTE_NAMES.join(', ')}. ` +
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
      hint: 'The same for all changed people, including deactivated ones.',
      format: ({ limits }) => String(limits.max_changes ?? ''),
    },
  ]
}

function readWords(text: string) {
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

const WAY = {
  name: 'way',
  label: 'Calls are',
  options: [
    { value: 'never', label: 'not expected' },
    { value: 'time', label: 'by a time of day' },
    { value: 'hours', label: 'at least every … hours' },
  ],
}
const TIME = { name: 'by_time', label: 'Time of day', isRequired: false, maxLength: 5 }
const HOURS = {
  name: 'every_hours',
  label: 'Hours',
  type: 'number',
  isRequired: false,
  min: 1,
  max: MAX_EVERY_HOURS,
  hint: 'The longest time between two calls.',
} as const

/** The days that are chosen until somebody chooses others. */
const WORKDAYS = [1, 2, 3, 4, 5]

/** Reads the form. Throws a problem that names the field. */
export function readExpectedCalls(fields: FormFields) {
  if (fields['way'] === 'never') return null
  if (fields['way'] === 'hours') {
    const hours = readWholeNumber(fields['every_hours'])
    if (typeof hours === 'number' && hours >= 1 && hours <= MAX_EVERY_HOURS) return { every_hours: hours }
    throw refuse('every_hours', `must be a whole number from 1 to ${MAX_EVERY_HOURS}`)
  }
  const time = trimBlanks(fields['by_time'] ?? '')
  if (!new RegExp(TIME_OF_DAY).test(time)) throw refuse('by_time', 'must be hours and minutes, such as 06:00')
  const weekdays = WEEKDAYS.filter((weekday) => fields[`day_${weekday}`] !== undefined)
  if (weekdays.length === 0) throw refuse('days', 'needs at least one day')
  return { by_time: time, weekdays }
}

function refuse(name: string, rule: string) {
  return refuseField(`/${name}`, `${name} ${rule}`)
}

/** Proposes when to expect calls of a key, from those that it made in the last weeks; null if they show no habit. */
export async function readProposal(db: LedgerDb, companyId: string, { key, now }: SeenKey, timeZone: string) {
  const nowMs = Date.parse(now)
  const from = new Date(nowMs - PROPOSAL_DAYS * 86_400_000).toISOString()
  const hours = await countCallsByHour(db, companyId, { from, to: now }, { key: key.id })
  return proposeExpectedCalls(
    hours.map(({ hour }) => Date.parse(hour)),
    nowMs,
    timeZone,
  )
}

/** Renders the form `expect`, and the proposal if it differs from what is set. */
export function renderExpectedCalls(
  { key }: SeenKey,
  forms: PageForms<'expect'>,
  proposal: ExpectedCalls | null,
  timeZone: string,
) {
  const isProposed = proposal !== null && !isSameExpectation(proposal, key.expectedCalls)
  return renderFormSection(forms, 'expect', {
    heading: 'Expected calls',
    status: key.expectedCalls === null ? 'None' : capitalise(formatExpectedCalls(key.expectedCalls)),
    text: html`<p>
        If this key should send calls regularly, such as a nightly sync, say when. If none comes, it is shown under
        “Needs attention”.
      </p>
      ${isProposed && renderProposal(forms.actionOf('expect'), key.version, proposal)}`,
    version: key.version,
    values: formatFields(key.expectedCalls),
    fields: (values, problem) => renderExpectation(values, problem, timeZone),
    buttons: html`<button>Set expected calls</button>`,
  })
}

function renderProposal(action: string, version: number, proposal: ExpectedCalls) {
  return html`<form method="post" action="${action}" class="actions">
    ${renderSeenVersion(version)}
    ${Object.entries(formatFields(proposal)).map(([name, value]) => renderHidden(name, value))}
    <span>In the last ${PROPOSAL_DAYS} days, this key called ${formatExpectedCalls(proposal)}.</span>
    <button>Expect that</button>
  </form>`
}

function renderExpectation(fields: FormFields, problem: FormProblem, timeZone: string) {
  const noDay = findError('days', 'Days', problem)
  const hint = `Such as 06:00, in ${timeZone}. The call may come after that time of the day before.`
  return html`${renderFields([WAY], fields, problem)}
    <div class="way-time">${renderFields([{ ...TIME, hint }], fields, problem)}
    <fieldset${noDay !== undefined && html` aria-describedby="days-fault"`}>
      <legend>Days</legend>
      ${WEEKDAYS.map((weekday) => html`${renderBox(`day_${weekday}`, DAYS[weekday - 1]!, fields)} `)}
      ${noDay !== undefined && html`<p class="fault" id="days-fault">${noDay}</p>`}
    </fieldset></div>
    <div class="way-hours">${renderFields([HOURS], fields, problem)}</div>`
}

function formatFields(calls: ExpectedCalls | null): FormFields {
  if (calls === null) return { way: 'never', ...formatDays(WORKDAYS) }
  if ('every_hours' in calls) return { way: 'hours', every_hours: String(calls.every_hours), ...formatDays(WORKDAYS) }
  return {
    way: 'time',
    by_time: calls.by_time,
    ...formatDays(calls.weekdays),
  }
}

function formatDays(weekdays: readonly number[]): FormFields {
  return Object.fromEntries(weekdays.map((weekday) => [`day_${weekday}`, '1']))
}

/** Reads a number of people; null if the field is empty. Other texts are returned, for the schema to refuse. */
export function readExcess(text = '') {
  return trimBlanks(text) === '' ? null : readWholeNumber(text)
}

const PEOPLE = { type: 'number', min: 1, isRequired: false } as const

/** Renders the form `allow`, if a call was refused for the limits of a key since somebody last allowed one. */
export function renderAllow({ key: { version, limits, usage } }: SeenKey, forms: PageForms<'allow'>) {
  const refused = usage.people?.refused
  if (!refused) return html``
  return renderFormSection(forms, 'allow', {
    heading: 'Allow once',
    status: 'A call exceeded the daily limits',
    text: html`<p>
      For the next 24 hours, calls with this key may deactivate or change this many people, whatever its daily limits.
      <a href="/bulk-user-logs/${refused.log_id}">See the refused call</a>
    </p>`,
    version,
    values: Object.fromEntries(LIMITED.map((name) => [name, limits[name] === null ? '' : String(refused.call[name])])),
    fields: [
      { ...PEOPLE, name: 'max_deactivations', label: 'People to deactivate' },
      { ...PEOPLE, name: 'max_changes', label: 'People to change', hint: 'Including deactivated people.' },
    ],
    buttons: html`<button class="primary">Allow once</button>`,
    isOpen: true,
  })
}
