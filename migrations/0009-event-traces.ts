import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The trace that the events of a call belong to, for the workers to go on with. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Beside the events, which are for ever: what stands here is of use for a day, and there is none of a call that is not
  // traced. "position" is that of the call's last event, "traceparent" as in W3C Trace Context.
  `create table event_traces (
    company_id uuid not null,
    position bigint not null check (position >= 1),
    traceparent text not null check (octet_length(traceparent) = 55),
    recorded_at timestamptz(3) not null,
    primary key (company_id, position)
  )`,
  `create index event_traces_by_age on event_traces (recorded_at)`,
]
