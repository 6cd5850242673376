import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Gives all passwords of an email address one salt, and remembers whose address was proved by a message. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // 244 random bits. From them come the salt of each email address, and the signature of the cookie of known browsers.
  `alter table setup add column sign_in_key bytea not null
    default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())`,
  // The user has set a password through a link that only a message to this address contained.
  `alter table users add column has_proved_email boolean not null default false`,
]
