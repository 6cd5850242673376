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
import { findStartOf, findEndOf, readLocal } from '../parts/local-times.ts'
import type { Html } from '../parts/page.ts'

const NAMES = ['status', 'operation', 'from', 'to', 'key', 'employee', 'q'] as const

/** The filters in a page's address. */
export interface PageFilter {
  /** The values by name, neither checked nor normalised. */
  given: FormFields
  /** Null when a value is not valid. */
  filter: EntryFilter | null
  problem: FormProblem
}

/** Reads the filters in an address. Days and times are in the company's time zone; a day in `to` is included. */
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
      ...(from === undefined ? {} : { from: new Date(findStartOf(from, timeZone)).toISOString() }),
      ...(to === undefined ? {} : { to: new Date(findEndOf(to, timeZone)).toISOString() }),
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
    `${name} must be a date, such as 2026-11-20, or a date and time, such as 2026-11-20T14:30`,
  )
}

function checkKeyId(key: string | undefined): RecordError | null {
  return key === undefined || isId('key', key)
    ? null
    : fieldError('/key', 'invalid_format', 'key must be the ID of an API key')
}

interface KeyOption {
  id: string
  name: string
}

/** Renders the filter form, open when a filter is set. */
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
  return html`${problem ? html`<p class="alert" role="alert">${problem.errors.length > 0 ? 'These filters are not valid. Correct the marked fields.' : `${problem.detail}.`}</p>` : ''}
    <details class="filtering" ${Object.keys(given).length > 0 ? html`open` : ''}>
      <summary>Filter entries</summary>
      <form method="get" action="${action}" class="filters" aria-label="Filters">
        ${renderChoice({ name: 'status', label: 'Status', value: value('status'), options: listOptions({ Completed: 'Completed', Failed: 'Failed' }) }, problem)}
        ${renderChoice({ name: 'operation', label: 'Operation', value: value('operation'), options: listOptions(OPERATIONS) }, problem)}
        ${renderChoice({ name: 'key', label: 'API key', value: key, options: [{ value: '', label: 'Any' }, ...options] }, problem)}
        ${renderField({ ...optional, name: 'employee', label: 'Employee', value: value('employee'), hint: 'Exact ID, email or external ID' }, problem)}
        ${renderField({ ...optional, name: 'q', label: 'Search', value: value('q'), hint: 'Part of a name, email or number' }, problem)}
        ${renderField({ name: 'from', label: 'From', value: value('from'), type: chooseInputType(value('from')), isRequired: false, hint: timeZone }, problem)}
        ${renderField({ name: 'to', label: 'To', value: value('to'), type: chooseInputType(value('to')), isRequired: false, hint: 'Including that day' }, problem)}
        <div class="actions">
          <button class="primary">Filter</button>
          ${Object.keys(given).length > 0 ? html`<a class="button" href="${action}">Clear filters</a>` : ''}
        </div>
      </form>
    </details>`
}

/** Chooses the input type that can show the text of an address: a date, a date and time, or anything else. */
function chooseInputType(text: string): 'date' | 'datetime-local' | 'text' {
  const local = text === '' ? { time: undefined } : readLocal(text)
  if (!local) return 'text'
  return local.time === undefined ? 'date' : 'datetime-local'
}
