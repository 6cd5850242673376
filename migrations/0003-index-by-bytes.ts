import { sql, type Kysely } from 'kysely'
import { createIndexesConcurrently } from '../src/postgres/create-indexes.ts'

export const isConcurrent = true

/**
 * Creates the indexes that the next migration gives to the directory, its only large table. Citus doesn't let a
 * constraint take over an index, so a cluster skips this step. The previous version reads from an index's name what a
 * duplicate violates, and ignores a number at its end, as shards have one.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (rows.length > 0) return
  await createIndexesConcurrently(db, 'public', {
    employee_directory_email_0003: {
      table: 'employee_directory',
      on: '(company_id, email collate "C")',
      isUnique: true,
    },
    employee_directory_external_id_0003: {
      table: 'employee_directory',
      on: '(company_id, external_id collate "C")',
      isUnique: true,
    },
  })
}
