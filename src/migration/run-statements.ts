import { channel } from 'node:diagnostics_channel'
import { sql, type Kysely } from 'kysely'

const ran = channel('employee-ledger.migrate.statement')

/** Runs the statements of a migration, in order. */
export async function runStatements(db: Kysely<never>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await sql.raw(statement).execute(db)
    ran.publish(statement)
  }
}
