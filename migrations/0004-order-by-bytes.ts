import { sql, type Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Orders the text of unique indexes by its bytes. Otherwise its order is that of the operating system, an upgrade of which
 * can change it: then PostgreSQL doesn't find what an index has, and lets duplicates in. Nothing shows these columns in
 * this order. PostgreSQL rewrites no table for this, and no index that already has this order.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const { rows } = await sql`select from pg_class where relname = 'employee_directory_email_0003'`.execute(db)
  const isPrepared = rows.length > 0
  const [dropped, added] = isPrepared ? [DROPPED, ADDED] : [[], []]
  await runStatements(db, [...dropped, ...Object.entries(COLUMNS).map(orderByBytes), ...added])
}

const COLUMNS = {
  employee_directory: ['email', 'external_id'],
  checkpoints: ['projection'],
  projection_versions: ['projection'],
  sessions: ['provider_session'],
  users: ['email', 'issuer', 'subject'],
}

function orderByBytes([table, columns]: [table: string, columns: string[]]): string {
  return `alter table ${table} ${columns.map((column) => `alter column ${column} type text collate "C"`).join(', ')}`
}

const UNIQUE = ['employee_directory_email', 'employee_directory_external_id']
const DROPPED = UNIQUE.map((name) => `alter table employee_directory drop constraint ${name}`)
const ADDED = UNIQUE.map(
  (name) => `alter table employee_directory add constraint ${name} unique using index ${name}_0003 deferrable`,
)
