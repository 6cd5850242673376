import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Records which versions of the projections may be read: those whose tables have once caught up with the heads. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  `create table projection_versions (
    projection text not null,
    version integer not null,
    completed_at timestamptz(3) not null,
    primary key (projection, version)
  )`,
  // Versions that are already in use stay readable.
  `insert into projection_versions (projection, version, completed_at)
    select projection, version, clock_timestamp() from checkpoints group by projection, version`,
]
