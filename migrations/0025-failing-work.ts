import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Keeps which background work of a company fails, so that operators and administrators see it, and lets a process take
 * over an evidence file from one that was killed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "work" is one of domain/background-work.ts. "subject" is the witness or the upload that it is about, or empty. A row is
  // deleted when the same work succeeds; "seen_at" is when it failed last.
  `create table failing_work (
    company_id uuid not null,
    work text not null,
    subject text not null,
    since timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    error text not null,
    primary key (company_id, work, subject)
  )`,
  `create index failing_work_by_age on failing_work (seen_at)`,
  // The process that makes a file renews its lease. When the lease ends, another one begins again, up to some attempts.
  `alter table evidence_files add column leased_until timestamptz(3), add column attempts integer not null default 0`,
]
