import { databaseTimeMs } from '#postgres/database-clock'
import type { EntryFilter } from '#projections/bulk-user-logs/queries'
import { fieldError, invalidFields } from '#domain/errors'
import { isId } from '#domain/ids'
import { readEntryFilter, EntryExportQuery } from '#log/bulk-user-logs-schemas'
import {
  checkForm,
  pickFields,
  readFormFields,
  toFormProblem,
  type FormFields,
  type FormProblem,
  checkPeriod,
  readPeriod,
} from '#pages/parts/form'
import { DAY_MS, HOUR_MS } from '#domain/local-times'

/** The filters of the address: those of the list, and a length of time up to now. */
export type FilterName = keyof EntryFilter | 'last'

/** How the form has each filter: as a field, or as a hidden one, which keeps what a link has set. */
const IN_FORM: Record<FilterName, 'field' | 'hidden'> = {
  ...({
    status: 'hidden',
    operation: 'field',
    source: 'field',
    key: 'field',
    error: 'field',
    http_status: 'field',
  } as const),
  ...({ last: 'hidden', from: 'field', to: 'field', employee: 'hidden', q: 'field' } as const),
}
const NAMES = Object.keys(IN_FORM) as FilterName[]
export const HIDDEN = NAMES.filter((name) => IN_FORM[name] === 'hidden')

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
  const texts = pickFields(readFormFields(query), NAMES)
  const { last: _, ...withoutLast } = texts
  const { from, to, ...others } = withoutLast
  const given = from === undefined && to === undefined ? texts : withoutLast
  const faults = [...checkPeriod(given), checkKeyId(given['key']), checkLast(given['last'])].filter(
    (fault) => fault !== null,
  )
  try {
    const period = faults.length === 0 ? { ...readLast(given['last']), ...readPeriod(given, timeZone) } : {}
    const checked = checkForm(EntryExportQuery, toQuery({ ...others, ...period }))
    if (faults.length > 0) return { given, filter: null, problem: invalidFields(faults) }
    return { given, filter: readEntryFilter(checked), problem: null }
  } catch (error) {
    const problem = toFormProblem(error)
    // All errors are shown together.
    const together = faults.length === 0 ? problem : invalidFields([...faults, ...problem.errors])
    return { given, filter: null, problem: together }
  }
}

function readLast(last: string | undefined) {
  return last === undefined ? {} : { from: new Date(databaseTimeMs() - LAST[last]!.ms).toISOString() }
}

/** Reads the numbers among the texts of an address. */
function toQuery({ http_status: status, ...texts }: FormFields): unknown {
  return status === undefined ? texts : { ...texts, http_status: Number(status) }
}

function checkKeyId(key: string | undefined) {
  return key === undefined || isId('key', key)
    ? null
    : fieldError('/key', 'invalid_format', 'key must be the ID of an API key')
}

function checkLast(last: string | undefined) {
  return last === undefined || Object.hasOwn(LAST, last)
    ? null
    : fieldError('/last', 'invalid_value', `last must be one of ${Object.keys(LAST).join(', ')}`)
}
