import type { HeaderMeaning } from '#spreadsheets/words/header-words'
import { recognizeHeader } from '#spreadsheets/words/recognize-header'
import { ATTRIBUTE_NAMES } from '../attributes.ts'
import type { Fault } from '../record-faults.ts'

/** The fields for what a name means elsewhere, as columns of staff lists show it. */
const FIELDS: Readonly<Record<HeaderMeaning, string | null>> = {
  first_name: 'first_name',
  last_name: 'last_name',
  full_name: 'first_name and last_name',
  first_or_full_name: 'first_name',
  last_or_full_name: 'first_name and last_name',
  email: 'email',
  employee_number: 'external_id or employee_number',
  external_id: 'external_id',
  user_name: 'user_name or external_id',
  job_title: 'job_title',
  department: 'department',
  division: 'division',
  location: 'location',
  phone: 'phone',
  start_date: 'start_date',
  termination_date: 'termination_date',
  status: 'status',
  status_flag: 'status, which is active or inactive',
  status_inverted: 'status, which is active or inactive',
  manager: 'manager_email, manager_external_id, or manager_id',
  country: null,
  never_store: null,
  not_ours: null,
}

const WRITTEN = [...ATTRIBUTE_NAMES, 'manager_external_id', 'manager_email']

/** The names as they are compared, by what they mean. */
const plainOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
const PLAIN = new Map(WRITTEN.map((field) => [plainOf(field), field]))

/** No name of a field is longer, in any language. */
const MAX_NAME = 256

/** The fault of a field that does not exist. It names the field that is meant, if that is known. */
export function refuseUnknownField(name: string, sent: unknown): Fault {
  const inner: unknown = Array.isArray(sent) ? sent[0] : sent
  if (typeof inner === 'object' && inner !== null && WRITTEN.some((field) => Object.hasOwn(inner, field)))
    return { kind: 'nested_fields' }
  if (name.length > MAX_NAME) return { kind: 'unknown_field' }
  const same = PLAIN.get(plainOf(name))
  if (same !== undefined) return { kind: 'unknown_field', meant: same }
  const meaning = recognizeHeader(name)
  const meant = meaning && FIELDS[meaning]
  return meant === null ? { kind: 'unknown_field' } : { kind: 'unknown_field', meant }
}
