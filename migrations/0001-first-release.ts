import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'
import { ACCOUNTS } from './first-release/accounts.ts'
import { APPEND_ONLY } from './first-release/append-only.ts'
import { CALLS } from './first-release/calls.ts'
import { LEDGER } from './first-release/ledger.ts'
import { PROJECTIONS } from './first-release/projections.ts'
import { SIGN_IN } from './first-release/sign-in.ts'
import { WEBHOOKS } from './first-release/webhooks.ts'

/** Creates every table of version 1.0.0, apart from those of the projections and the job queues. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [...PROJECTIONS, ...LEDGER, ...APPEND_ONLY, ...CALLS, ...ACCOUNTS, ...SIGN_IN, ...WEBHOOKS])
}
