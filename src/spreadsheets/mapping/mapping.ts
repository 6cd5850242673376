import { foldLabel } from '../../text/normalize-text.ts'
import type { HeaderMeaning } from '../words/header-words.ts'
import type { Calendar, DateOrder } from '../values/read-date.ts'
import type { NameRule } from '../values/split-name.ts'
import type { Status } from '../words/status-words.ts'

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

export const PHONE_TARGETS = ['phone'] as const satisfies HeaderMeaning[]

/**
 * All that a column can become. `last_name_prefix` stands before last names: van der. `key` identifies people within the
 * file, and is not stored. `as_named` sets the member of the record that the column names, exactly as the cell is
 * written.
 */
export const TARGETS = [
  ...TEXT_TARGETS,
  ...DATE_TARGETS,
  ...PHONE_TARGETS,
  'status',
  'full_name',
  'manager',
  'custom',
  'phone_country',
  'last_name_prefix',
  'key',
  'as_named',
  'nothing',
] as const
export type Target = (typeof TARGETS)[number]

export const DATE_ORDERS = ['day_first', 'month_first', 'year_first'] as const satisfies DateOrder[]
export const CLOCKS = ['ignore', 'refuse'] as const
export const CALENDARS = ['gregorian', 'buddhist', 'islamic', 'persian', 'minguo'] as const satisfies Calendar[]
export const NAME_RULES = [
  'first_last',
  'last_first',
  'one_last_name_first',
  'one_first_name',
  'one_last_name',
  'capitals',
  'one_character',
] as const satisfies NameRule[]
export const MANAGER_KEYS = ['email', 'external_id', 'employee_number', 'full_name', 'key'] as const
export type ManagerKey = (typeof MANAGER_KEYS)[number]
export const CUSTOM_TYPES = ['text', 'number', 'boolean', 'as_written'] as const
export type CustomType = (typeof CUSTOM_TYPES)[number]

/** What the choices of a mapping, and of its columns, can be. Of words, each can be one of these. */
export const CHOICES = {
  to: TARGETS,
  type: CUSTOM_TYPES,
  dates: DATE_ORDERS,
  clock: CLOCKS,
  calendar: CALENDARS,
  words: ['active', 'inactive'],
  names: NAME_RULES,
  by: MANAGER_KEYS,
  empty_cells: ['keep', 'clear'],
  unreadable_values: ['refuse', 'leave_out'],
  shared_emails: ['refuse', 'leave_out'],
  past_end_dates: ['keep', 'deactivate'],
  unknown_managers: ['refuse', 'leave_out'],
  same_addresses: ['link', 'refuse'],
  stored_end_dates: ['clear', 'refuse'],
  other_columns: ['proposed', 'unused'],
} as const
type Choice<Name extends keyof typeof CHOICES> = (typeof CHOICES)[Name][number]

/** The words of a column of statuses, and of all columns of a file together. */
export const MAX_WORDS = 200
export const MAX_FILE_WORDS = 2_000

/** What the rows with a value say. */
export interface CountedRows {
  rows: number
  /** Those with an end date that has passed. */
  past_end_dates: number
}

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
  /** What a time of day behind a date does. Absent if no value has one. */
  clock?: (typeof CLOCKS)[number] | null
  /** Absent if the years are of the usual calendar. */
  calendar?: Calendar | null
  /**
   * What words mean: of a status, of what stands in the place of an end date, and of the marks at names. The word of an
   * empty cell is empty.
   */
  words?: Record<string, Status | null>
  /** How full names are split. */
  names?: NameRule | null
  /** What names a manager. */
  by?: ManagerKey | null
  /** What an empty cell does; as `empty_cells` of the file if absent. */
  empty_cells?: Choice<'empty_cells'>
  /** What the values make likely, where nobody has decided what the column becomes, or proposed as a status. */
  likely?: Target
  /** What the rows say for each word of a column that may say who has left, as the file was planned last. */
  seen?: Record<string, CountedRows>
}

/** How many rows there are about which something is asked. */
export interface Counts {
  /** Rows of people who would be active although their end date has passed. */
  past_end_dates: number
  /** Rows with a phone number that has no country code, and no country. */
  country: number
  /** Rows whose manager is nobody in the file, and, where the service was asked, in the company. */
  unknown_managers: number
  /**
   * Rows with an external id that nobody has, and the address of an active person without one, where the service was
   * asked.
   */
  same_addresses: number
  /** Rows of people who have come back: their start date is after the end date that is stored, where the service was asked. */
  stored_end_dates: number
}

