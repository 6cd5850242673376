import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Which versions of the projections may be read: those whose tables have once been filled up to their ledgers' heads. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table projection_versions (
    projection text not null,
    version integer not null,
    completed_at timestamptz(3) not null,
    primary key (projection, version)
  )`,
  // What was read before there was this table goes on being read.
  `insert into projection_versions (projection, version, completed_at)
    select projection, version, clock_timestamp() from checkpoints group by projection, version`,
]
