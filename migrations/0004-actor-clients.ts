import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Notes from where each call and each change was made. Addresses are personal, so they are not part of the ledger: an
 * event only names a row of a table from which they are deleted. Events of older versions name none.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // An address and program that a key or user sent requests from, for a day. "client_id" is random, so that it says
  // nothing once the row is deleted. "user_agent" is as the client sent it, shortened; null if the company already had too many.
  `create table actor_clients (
    company_id uuid not null,
    client_id bigint not null,
    actor_id uuid not null,
    address text not null,
    user_agent text,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    primary key (company_id, client_id)
  ) with (fillfactor = 80)`,
  `create index actor_clients_by_actor on actor_clients (company_id, actor_id, last_at)`,
  `create index actor_clients_by_address on actor_clients (company_id, address)`,
  `create index actor_clients_by_age on actor_clients (last_at)`,
  // Not part of the envelope. Set for the closing event of a call, and for each event of a change.
  `alter table events add column client_id bigint`,
]
