import { sql, type Kysely } from 'kysely'
import { createIndexesConcurrently } from '../src/postgres/create-indexes.ts'

export const isConcurrent = true

/**
 * Creates the indexes that the next migration gives to the directory, the only large table among its. On a cluster, a
 * constraint can't take over an index. Their names end in a number, as those of shards do, by which the previous version
 * knows what a duplicate violates.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { rows } = await sql`select from pg_extension where extname = 'citus'`.execute(db)
  if (rows.length > 0) return
  await createIndexesConcurrently(db, 'public', {
    employee_directory_email_0034: {
      table: 'employee_directory',
      on: '(company_id, email collate "C")',
      isUnique: true,
    },
    employee_directory_external_id_0034: {
      table: 'employee_directory',
      on: '(company_id, external_id collate "C")',
      isUnique: true,
    },
  })
}
