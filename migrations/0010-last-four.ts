import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Keeps the last four characters of secrets, so that a secret that was found somewhere leads to its key or token. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // By the SHA-256 of each secret, in hexadecimal. A process of the previous version may rotate the key without writing
  // this column; the characters of the old secret must not then be taken for those of the new one.
  `alter table api_keys add column last_four jsonb`,
  `alter table user_tokens add column last_four text check (char_length(last_four) = 4)`,
]
