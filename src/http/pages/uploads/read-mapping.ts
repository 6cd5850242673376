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
import { FileFaultError } from '../../../uploads/part-builder.ts'
import type { FormFields } from '../parts/form.ts'

/** Changes a mapping as its form says. What the form doesn't say stays. Throws FileFaultError. */
export function readMapping(mapping: Mapping, fields: FormFields): Mapping {
  return {
    columns: mapping.columns.map((column, at) => readColumn(column, at, fields)),
    empty_cells: pick(['keep', 'clear'], fields['empty_cells']) ?? mapping.empty_cells,
    unreadable_values: pick(['refuse', 'leave_out'], fields['unreadable_values']) ?? mapping.unreadable_values,
    shared_emails: pick(['refuse', 'leave_out'], fields['shared_emails']) ?? mapping.shared_emails,
    past_end_dates: pick(['keep', 'deactivate'], fields['past_end_dates']) ?? mapping.past_end_dates,
    country: fields['country'] === undefined ? mapping.country : readCountry(fields['country'], mapping.country),
  }
}

/** Reads the country of local phone numbers. Without one, it stays open, or is the company's. Throws FileFaultError. */
function readCountry(typed: string, before: Mapping['country']): Mapping['country'] {
  const country = typed.trim().toUpperCase()
  if (country === '') return before === null ? null : 'company'
  if (isPhoneCountry(country)) return country
  throw new FileFaultError([
    { line: 1, column: null, message: `"${country}" is not the code of a country (ISO 3166-1), such as DE or GB` },
  ])
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
    ...(to === 'full_name' && asked('names') !== undefined ? { names: pick(NAME_RULES, asked('names')) ?? null } : {}),
    ...(to === 'manager' && asked('by') !== undefined ? { by: pick(MANAGER_KEYS, asked('by')) ?? null } : {}),
    ...(to === 'status' ? { words: readWords(column.words ?? {}, at, fields) } : {}),
    ...(to === 'custom' && asked('name') ? { name: asked('name')! } : {}),
  }
}

/** The words are numbered. */
function readWords(words: NonNullable<ColumnMapping['words']>, at: number, fields: FormFields) {
  return Object.fromEntries(
    Object.entries(words).map(([word, status], number) => {
      const answer = fields[`word.${at}.${number}`]
      return [word, answer === undefined ? status : (pick(['active', 'inactive'], answer) ?? null)]
    }),
  )
}
