import { readPhoneNumber } from '../phone-number.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { ReadRecord } from './call-records.ts'

/** Reads the local phone numbers of records: see `readLocalPhonesOf`. */
export function* readLocalPhones(records: ReadRecord[], country: string | null): Pieces<ReadRecord[]> {
  if (!records.some(hasLocalPhones)) return records
  return yield* mapInPieces(records, (record) => readLocalPhonesOf(record, country))
}

export function hasLocalPhones({ localPhones }: ReadRecord): boolean {
  return localPhones.length > 0
}

/**
 * Reads the local phone numbers of a record as numbers of the company's country (ISO 3166-1 alpha-2), and puts them into
 * the patch. Without a country, they are errors of the record.
 */
export function readLocalPhonesOf(record: ReadRecord, country: string | null): ReadRecord {
  if (!hasLocalPhones(record)) return record
  const patch: Record<string, unknown> = { ...record.patch }
  const errors = record.errors.copy()
  for (const { name, text } of record.localPhones) {
    const { value, fault } = readPhoneNumber(text, country)
    if (fault === undefined) patch[name] = value
    else errors.add([name], { kind: fault, field: name })
  }
  return { ...record, patch, errors }
}
