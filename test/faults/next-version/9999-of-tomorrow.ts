import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Adds what the next version of the program needs, to a table that the released version reads and writes. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table companies add column motto text not null default ''`.execute(db)
  await sql`create index companies_by_motto on companies (company_id, motto)`.execute(db)
}
