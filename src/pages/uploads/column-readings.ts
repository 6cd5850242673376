import { type ColumnMapping, isDate, type ManagerKey, type Target } from '#spreadsheets/mapping/mapping'
import type { Calendar, DateOrder } from '#spreadsheets/values/read-date'
import type { NameRule } from '#spreadsheets/values/split-name'
import type { Status } from '#spreadsheets/words/status-words'

/** What a column can become, as people call it. */
export const TARGET_LABELS = {
  nothing: 'Not used',
  first_name: 'First name',
  last_name: 'Last name',
  full_name: 'Full name',
  email: 'Email',
  external_id: 'External ID',
  user_name: 'User name',
  directory_external_id: 'Directory external ID',
  employee_number: 'Employee number',
  job_title: 'Job title',
  department: 'Department',
  division: 'Division',
  location: 'Location',
  manager: 'Manager',
  manager_email: 'Manager (email)',
  manager_external_id: 'Manager (external ID)',
  manager_id: 'Manager (ID)',
  phone: 'Phone',
  phone_country: 'Country of phone numbers',
  last_name_prefix: 'Prefix of the last name',
  start_date: 'Start date',
  termination_date: 'Termination date',
  status: 'Status',
  custom: 'Custom attribute',
  id: 'ID',
  key: 'ID within the file',
  as_named: 'The attribute of this name',
} as const satisfies Record<Target, string>

/** What a list offers: values with their labels. */
export type Options = Readonly<Record<string, string>>

const DATES: Record<DateOrder, string> = {
  day_first: 'Day first: 31/12/2024',
  month_first: 'Month first: 12/31/2024',
  year_first: 'Year first: 24/12/31',
}
const NAMES: Record<NameRule, string> = {
  first_last: 'First and last name: Ana Perez',
  last_first: 'Last and first name: Perez Ana',
  one_last_name_first: 'The first word is the last name: Perez | Ana Maria',
  one_first_name: 'The first word is the first name: Ana | Perez Gomez',
  one_last_name: 'The last word is the last name: Ana Maria | Perez',
  capitals: 'The words in capitals are the last name: PEREZ GOMEZ Ana',
  one_character: 'The first character is the last name: 王 | 伟',
}
const CLOCKS: Record<NonNullable<NonNullable<ColumnMapping['clock']>>, string> = {
  ignore: 'Use the day as written',
  refuse: 'Treat these values as unreadable',
}
const CALENDARS: Record<Calendar, string> = {
  gregorian: 'Gregorian: 2026',
  buddhist: 'Buddhist: 2569',
  islamic: 'Islamic (Hijri): 1447',
  persian: 'Persian (Solar Hijri): 1404',
  minguo: 'Republic of China (Minguo): 115',
}
const KEYS: Record<ManagerKey, string> = {
  full_name: 'By full name',
  email: 'By email',
  external_id: 'By external ID',
  employee_number: 'By employee number',
  key: 'By the ID within the file',
}

/** What a word of a status means. */
export const STATUSES: Record<Status, string> = { active: 'Active', inactive: 'Inactive' }

/** How the values of a column can be read, by what it becomes, in the members of its mapping. */
export const READINGS = {
  dates: { of: isDate, what: 'Order', options: DATES },
  clock: { of: isDate, what: 'Time of day', options: CLOCKS },
  calendar: { of: isDate, what: 'Calendar', options: CALENDARS },
  names: { of: (to) => to === 'full_name', what: 'Names', options: NAMES },
  by: { of: (to) => to === 'manager', what: 'Managers', options: KEYS },
} as const satisfies Partial<
  Record<keyof ColumnMapping, { of: (to: ColumnMapping['to']) => boolean; what: string; options: Options }>
>

export type Reading = keyof typeof READINGS

/** Lists how the values of a column can be read that becomes this. */
export function listReadings(to: ColumnMapping['to']) {
  return (Object.keys(READINGS) as Reading[]).filter((reading) => READINGS[reading].of(to))
}
