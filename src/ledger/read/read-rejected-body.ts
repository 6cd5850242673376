import type { RejectedBody } from '#domain/calls/rejected-body'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '../tables.ts'

/**
 * The body of the call that the event at a position closes, if it could not be read; null if it could, or if its body was
 * empty or has been deleted.
 */
export async function readRejectedBody(
  db: LedgerDb,
  companyId: string,
  position: number,
): Promise<RejectedBody | null> {
  const row = await db
    .selectFrom('rejected_bodies')
    .select(['body', 'sent_bytes', 'truncated', 'error_at', 'error_line', 'error_column'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirst()
  if (!row) return null
  const { body: text, sent_bytes: bytes, truncated, error_at: at, error_line: line, error_column: column } = row
  const error = at === null || line === null || column === null ? null : { at, line, column }
  return { text, bytes, truncated, error }
}