/** What a file means. */
export interface Mapping {
  columns: ColumnMapping[]
  /** What an empty cell does to an attribute that a person has. */
  empty_cells: Choice<'empty_cells'>
  /** What happens to a value that cannot be read: its row is refused, or goes in without it. */
  unreadable_values: Choice<'unreadable_values'>
  /**
   * What happens to an address that several people have: their rows are refused, or the later ones go in without it.
   */
  shared_emails: Choice<'shared_emails'>
  /** Whether people whose end date has passed are deactivated, whatever else says that they are active. */
  past_end_dates: Choice<'past_end_dates'> | null
  /** The country (ISO 3166-1 alpha-2) of local phone numbers; `company` if the service reads them as the company's. */
  country: string | null
  /** What a manager does who is nobody in the file, nor in the company: the row is refused, or goes in without one. */
  unknown_managers: Choice<'unknown_managers'> | null
  /** Whether people without an external id are those whose rows have their addresses, or these rows are refused. */
  same_addresses: Choice<'same_addresses'> | null
  /** Whether a new start date clears an end date before it that is stored, or such a row is refused. */
  stored_end_dates: Choice<'stored_end_dates'> | null
  /** As the file was planned last. What nobody has decided is asked if there are such rows. */
  counts?: Counts
  /** In a file for the client: what becomes of columns that it doesn't have. */
  other_columns?: Choice<'other_columns'>
  /**
   * Whether a person has to look at it before a program applies the file: what columns mean is proposed, or columns that
   * were used before are gone.
   */
  needs_review?: boolean
}

/** How the mapping treats values, unless somebody says otherwise. What is null is asked if it matters. */
export const USUAL_CHOICES = {
  empty_cells: 'keep',
  unreadable_values: 'refuse',
  shared_emails: 'refuse',
  past_end_dates: null,
  country: 'company',
  unknown_managers: null,
  same_addresses: null,
  stored_end_dates: null,
} as const satisfies Omit<Mapping, 'columns'>

/** The name of a column exactly as it is written, beside the keys of `keysOf`, which have no blanks. */
export const exactKey = (name: string) => ` ${name}`

/**
 * The keys by which columns are found, as people read their names: without case, width, and blanks, unless columns differ
 * by nothing else.
 */
export function keysOf(names: readonly string[]): string[] {
  const spellings = new Map<string, string>()
  const unclear = new Set<string>()
  const folded = names.map(foldLabel)
  for (const [at, name] of names.entries()) {
    const key = folded[at]!
    if ((spellings.get(key) ?? name) !== name) unclear.add(key)
    spellings.set(key, name)
  }
  return names.map((name, at) => (unclear.has(folded[at]!) || folded[at] === '' ? exactKey(name) : folded[at]!))
}

/** Finds where the columns of a mapping are in a file, by their names and order: their indexes, or -1. */
export function locateColumns(header: readonly string[], columns: readonly ColumnMapping[]): number[] {
  const places = new Map<string, number[]>()
  for (const [at, key] of keysOf(header).entries())
    if (header[at] !== '') places.set(key, [...(places.get(key) ?? []), at])
  return keysOf(columns.map(({ header: name }) => name)).map((key) => places.get(key)?.shift() ?? -1)
}

/**
 * Finds the columns of an earlier file in this one by their keys, of several with one key in their order: for each key of
 * this file, the index of the earlier column, or -1. Where a column with a key was used, and there are more now, or fewer,
 * the order doesn't say which it is.
 */
export function matchEarlier(
  earlier: readonly ColumnMapping[],
  before: readonly string[],
  keys: readonly string[],
): number[] {
  const count = (all: readonly string[], key: string) => all.filter((other) => other === key).length
  const used = before.filter((_, at) => earlier[at]!.to !== 'nothing')
  const unclear = new Set(used.filter((key) => count(before, key) !== count(keys, key)))
  const left: (string | null)[] = [...before]
  return keys.map((key) => {
    const at = unclear.has(key) ? -1 : left.indexOf(key)
    if (at !== -1) left[at] = null
    return at
  })
}

/** The choices of a column, and of a file, that only a person can make. Each is the member of the mapping that is null. */
export const COLUMN_QUESTIONS = ['to', 'dates', 'clock', 'calendar', 'names', 'by', 'words'] as const
export const FILE_QUESTIONS = [
  'past_end_dates',
  'country',
  'unknown_managers',
  'same_addresses',
  'stored_end_dates',
] as const

/** The texts that a file may have of everybody. */
export const TEXTS: readonly (Target | HeaderMeaning | null)[] = ['job_title', 'department', 'location', 'division']

