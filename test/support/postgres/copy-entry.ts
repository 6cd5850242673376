import type { Pool } from 'pg'
import { BULK_USER_LOG_TABLES } from '../../../projections/bulk-user-logs/tables.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { ENTRIES } from './projection-tables.ts'

type Column = keyof typeof BULK_USER_LOG_TABLES.entries.columns

/** The position before that of the first copy. */
export const BEFORE_COPIES = 1_000_000

/**
 * Adds copies of a company's first entry to Bulk User Logs, without events. `changes` says in SQL what else than the
 * positions and the calls differs, where `n` is the number of the copy, from 1.
 */
export async function copyEntry(
  pool: Pool,
  companyId: string,
  count: number,
  changes: Partial<Record<Column, string>> = {},
): Promise<void> {
  const changed = { position: `${BEFORE_COPIES} + n`, call_id: 'gen_random_uuid()', ...changes }
  const columns = Object.keys(BULK_USER_LOG_TABLES.entries.columns)
  const values = columns.map((column) => changed[column as Column] ?? column)
  await pool.query(
    `insert into ${ENTRIES} (${columns.join(', ')}) select ${values.join(', ')}
     from (select * from ${ENTRIES} where company_id = $1 order by position limit 1) e,
       generate_series(1, $2::integer) n`,
    [toUuid(companyId), count],
  )
}
