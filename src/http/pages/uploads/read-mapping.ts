import type { ColumnMapping, Mapping, Target } from '../../../../clients/typescript/spreadsheets/mapping.ts'
import {
  DATE_ORDERS,
  isDate,
  MANAGER_KEYS,
  NAME_RULES,
  TARGETS,
} from '../../../../clients/typescript/spreadsheets/mapping.ts'
import { isPhoneCountry } from '../../../../clients/typescript/spreadsheets/read-phone.ts'
import { readName } from '../../../../clients/typescript/spreadsheets/cells.ts'
import type { FormFields } from '../parts/form.ts'

/** Changes a mapping as its form says. What the form doesn't say stays. */
export function readMapping(mapping: Mapping, fields: FormFields): Mapping {
  const country = (fields['country'] ?? '').trim().toUpperCase()
  return {
    columns: mapping.columns.map((column, at) => readColumn(column, at, fields)),
    empty_cells: pick(['keep', 'clear'], fields['empty_cells']) ?? mapping.empty_cells,
    unreadable_values: pick(['refuse', 'leave_out'], fields['unreadable_values']) ?? mapping.unreadable_values,
    shared_emails: pick(['refuse', 'leave_out'], fields['shared_emails']) ?? mapping.shared_emails,
    past_end_dates: pick(['keep', 'deactivate'], fields['past_end_dates']) ?? mapping.past_end_dates,
    country: isPhoneCountry(country) ? country : null,
  }
}

function pick<const Text extends string>(texts: readonly Text[], text: string | undefined): Text | undefined {
  return texts.find((known) => known === text)
}

/** Of a column that becomes something else, the values are looked at again. */
function readColumn(column: ColumnMapping, at: number, fields: FormFields): ColumnMapping {
  const to = pick<Target>(TARGETS, fields[`to.${at}`]) ?? (fields[`to.${at}`] === '' ? null : column.to)
  const { header } = column
  if (to !== column.to) return { header, to, ...(to === 'custom' ? { name: readName(header) } : {}) }
  const asked = (name: string) => fields[`${name}.${at}`]
  return {
    ...column,
    ...(isDate(to) && asked('dates') !== undefined ? { dates: pick(DATE_ORDERS, asked('dates')) ?? null } : {}),
    ...(to === 'full_name' ? { names: pick(NAME_RULES, asked('names')) ?? null } : {}),
    ...(to === 'manager' ? { by: pick(MANAGER_KEYS, asked('by')) ?? null } : {}),
    ...(to === 'status' ? { words: readWords(column.words ?? {}, at, fields) } : {}),
    ...(to === 'custom' && asked('name') ? { name: asked('name')! } : {}),
  }
}

/** The words are numbered. */
function readWords(words: NonNullable<ColumnMapping['words']>, at: number, fields: FormFields) {
  return Object.fromEntries(
    Object.keys(words).map((word, number) => [
      word,
      pick(['active', 'inactive'], fields[`word.${at}.${number}`]) ?? null,
    ]),
  )
}
