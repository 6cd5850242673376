import { countCallsByHour } from '#projections/bulk-user-logs/usage-queries'
import type { SeenKey } from '#accounts/api-keys/read-api-keys'
import {
  type ExpectedCalls,
  isSameExpectation,
  MAX_EVERY_HOURS,
  PROPOSAL_DAYS,
  proposeExpectedCalls,
  TIME_OF_DAY,
  WEEKDAYS,
} from '#domain/accounts/expected-calls'
import type { LedgerDb } from '#ledger/tables'
import {
  findError,
  type FormFields,
  type FormProblem,
  readWholeNumber,
  renderFields,
  renderSeenVersion,
  renderHidden,
} from '../parts/form.ts'
import { renderFormSection, type PageForms } from '../parts/form-page.ts'
import { refuseField, type ProblemError } from '#http/server/problem'
import { capitalise } from '../parts/call-words.ts'
import { html, type Html } from '../parts/html.ts'
import { DAYS, formatExpectedCalls } from '../parts/key-words.ts'
import { trimBlanks } from '#text/normalize-text'

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
export function readExpectedCalls(fields: FormFields): ExpectedCalls | null {
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

function refuse(name: string, rule: string): ProblemError {
  return refuseField(`/${name}`, `${name} ${rule}`)
}

/** Proposes when to expect calls of a key, from those that it made in the last weeks; null if they show no habit. */
export async function readProposal(
  db: LedgerDb,
  companyId: string,
  { key, now }: SeenKey,
  timeZone: string,
): Promise<ExpectedCalls | null> {
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
): Html {
  const isProposed = proposal !== null && !isSameExpectation(proposal, key.expectedCalls)
  return renderFormSection(forms, 'expect', {
    heading: 'Expected calls',
    status: key.expectedCalls === null ? 'None' : capitalise(formatExpectedCalls(key.expectedCalls)),
    text: html`<p>
        If this key should send calls regularly, such as a nightly sync, say when. If none comes, it is shown under
        “Needs attention”.
      </p>
      ${isProposed ? renderProposal(forms.actionOf('expect'), key.version, proposal) : ''}`,
    version: key.version,
    values: formatFields(key.expectedCalls),
    fields: (values, problem) => renderExpectation(values, problem, timeZone),
    buttons: html`<button>Set expected calls</button>`,
  })
}

function renderProposal(action: string, version: number, proposal: ExpectedCalls): Html {
  return html`<form method="post" action="${action}" class="actions">
    ${renderSeenVersion(version)} ${Object.entries(formatFields(proposal)).map(([name, value]) => renderHidden(name, value))}
    <span>In the last ${PROPOSAL_DAYS} days, this key called ${formatExpectedCalls(proposal)}.</span>
    <button>Expect that</button>
  </form>`
}

function renderExpectation(fields: FormFields, problem: FormProblem, timeZone: string): Html {
  const noDay = findError('days', 'Days', problem)
  const hint = `Such as 06:00, in ${timeZone}. The call may come after that time of the day before.`
  return html`${renderFields([WAY], fields, problem)}
    <div class="way-time">${renderFields([{ ...TIME, hint }], fields, problem)}
    <fieldset${noDay === undefined ? '' : html` aria-describedby="days-fault"`}>
      <legend>Days</legend>
      ${WEEKDAYS.map(
        (weekday) =>
          html`<label
            ><input
              type="checkbox"
              name="day_${weekday}"
              value="1"
              ${fields[`day_${weekday}`] === undefined ? '' : html`checked`}
            />
            ${DAYS[weekday - 1]}</label
          > `,
      )}
      ${noDay === undefined ? '' : html`<p class="fault" id="days-fault">${noDay}</p>`}
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
