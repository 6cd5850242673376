import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Stores the trace of each call, so that the workers can continue it. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // Not part of the events, which are kept forever: a trace is useful for a day. Untraced calls have no row. "position"
  // is that of the call's last event; "traceparent" is as in W3C Trace Context.
  `create table event_traces (
    company_id uuid not null,
    position bigint not null check (position >= 1),
    traceparent text not null check (octet_length(traceparent) = 55),
    recorded_at timestamptz(3) not null,
    primary key (company_id, position)
  )`,
  `create index event_traces_by_age on event_traces (recorded_at)`,
]
