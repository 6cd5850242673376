import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Tells administrators by email, and webhooks, when something begins or stops needing attention. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // What needs attention, as of the company's events. "name" tells an item from all others. A row and its event are
  // written together, so each change is told exactly once.
  `create table raised_attention (
    company_id uuid not null,
    name text not null,
    item jsonb not null,
    primary key (company_id, name)
  )`,
  // The time of the facts that were last compared. Whoever comes with older facts changes nothing.
  `create table attention_checks (
    company_id uuid primary key,
    checked_at timestamptz(3) not null
  ) with (fillfactor = 50)`,
  // Whether a user wants alerts by email; up to which position they were told, and when last.
  `alter table users add column wants_alerts boolean not null default false,
    add column told_position bigint, add column told_at timestamptz(3)`,
]
