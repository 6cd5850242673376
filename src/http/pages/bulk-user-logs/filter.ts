import { databaseTimeMs } from '../../../postgres/database-clock.ts'
import type { EntryFilter } from '../../../../projections/bulk-user-logs/queries.ts'
import type { RecordError } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { readEntryFilter, EntryExportQuery } from '../../admin/bulk-user-logs-schemas.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { toFormProblem, checkForm, readFormFields, type FormFields, type FormProblem } from '../parts/form.ts'
import { DAY_MS, findStartOf, findEndOf, HOUR_MS, readLocal } from '../../../domain/local-times.ts'

/** The filters of the address: those of the list, and a length of time up to now. */
export type FilterName = keyof EntryFilter | 'last'
const NAMES = Object.keys({
  ...{ status: true, operation: true, key: true, error: true, http_status: true },
  ...{ last: true, from: true, to: true, employee: true, q: true },
} satisfies Record<FilterName, true>) as FilterName[]

/** The filters in a page's address. */
export interface PageFilter {
  /** The values by name, neither checked nor normalized. */
  given: FormFields
  /** Null when a value is not valid. */
  filter: EntryFilter | null
  problem: FormProblem
}

/** Times up to now, by their value in the address. */
export const LAST: Readonly<Record<string, { label: string; short: string; ms: number }>> = {
  '1h': { label: 'Last hour', short: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', short: '24 h', ms: DAY_MS },
  '7d': { label: 'Last 7 days', short: '7 days', ms: 7 * DAY_MS },
}

/**
 * Reads the filters in an address. Days and times are in the company's time zone; a day in `to` is included. `last` is
 * dropped beside `from` or `to`: who enters a range means that.
 */
export function readPageFilter(query: unknown, timeZone: string): PageFilter {
  const texts = readFormFields(query)
  const given: FormFields = Object.fromEntries(
    NAMES.map((name) => [name, texts[name]?.trim() ?? ''] as const).filter(
      ([name, text]) =>
        text !== '' && !(name === 'last' && ((texts['from'] ?? '') !== '' || (texts['to'] ?? '') !== '')),
    ),
  )
  try {
    const { from, to, last, ...others } = given
    const faults = [
      checkLocalTime('from', from),
      checkLocalTime('to', to),
      checkKeyId(others['key']),
      checkLast(last),
      ...listFaults(others),
    ].filter((fault) => fault !== null)
    if (faults.length > 0) throw new ProblemError(invalidFields(faults))
    const instants = {
      ...(last === undefined ? {} : { from: new Date(databaseTimeMs() - LAST[last]!.ms).toISOString() }),
      ...(from === undefined ? {} : { from: new Date(findStartOf(from, timeZone)).toISOString() }),
      ...(to === undefined ? {} : { to: new Date(findEndOf(to, timeZone)).toISOString() }),
    }
    return {
      given,
      filter: readEntryFilter(checkForm(EntryExportQuery, toQuery({ ...others, ...instants }))),
      problem: null,
    }
  } catch (error) {
    return { given, filter: null, problem: toFormProblem(error) }
  }
}

/** Reads the numbers among the texts of an address. */
function toQuery({ http_status: status, ...texts }: FormFields): unknown {
  return status === undefined ? texts : { ...texts, http_status: Number(status) }
}

/** Lists what the endpoint refuses, so that all errors are shown together. */
function listFaults(values: FormFields): RecordError[] {
  try {
    checkForm(EntryExportQuery, toQuery(values))
    return []
  } catch (error) {
    return toFormProblem(error).errors
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

function checkLast(last: string | undefined): RecordError | null {
  return last === undefined || Object.hasOwn(LAST, last)
    ? null
    : fieldError('/last', 'invalid_value', `last must be one of ${Object.keys(LAST).join(', ')}`)
}
