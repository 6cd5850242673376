import { readPhoneNumber } from '../phone-number.ts'
import { mapInPieces, type Pieces } from '../pieces.ts'
import type { ReadRecord } from './call-records.ts'

/** Reads the local phone numbers of records: see `readLocalPhone`. */
export function* readLocalPhones(records: ReadRecord[], country: string | null): Pieces<ReadRecord[]> {
  if (!records.some(hasLocalPhone)) return records
  return yield* mapInPieces(records, (record) => readLocalPhone(record, country))
}

export function hasLocalPhone({ localPhone }: ReadRecord): boolean {
  return localPhone !== null
}

/**
 * Reads the local phone number of a record, if it has one, as one of the company's country (ISO 3166-1 alpha-2), and puts
 * it into the patch. Without a country, it is an error of the record.
 */
export function readLocalPhone(record: ReadRecord, country: string | null): ReadRecord {
  if (record.localPhone === null) return record
  const { value, fault } = readPhoneNumber(record.localPhone, country)
  if (fault === undefined) return { ...record, patch: { ...record.patch, phone: value! } }
  const errors = record.errors.copy()
  errors.add(['phone'], 'invalid_format', `phone ${fault}`)
  return { ...record, errors }
}
