import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'
import { ACCOUNTS } from './second-release/accounts.ts'
import { ATTENTION } from './second-release/attention.ts'
import { ERASURE } from './second-release/erasure.ts'
import { EVIDENCE } from './second-release/evidence.ts'
import { LEDGER } from './second-release/ledger.ts'
import { UPLOADS } from './second-release/uploads.ts'

/** Creates the tables and columns that version 1.1.0 adds. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [...LEDGER, ...ERASURE, ...ACCOUNTS, ...ATTENTION, ...UPLOADS, ...EVIDENCE])
}
