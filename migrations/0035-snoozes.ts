import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Keeps which problems administrators have put off until a day. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "name" and "item" as in raised_attention. The problem is shown again from the day "until" (YYYY-MM-DD) of the
  // company's time zone.
  `create table attention_snoozes (
    company_id uuid not null,
    name text collate "C" not null,
    item jsonb not null,
    until text not null,
    reason text not null,
    actor text not null,
    primary key (company_id, name)
  )`,
]
