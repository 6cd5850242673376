import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Stores uploaded files for a day, in parts that become calls one after the other. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "header" is the line that names the columns of a CSV file, null for JSON; "uses" says what columns become that are
  // no attributes. "address" and "user_agent" are those of the request that applies the file.
  `create table uploads (
    company_id uuid not null,
    upload_id uuid not null,
    user_id uuid not null,
    file_name text not null,
    operation text not null,
    header json,
    uses json not null,
    corrects json not null,
    rows integer not null,
    parts integer not null,
    bytes bigint not null,
    state text not null check (state in ('previewing', 'previewed', 'applying', 'stopped', 'ended')),
    request_id text,
    address text,
    user_agent text,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    lease_id uuid,
    leased_until timestamptz(3),
    primary key (company_id, upload_id)
  )`,
  `create index uploads_unfinished on uploads (company_id, created_at) where state in ('previewing', 'applying')`,
  `create index uploads_by_end on uploads (expires_at)`,

  // "content" is JSON: the lines and cells of a CSV file, or records. It is deleted once the part is applied. "counts"
  // is what a preview counted. The call of a part has its id from the start, so that it can be made only once.
  `create table upload_parts (
    company_id uuid not null,
    upload_id uuid not null,
    part integer not null,
    user_id uuid not null,
    call_id uuid not null,
    first_row integer not null,
    rows integer not null,
    erased integer not null default 0,
    content text,
    counts json,
    state text not null default 'waiting' check (state in ('waiting', 'applied', 'refused', 'canceled')),
    primary key (company_id, upload_id, part)
  )`,
]
