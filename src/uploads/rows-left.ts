import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import type { StoredRow } from '#domain/uploads'
import type { StoredPart, StoredUpload } from '#ledger/uploads/read-uploads'
import { readPart } from './part-records.ts'

/** A call of a part, as the ledger has it. */
interface CalledPart {
  /** The number of its records. */
  total: number
  /** The indexes of the records that it refused; null if it refused all. */
  refused: ReadonlySet<number | undefined> | null
}

/** Finds the call of a part; null if it was not made. */
export async function findCalled(
  pool: Pool,
  { companyId }: Pick<StoredUpload, 'companyId'>,
  { callId }: Pick<StoredPart, 'callId'>,
): Promise<CalledPart | null> {
  const { rows } = await pool.query<{ type: string; record_index: number | null; total: number | null }>(
    `select type, record_index,
       case when type <> 'EmployeeRecordRejected' then (data::json -> 'counts' ->> 'total')::integer end as total
     from events where company_id = $1 and stream_id = $2
       and type in ('ApiCallCompleted', 'ApiCallFailed', 'EmployeeRecordRejected')`,
    [toUuid(companyId), toUuid(callId)],
  )
  const closing = rows.find(({ total }) => total !== null)
  if (!closing) return null
  const refused = new Set(rows.flatMap(({ record_index: index }) => index ?? []))
  return { total: closing.total!, refused: closing.type === 'ApiCallFailed' ? null : refused }
}

/**
 * Chooses the rows of a part that its call did not apply, each with its index in the call, or null if it cannot be read.
 * If rows of the call were erased since, nobody knows which index the others had. Those that it refused are then missing,
 * and are still in its entry; of a call that refused all, the rows have no index.
 */
export async function chooseRowsLeft(
  upload: StoredUpload,
  called: CalledPart | null,
  rows: readonly StoredRow[],
): Promise<StoredRow[]> {
  if (called === null || rows.some(({ index }) => index !== undefined)) return [...rows]
  const { total, refused } = called
  const { rows: sent } = await readPart(upload, rows)
  const indexes = new Map(sent.map(({ row }, at) => [row, at]))
  const isCertain = sent.length === total
  return rows.flatMap((row) => {
    const index = indexes.get(row.row)
    if (row.plan?.repeats !== undefined) return []
    if (index === undefined) return { ...row, index: null }
    if (!isCertain) return refused === null ? row : []
    return refused === null || refused.has(index) ? { ...row, index } : []
  })
}
