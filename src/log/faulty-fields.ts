import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { sentAgainBy } from '#domain/call-sources'
import { formatField } from '#domain/errors'
import type { CorrectedRecords } from '#domain/events'
import { isObject } from '#domain/json'
import { readValidRecords } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'
import { listRefusedRecords, type RefusedRecord, nameRecord } from './refused-records.ts'
import type { RecordFilter } from '#projections/bulk-user-logs/records-queries'

/* The values for which records of a call were refused, to be corrected in a form. */

/** More are corrected in a file. */
export const MAX_FAULTY_FIELDS = 50
const MAX_VALUE = 1_000

/** A value for which a record was refused. */
interface FaultyField {
  index: number
  /** JSON Pointer within the record. */
  pointer: string
  /** The field as pages name it. */
  name: string
  /** The name of the person. */
  person: string
  /** As a text; empty if the record does not have it. */
  value: string
  messages: string[]
}

/** A call that can be corrected in a form. */
export interface FaultyCall {
  fields: FaultyField[]
  refused: ReadonlyMap<number, unknown>
}

/**
 * Finds the values for which records of a call were refused. Null if a form can't correct them: there are too many, an
 * error is not about a single value, the service no longer keeps a record as it was sent, or the records are corrected
 * where they come from.
 */
export async function findFaultyFields(db: LedgerDb, companyId: string, entry: LogEntry): Promise<FaultyCall | null> {
  if (sentAgainBy(entry.entry.name) !== null) return null
  const refused = new Map<number, unknown>()
  const fields: FaultyField[] = []
  for await (const page of listRefusedRecords(db, companyId, [entry], {}))
    for (const one of page) {
      const found = listFields(one)
      if (!found || one.index === null) return null
      refused.set(one.index, one.record)
      for (const field of found) fields.push(field)
      if (fields.length > MAX_FAULTY_FIELDS) return null
    }
  return fields.length === 0 ? null : { fields, refused }
}

function listFields({
  index,
  record,
  truncated,
  errors,
  errors_omitted: omitted,
}: RefusedRecord): FaultyField[] | null {
  if (truncated || omitted > 0 || index === null || !isObject(record)) return null
  const {
    name,
    email,
    external_id: externalId,
  } = nameRecord({
    employee: undefined,
    shown: { record, truncated, attributes: null },
  })
  const person = name ?? email ?? externalId ?? `Record ${index + 1}`
  const byPointer = Map.groupBy(errors, ({ pointer }) => pointer)
  const fields = [...byPointer].map(([pointer, ofField]) => {
    const path = readPath(pointer)
    const value = path && readValue(record, path)
    if (value === null || value === undefined || value.length > MAX_VALUE) return null
    return {
      index,
      pointer,
      name: formatField(pointer),
      person,
      value,
      messages: ofField.map(({ message }) => message),
    }
  })
  return fields.every((field) => field !== null) ? fields : null
}

/** The names of a pointer to an attribute, or to a custom one; null if it leads elsewhere. */
function readPath(pointer: string): [string] | [string, string] | null {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (names.length === 1) return [names[0]!]
  return names.length === 2 && names[0] === 'custom_attributes' ? [names[0], names[1]!] : null
}

/** The value at a path as a text, empty if there is none; null if it is a list or an object. */
function readValue(record: Record<string, unknown>, [name, below]: [string, string?]) {
  const outer = Object.hasOwn(record, name) ? record[name] : undefined
  const inner = below === undefined ? outer : isObject(outer) && Object.hasOwn(outer, below) ? outer[below] : undefined
  if (inner === undefined || inner === null) return ''
  return typeof inner === 'string' || typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : null
}

/** The records to send again, and which records of the call they are. */
interface CorrectedCall {
  records: unknown[]
  corrects: CorrectedRecords
}

/**
 * Makes the call that sends a call again with other values, in the order of the fields: all of a failed call, or what one
 * has refused that was applied without. Null if its valid records are not kept.
 */
export async function correctCall(
  db: LedgerDb,
  companyId: string,
  { position, entry }: LogEntry,
  { fields, refused }: FaultyCall,
  values: readonly string[],
): Promise<CorrectedCall | null> {
  const isFailed = entry.status === 'Failed'
  const records = isFailed ? await readValidRecords(db, companyId, position) : new Map<number, unknown>()
  for (const [index, record] of refused) records.set(index, record)
  if (records.size !== (isFailed ? entry.counts.total : entry.counts.failed)) return null
  for (const [at, field] of fields.entries())
    records.set(field.index, changeValue(records.get(field.index) as Record<string, unknown>, field, values[at] ?? ''))
  const indexes = [...records.keys()].toSorted((one, other) => one - other)
  return {
    records: indexes.map((index) => records.get(index)),
    corrects: { [entry.id]: indexes.map((index, own) => [own, index]) },
  }
}

/** Sets a value of a record. An empty text is none. */
function changeValue(record: Record<string, unknown>, { pointer, value: shown }: FaultyField, value: string) {
  const [name, below] = readPath(pointer)!
  if (below !== undefined) {
    if (value === shown) return record
    const custom = isObject(record[name]) ? record[name] : {}
    return { ...record, [name]: { ...custom, [below]: value === '' ? null : value } }
  }
  const { [name]: _, ...others } = record
  return value === '' ? others : { ...others, [name]: value }
}

const RECORDS_AT_ONCE = 100

/**
 * Reads the refused records of an entry that match, and behind them, if all are asked for, the valid ones of a failed call
 * as far as they are kept: all that it takes to send the call again.
 */
export async function* listRecordsToCorrect(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
): AsyncGenerator<RefusedRecord[]> {
  yield* listRefusedRecords(db, companyId, [entry], filter)
  if (filter.q !== undefined || filter.error !== undefined) return
  const valid = [...(await readValidRecords(db, companyId, entry.position))]
  for (let from = 0; from < valid.length; from += RECORDS_AT_ONCE)
    yield valid.slice(from, from + RECORDS_AT_ONCE).map(([index, record]) => {
      return { logId: entry.entry.id, index, record, truncated: false, errors: [], errors_omitted: 0 }
    })
}
