import { locateColumns } from '../../../../clients/typescript/spreadsheets/mapping.ts'
import { findCountry, isPhoneCountry } from '../../../../clients/typescript/spreadsheets/read-phone.ts'
import type { StoredUpload } from '../../../ledger/uploads/read-uploads.ts'
import type { PartRecords } from '../../../uploads/part-records.ts'

/** The rows among which phone numbers are looked for. */
const SEARCHED_ROWS = 100

/**
 * Guesses where the local phone numbers of a file are, if that is asked: by its other numbers, or else by the languages of
 * the browser, such as `de-DE,de;q=0.9`.
 */
export function guessCountry(
  { header, mapping }: Pick<StoredUpload, 'header' | 'mapping'>,
  { unreadable }: Pick<PartRecords, 'unreadable'>,
  languages = '',
): string | undefined {
  if (header === null || mapping?.country !== null) return undefined
  const at = locateColumns(header, mapping.columns)[mapping.columns.findIndex(({ to }) => to === 'phone')] ?? -1
  const found = findCountry(unreadable.slice(0, SEARCHED_ROWS).map(({ row }) => row.cells?.[at] ?? ''))
  const [language = '', region = ''] = /^[a-z]{2,3}-([A-Z]{2})(?![\w-])/.exec(languages) ?? []
  // Browsers everywhere have en-US.
  return found ?? (language !== 'en-US' && isPhoneCountry(region) ? region : undefined)
}
