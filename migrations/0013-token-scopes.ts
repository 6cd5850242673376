import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    // Scopes of tokens for programs, separated by blanks. A process of the previous version refuses those it doesn't know.
    `alter table user_tokens drop constraint user_tokens_scope_check, add constraint user_tokens_scope_check
      check (string_to_array(scope, ' ') <@ array['logs:read', 'uploads:write', 'people:read', 'audit'])`,
  ])
}
