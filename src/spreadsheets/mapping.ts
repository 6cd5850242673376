import type { HeaderMeaning } from './header-words.ts'
import type { DateOrder } from './read-date.ts'
import type { NameRule } from './split-name.ts'
import type { Status } from './status-words.ts'

/*
 * What the columns of a file mean, and how their values are read. Whatever nobody has decided yet is null: a question.
 */

/** The attributes that a column sets as they are. Columns are named after them, but for IDs and managers. */
export const TEXT_TARGETS = [
  'id',
  'first_name',
  'last_name',
  'email',
  'external_id',
  'user_name',
  'directory_external_id',
  'employee_number',
  'job_title',
  'department',
  'division',
  'location',
  'manager_id',
  'manager_external_id',
  'manager_email',
] as const satisfies (HeaderMeaning | 'id' | 'user_name' | 'directory_external_id' | `manager_${string}`)[]

export const DATE_TARGETS = ['start_date', 'termination_date'] as const satisfies HeaderMeaning[]

/**
 * All that a column can become. `key` identifies people within the file, and is not stored. `as_named` sets the member
 * of the record that the column names, exactly as the cell is written.
 */
export const TARGETS = [
  ...TEXT_TARGETS,
  ...DATE_TARGETS,
  'phone',
  'status',
  'full_name',
  'manager',
  'custom',
  'phone_country',
  'key',
  'as_named',
  'nothing',
] as const
export type Target = (typeof TARGETS)[number]

export const DATE_ORDERS = ['day_first', 'month_first', 'year_first'] as const satisfies DateOrder[]
export const NAME_RULES = [
  'first_last',
  'last_first',
  'one_last_name_first',
  'one_first_name',
  'one_last_name',
] as const satisfies NameRule[]
export const MANAGER_KEYS = ['email', 'external_id', 'employee_number', 'full_name', 'key'] as const
export type ManagerKey = (typeof MANAGER_KEYS)[number]
export const CUSTOM_TYPES = ['text', 'number', 'boolean', 'as_written'] as const
export type CustomType = (typeof CUSTOM_TYPES)[number]

/** The words of a column of statuses. */
export const MAX_WORDS = 200

/** What a column of a file becomes, and how its values are read. */
export interface ColumnMapping {
  /** The name of the column. Of several columns with the same name, the mapping has as many, in their order. */
  header: string
  to: Target | null
  /** The name of a custom attribute. */
  name?: string
  /** The type of a custom attribute. `as_written`: numbers and booleans are what is written like one. */
  type?: CustomType
  /** Of dates. Absent if the values tell. */
  dates?: DateOrder | null
  /** What words mean, of a status. */
  words?: Record<string, Status | null>
  /** How full names are split. */
  names?: NameRule | null
  /** What names a manager. */
  by?: ManagerKey | null
  /** What an empty cell does; as `empty_cells` of the file if absent. */
  empty_cells?: 'keep' | 'clear'
}

/** What a file means. */
export interface Mapping {
  columns: ColumnMapping[]
  /** What an empty cell does to an attribute that a person has. */
  empty_cells: 'keep' | 'clear'
  /** What happens to a value that cannot be read: its row is refused, or goes in without it. */
  unreadable_values: 'refuse' | 'leave_out'
  /**
   * What happens to an address that several people have: their rows are refused, or the later ones go in without it.
   */
  shared_emails: 'refuse' | 'leave_out'
  /** Whether people whose end date has passed are deactivated, where no column says the status. */
  past_end_dates: 'keep' | 'deactivate' | null
  /** The country (ISO 3166-1 alpha-2) of local phone numbers; `company` if the service reads them as the company's. */
  country: string | null
}

/** How the mapping treats values, unless somebody says otherwise. */
export const USUAL_CHOICES = {
  empty_cells: 'keep',
  unreadable_values: 'refuse',
  shared_emails: 'refuse',
  past_end_dates: 'keep',
  country: 'company',
} as const satisfies Omit<Mapping, 'columns'>

/** Finds where the columns of a mapping are in a file, by their names and order: their indexes, or -1. */
export function locateColumns(header: readonly string[], columns: readonly ColumnMapping[]): number[] {
  const places = new Map<string, number[]>()
  for (const [at, cell] of header.entries()) {
    const same = places.get(cell)
    if (same) same.push(at)
    else if (cell !== '') places.set(cell, [at])
  }
  const next = new Map<string, number>()
  return columns.map(({ header: name }) => {
    const used = next.get(name) ?? 0
    next.set(name, used + 1)
    return places.get(name)?.[used] ?? -1
  })
}

/** A question that only a person can answer. */
export type Question =
  | { about: 'to' | 'dates' | 'names' | 'by'; column: number; header: string }
  /** The words whose meaning is open. */
  | { about: 'words'; column: number; header: string; words: string[] }
  | { about: 'past_end_dates' | 'country' }

/** Lists what nobody has decided yet. */
export function listQuestions(mapping: Mapping): Question[] {
  const questions = mapping.columns.flatMap((given, at): Question[] => {
    const column = { column: at + 1, header: given.header }
    const words = given.to === 'status' ? Object.entries(given.words ?? {}) : []
    const open = words.flatMap(([word, status]) => (status === null ? word : []))
    return [
      ...(given.to === null ? [{ about: 'to' as const, ...column }] : []),
      ...(isDate(given.to) && given.dates === null ? [{ about: 'dates' as const, ...column }] : []),
      ...(given.to === 'full_name' && given.names === null ? [{ about: 'names' as const, ...column }] : []),
      ...(given.to === 'manager' && given.by === null ? [{ about: 'by' as const, ...column }] : []),
      ...(open.length > 0 ? [{ about: 'words' as const, ...column, words: open }] : []),
    ]
  })
  for (const about of ['past_end_dates', 'country'] as const) if (mapping[about] === null) questions.push({ about })
  return questions
}

export function isDate(to: Target | null): to is (typeof DATE_TARGETS)[number] {
  return DATE_TARGETS.some((target) => target === to)
}
