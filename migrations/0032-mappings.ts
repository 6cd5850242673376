import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Stores what the columns of uploaded files mean, and remembers it for files with the same first line. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "mapping" is null for JSON, and for files that were stored before, whose columns mean what "uses" says.
  'alter table uploads add column mapping json',

  // "header_hash" is the SHA-256 of the first line as JSON. "mapping" has no names of columns, and of the cells only words for statuses.
  `create table upload_mappings (
    company_id uuid not null,
    header_hash bytea not null,
    mapping json not null,
    used_at timestamptz(3) not null,
    primary key (company_id, header_hash)
  )`,
]
