import {
  listLogEntries,
  type EntryFilter,
  type LogEntry,
  type PageSize,
  readNewestLogPosition,
} from '#projections/bulk-user-logs/queries'
import type { LedgerDb } from '#ledger/tables'
import { type CsvColumn, writeCsvHeader, writeCsvRows } from './csv-text.ts'
import type { ShownRecord } from './log-records.ts'
import { writeText } from '#spreadsheets/cells'
import {
  addColumns,
  orderColumns,
  ORIGIN_COLUMNS,
  RECORD_COLUMN,
  writeRecord,
} from '#spreadsheets/mapping/record-columns'
import { inTurns } from '#admission/turns'
import { formatField } from '#domain/errors'
import { listRefusedRecords, type RefusedRecord, nameRecord, type DetailedRecord } from './refused-records.ts'

const ENTRIES_PER_PAGE = 1_000

/** Reads all matching entries, newest first, a page at a time. */
export async function* listAllEntries(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  page: PageSize & { before: number | null } = { before: null, limit: ENTRIES_PER_PAGE },
): AsyncGenerator<LogEntry[]> {
  let { before } = page
  do {
    const { entries, next } = await listLogEntries(db, companyId, filter, { ...page, before })
    yield entries
    before = next
  } while (before !== null)
}

export const ENTRY_COLUMNS: readonly CsvColumn<LogEntry>[] = [
  ['id', ({ entry }) => entry.id],
  ['status', ({ entry }) => entry.status],
  ['name', ({ entry }) => entry.name],
  ['requested_at', ({ entry }) => entry.requested_at],
  ['operation', ({ entry }) => entry.operation],
  ['total', ({ entry }) => entry.counts.total],
  ['updated', ({ entry }) => entry.counts.updated],
  ['deactivated', ({ entry }) => entry.counts.deactivated],
  ['failed', ({ entry }) => entry.counts.failed],
  ['no_updates', ({ entry }) => entry.counts.no_updates],
  ['http_status', ({ entry }) => entry.http_status],
  ['duration_ms', ({ entry }) => entry.duration_ms],
  ['key_id', ({ entry }) => entry.key?.id ?? null],
  ['key_name', ({ entry }) => entry.key?.name ?? null],
  ['request_id', ({ entry }) => entry.request_id],
  ['error_code', ({ entry }) => entry.error?.code ?? null],
  ['error_detail', ({ entry }) => entry.error?.detail ?? null],
  ['user_id', ({ entry }) => entry.user?.id ?? null],
  ['user_name', ({ entry }) => entry.user?.name ?? null],
  ['file_name', ({ entry }) => entry.file?.name ?? null],
  ['corrects', ({ entry }) => entry.corrects.join(' ')],
  ['undoes', ({ entry }) => entry.undoes],
  ['first_row', ({ entry }) => entry.file?.part?.first_row ?? null],
  ['last_row', ({ entry }) => entry.file?.part?.last_row ?? null],
  ['notes', ({ entry }) => entry.notes.map(({ path, message }) => `${path}: ${message}`).join('; ')],
]

export const RECORD_COLUMNS: readonly CsvColumn<DetailedRecord>[] = [
  ['index', ({ shown }) => shown.index],
  ['employee_id', ({ shown }) => (typeof shown.employee_id === 'string' ? shown.employee_id : null)],
  ['name', (record) => nameRecord(record).name],
  ['email', (record) => nameRecord(record).email],
  ['external_id', (record) => nameRecord(record).external_id],
  ['status', ({ outcome }) => outcome],
  ['attributes', ({ shown }) => formatList(shown.attributes, ([name, value]) => `${name}: ${JSON.stringify(value)}`)],
  [
    'changes',
    ({ shown }) =>
      formatList(shown.changes, ([name, { from, to }]) => `${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`),
  ],
  ['record', ({ shown }) => formatRecord(shown)],
  ['truncated', ({ shown }) => (shown.truncated ? 'truncated' : null)],
  ['errors', ({ shown }) => shown.errors?.map(errorText).join('; ') ?? null],
  ['errors_omitted', ({ shown }) => shown.errors && shown.errors_omitted],
  ['erased', ({ shown }) => (shown.erased ? 'erased' : null)],
]

/** Renders a record as JSON. A truncated record already is the start of its JSON. */
function formatRecord({ record, truncated }: ShownRecord) {
  if (record === null) return null
  return truncated ? (record as string) : JSON.stringify(record)
}

/** Renders named values as one readable cell. */
function formatList<Value>(values: Record<string, Value> | null, text: (value: [string, Value]) => string) {
  return values && Object.entries(values).map(text).join('; ')
}

function errorText({ pointer, code, message }: NonNullable<ShownRecord['errors']>[number]) {
  return `${pointer === '' ? code : `${pointer} ${code}`}: ${message}`
}

const ENTRIES_AT_ONCE = 100

/** Writes the refused records of all matching entries as CSV that people can edit, newest entry first. */
export async function* writeAllFailedRecords(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
): AsyncGenerator<string> {
  // Both times, the file has the entries that there are now.
  const before = (await readNewestLogPosition(db, companyId)) + 1
  async function* list(): AsyncGenerator<RefusedRecord[]> {
    const page = { before, limit: ENTRIES_AT_ONCE, withRefused: true as const }
    for await (const entries of listAllEntries(db, companyId, filter, page))
      yield* listRefusedRecords(db, companyId, entries, {})
  }
  yield* writeFile(list)
}

/**
 * Writes the file. Reads the records twice, first for their columns, so that memory holds a page of them at a time. Both
 * times they are the same, unless some were erased meanwhile.
 */
export async function* writeFile(list: () => AsyncIterable<RefusedRecord[]>): AsyncGenerator<string> {
  const columns = new Set<string>()
  for await (const page of list()) {
    for await (const { record, truncated } of inTurns(page)) {
      if (truncated) columns.add(RECORD_COLUMN)
      else addColumns(columns, record)
    }
    // Lets the reader's rights be checked, although there is nothing to send yet.
    yield ''
  }
  const ordered = orderColumns(columns)
  yield writeCsvHeader([...ORIGIN_COLUMNS, ...ordered])
  function* rowsOf(page: readonly RefusedRecord[]): Generator<string[]> {
    for (const refused of page) yield writeRow(refused, columns, ordered)
  }
  for await (const page of list()) yield* writeCsvRows(rowsOf(page))
}

function writeRow(
  { logId, index, record, truncated, ...refused }: RefusedRecord,
  columns: ReadonlySet<string>,
  ordered: string[],
) {
  const cells = truncated ? new Map([[RECORD_COLUMN, writeText(record as string)]]) : writeRecord(record, columns)
  const errors = formatErrors(refused)
  return [
    logId,
    String(index ?? ''),
    errors === '' ? '' : writeText(errors),
    ...ordered.map((name) => cells.get(name) ?? ''),
  ]
}

/** Formats the errors of a record, with their fields unless the messages name them. */
export function formatErrors({
  errors,
  errors_omitted: omitted,
}: Pick<RefusedRecord, 'errors' | 'errors_omitted'>): string {
  const texts = errors.map(({ pointer, message }) => {
    const field = formatField(pointer)
    return field === '' || message.startsWith(`${field} `) ? message : `${field}: ${message}`
  })
  return [...texts, ...(omitted === 0 ? [] : [`and ${omitted} more`])].join('; ')
}
