import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Remembers how far witnesses have cosigned each ledger, and the checkpoints that they have cosigned. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "witness" is the name and the id of its key. "size" is that of the last checkpoint that it has cosigned.
  `create table witness_progress (
    company_id uuid not null,
    witness text not null,
    size bigint not null default 0,
    due_at timestamptz(3) not null,
    attempts integer not null default 0,
    failing_since timestamptz(3),
    fault text check (fault in ('unavailable', 'conflict', 'forged')),
    error text,
    primary key (company_id, witness),
    constraint witness_progress_failing check ((failing_since is null) = (fault is null))
  )`,
  // "note" has the signature of the service and the cosignatures, a line each.
  `create table cosigned_checkpoints (
    company_id uuid not null,
    size bigint not null,
    note text not null,
    primary key (company_id, size)
  )`,
]
