import { html } from 'hono/html'
import type { EntryFilter } from '../../../../projections/bulk-user-logs/queries.ts'
import type { RecordError } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { readEntryFilter, EntryExportQuery } from '../../admin/bulk-user-logs-schemas.ts'
import { fieldError, invalidFields } from '../../server/body-faults.ts'
import { ProblemError } from '../../server/problem.ts'
import { OPERATIONS } from './call-words.ts'
import {
  listOptions,
  toFormProblem,
  checkForm,
  renderChoice,
  renderField,
  readFormFields,
  type FormFields,
  type FormProblem,
} from '../parts/form.ts'
import { beginningOf, endOf, readLocal } from '../parts/local-times.ts'
import type { Html } from '../parts/page.ts'

const NAMES = ['status', 'operation', 'from', 'to', 'key', 'employee', 'q'] as const

/** The filters of a page, as they stand in its address. */
export interface PageFilter {
  /** What was given, by name: neither checked nor normalised. */
  given: FormFields
  /** Null when something of it is not valid. */
  filter: EntryFilter | null
  problem: FormProblem
}

/** Reads the filters of an address. Days and times are of the company's time zone; `to` means that day included. */
export function readPageFilter(query: unknown, timeZone: string): PageFilter {
  const texts = readFormFields(query)
  const given = Object.fromEntries(
    NAMES.map((name) => [name, texts[name]?.trim() ?? ''] as const).filter(([, text]) => text !== ''),
  )
  try {
    const { from, to, ...others } = given
    const faults = [checkLocalTime('from', from), checkLocalTime('to', to), checkKeyId(others['key'])].filter(
      (fault) => fault !== null,
    )
    if (faults.length > 0) throw new ProblemError(invalidFields(faults))
    const instants = {
      ...(from === undefined ? {} : { from: new Date(beginningOf(from, timeZone)).toISOString() }),
      ...(to === undefined ? {} : { to: new Date(endOf(to, timeZone)).toISOString() }),
    }
    return { given, filter: readEntryFilter(checkForm(EntryExportQuery, { ...others, ...instants })), problem: null }
  } catch (error) {
    return { given, filter: null, problem: toFormProblem(error) }
  }
}

function checkLocalTime(name: string, text: string | undefined): RecordError | null {
  if (text === undefined || readLocal(text)) return null
  return fieldError(
    `/${name}`,
    'invalid_format',
    `${name} must be a day, such as 2026-11-20, or a time, such as 2026-11-20T14:30`,
  )
}

function checkKeyId(key: string | undefined): RecordError | null {
  return key === undefined || isId('key', key) ? null : fieldError('/key', 'invalid_format', 'key must be an API id')
}

export interface KeyOption {
  id: string
  name: string
}

/** The form that filters the list, unfolded where it does. */
export function renderEntryFilter(
  { given, problem }: PageFilter,
  keys: KeyOption[],
  action: string,
  timeZone: string,
): Html {
  const value = (name: string) => given[name] ?? ''
  const key = value('key')
  const options = keys.map(({ id, name }) => ({ value: id, label: name }))
  if (key !== '' && !keys.some(({ id }) => id === key)) options.push({ value: key, label: key })
  const optional = { isRequired: false, maxLength: 254 }
  return html`${problem ? html`<p class="alert" role="alert">${problem.errors.length > 0 ? 'These filters cannot be used: please correct them.' : `${problem.detail}.`}</p>` : ''}
    <details class="filtering" ${Object.keys(given).length > 0 ? html`open` : ''}>
      <summary>Filter the entries</summary>
      <form method="get" action="${action}" class="filters" aria-label="Filters">
        ${renderChoice({ name: 'status', label: 'Status', value: value('status'), options: listOptions({ Completed: 'Completed', Failed: 'Failed' }) }, problem)}
        ${renderChoice({ name: 'operation', label: 'Operation', value: value('operation'), options: listOptions(OPERATIONS) }, problem)}
        ${renderChoice({ name: 'key', label: 'API key', value: key, options: [{ value: '', label: 'Any' }, ...options] }, problem)}
        ${renderField({ ...optional, name: 'employee', label: 'Employee', value: value('employee'), hint: 'Exact id, e-mail or external id' }, problem)}
        ${renderField({ ...optional, name: 'q', label: 'Search', value: value('q'), hint: 'Part of a name, e-mail or number' }, problem)}
        ${renderField({ name: 'from', label: 'From', value: value('from'), type: chooseInputType(value('from')), isRequired: false, hint: timeZone }, problem)}
        ${renderField({ name: 'to', label: 'To', value: value('to'), type: chooseInputType(value('to')), isRequired: false, hint: 'That day included' }, problem)}
        <div class="actions">
          <button class="primary">Filter</button>
          ${Object.keys(given).length > 0 ? html`<a class="button" href="${action}">Clear filters</a>` : ''}
        </div>
      </form>
    </details>`
}

/** An address may hold a time of day, and what is no date at all; browsers show in each kind of input only what fits. */
function chooseInputType(text: string): 'date' | 'datetime-local' | 'text' {
  const local = text === '' ? { time: undefined } : readLocal(text)
  if (!local) return 'text'
  return local.time === undefined ? 'date' : 'datetime-local'
}