/** What names of people stand in, which may have marks of those who have left. */
export const NAME_TARGETS: ReadonlySet<Target | null> = new Set(['first_name', 'last_name', 'full_name'])
/** Columns with words that may say who has left. */
export const SAYING_WHO_LEFT: ReadonlySet<Target | null> = new Set([...NAME_TARGETS, 'status', 'termination_date'])

/** A column about which something is asked. */
export interface AskedColumn {
  /** The place of the column in the mapping, from 1. */
  column: number
  header: string
  /** What the values make likely. */
  likely?: Target
  /** What the rows say, by the values of the column. */
  seen?: Record<string, CountedRows>
}

/** A question that only a person can answer. */
export type Question =
  | (AskedColumn & {
      about: (typeof COLUMN_QUESTIONS)[number]
      /** The words whose meaning is open. */
      words?: string[]
      /** The other columns about which the same is asked: of those that may be one thing, at most one is. */
      others?: AskedColumn[]
    })
  | { about: (typeof FILE_QUESTIONS)[number]; rows: number }

/** A question about columns. */
export type ColumnQuestion = Exclude<Question, { rows: number }>

/** Lists what nobody has decided yet. What is the same about several columns is one question. */
export function listQuestions(mapping: Mapping): Question[] {
  const asked = new Map<string, ColumnQuestion>()
  const ask = (key: string, column: AskedColumn, question: Pick<ColumnQuestion, 'about' | 'words'>) => {
    const first = asked.get(key)
    if (first) first.others = [...(first.others ?? []), column]
    else asked.set(key, { ...column, ...question })
  }
  for (const [at, given] of mapping.columns.entries()) {
    const { to, header, likely, seen } = given
    const column = { column: at + 1, header }
    const weighed = { ...column, ...(likely ? { likely } : {}), ...(seen ? { seen } : {}) }
    if (to === null) {
      ask(`to ${isDate(likely) ? 'date' : likely}`, weighed, { about: 'to' })
      continue
    }
    for (const about of ['dates', 'clock', 'calendar', 'names', 'by'] as const)
      if (isReadBy(to, about) && given[about] === null) ask(about, column, { about })
    const words = SAYING_WHO_LEFT.has(to) ? Object.entries(given.words ?? {}) : []
    const open = words.flatMap(([word, status]) => (status === null ? word : []))
    if (open.length > 0) ask(`words ${at}`, weighed, { about: 'words', words: open })
  }
  const { columns, counts } = mapping
  // A column that is open may say who a manager is.
  const isEarly = columns.some(({ to }) => to === null)
  const ofFile = FILE_QUESTIONS.filter(
    (about) => mapping[about] === null && (counts?.[about] ?? 0) > 0 && !(isEarly && about === 'unknown_managers'),
  )
  return [...asked.values(), ...ofFile.map((about) => ({ about, rows: counts![about] }))]
}

/**
 * Whether questions keep a person from applying the file. Where what stays open is left out, these are those about who
 * has left: people who have would be active without an answer.
 */
export function isWaiting(mapping: Mapping): boolean {
  const questions = listQuestions(mapping)
  return mapping.unreadable_values === 'refuse' ? questions.length > 0 : asksWhoHasLeft(mapping, questions)
}

/** Whether a program may not apply the file: a person has to look at it, or to say who has left. */
export function needsPerson(mapping: Mapping): boolean {
  return mapping.needs_review === true || asksWhoHasLeft(mapping, listQuestions(mapping))
}

function asksWhoHasLeft(mapping: Mapping, questions: readonly Question[]): boolean {
  return questions.some((question) => isAboutLeaving(question, mapping))
}

function isAboutLeaving(question: Question, { columns }: Mapping): boolean {
  if (!('column' in question)) return question.about === 'past_end_dates'
  if (question.about === 'words') return true
  return columnsOf(question).some(({ column, likely }) =>
    [columns[column - 1]!.to, likely].some((target) => target === 'status' || target === 'termination_date'),
  )
}

/** The columns that a question is about. */
export function columnsOf(question: Question): AskedColumn[] {
  return 'column' in question ? [question, ...(question.others ?? [])] : []
}

/** Whether a choice matters for the values of a column. */
function isReadBy(to: Target, about: 'dates' | 'clock' | 'calendar' | 'names' | 'by'): boolean {
  if (about === 'names') return to === 'full_name'
  return about === 'by' ? to === 'manager' : isDate(to)
}

export function isDate(to: Target | HeaderMeaning | null | undefined): to is (typeof DATE_TARGETS)[number] {
  return DATE_TARGETS.some((target) => target === to)
}

export function isPhone(to: Target | HeaderMeaning | null | undefined): to is (typeof PHONE_TARGETS)[number] {
  return PHONE_TARGETS.some((target) => target === to)
}
