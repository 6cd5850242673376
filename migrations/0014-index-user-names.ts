import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Keeps those without a user name, which are most people, out of the index of user names. An exclusion constraint can leave
 * out rows, and be checked at the end of a statement, so that two people can swap their names.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    'alter table employee_directory drop constraint employee_directory_user_name',
    `alter table employee_directory add constraint employee_directory_user_name
      exclude using btree (company_id with =, user_name with =) where (user_name is not null)
      deferrable initially immediate`,
  ])
}
