import { sql } from 'kysely'
import type { Pool } from 'pg'
import { FAILING_METHODS, type FailedAttempts, type SignInMethod } from '#domain/accounts/roles'
import type { Client } from '#domain/call-sources'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { changeInPieces, deleteInPieces } from '#postgres/delete-in-pieces'
import type { UserRef } from './users.ts'
import type { Queryable } from '#postgres/pool'

/*
 * The last sign-in and the latest failed ones of each user, for the pages of users. From where they came is personal:
 * like the clients of events, it is deleted after a while, and with its user.
 */

/** Stores a user's last sign-in, in the transaction that starts the session. */
export async function storeLastSignIn(
  client: Queryable,
  { companyId, userId }: UserRef,
  method: SignInMethod,
  { address, userAgent }: Client,
) {
  await client.query(
    `insert into last_sign_ins (company_id, user_id, signed_in_at, method, address, user_agent)
     values ($1, $2, clock_timestamp(), $3, $4, $5)
     on conflict (company_id, user_id) do update set signed_in_at = excluded.signed_in_at, method = excluded.method,
       address = excluded.address, user_agent = excluded.user_agent`,
    [toUuid(companyId), toUuid(userId), method, address || null, userAgent],
  )
}

/** A user's last sign-in. Times are RFC 3339 UTC. */
export interface LastSignIn {
  at: string
  method: SignInMethod
  /** Null if that is not kept any more. */
  client: Client | null
}

/** Finds a user's last sign-in; null if there was none, or it was before version 1.1.0. */
export async function findLastSignIn(db: LedgerDb, { companyId, userId }: UserRef): Promise<LastSignIn | null> {
  const row = await db
    .selectFrom('last_sign_ins')
    .select(['signed_in_at', 'method', 'address', 'user_agent'])
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .executeTakeFirst()
  return row ? { at: row.signed_in_at, method: row.method, client: clientOf(row) } : null
}

/** The failed sign-ins of a user in an hour. */
export interface FailedHour {
  /** When the hour began, RFC 3339 UTC. */
  hour: string
  attempts: FailedAttempts
  lastAt: string
  /** From where the last one came; null if that is not kept any more. */
  client: Client | null
}

/** Lists the latest hours in which signing in as a user failed, newest first. */
export async function listFailedHours(
  db: LedgerDb,
  { companyId, userId }: UserRef,
  limit: number,
): Promise<FailedHour[]> {
  const rows = await db
    .selectFrom('failed_sign_ins')
    .select(['hour', 'password', 'passkey', 'recovery_code', 'last_at', 'address', 'user_agent'])
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .orderBy('hour', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    hour: row.hour,
    attempts: attemptsOf(row),
    lastAt: row.last_at,
    client: clientOf(row),
  }))
}

/** The attempts that a row counts. */
export function attemptsOf(row: Required<FailedAttempts>): FailedAttempts {
  return Object.fromEntries(FAILING_METHODS.flatMap((method) => (row[method] === 0 ? [] : [[method, row[method]]])))
}

function clientOf({ address, user_agent: userAgent }: { address: string | null; user_agent: string | null }) {
  return address === null ? null : { address, userAgent }
}

/** Days for which failed sign-ins are kept for the pages, unless addresses are kept for less. */
const FAILURES_KEPT_DAYS = 30

/** Deletes old failed sign-ins, and from where sign-ins came so many days ago. */
export async function forgetOldSignIns(pool: Pool, keptDays: number): Promise<void> {
  const failuresKeptDays = Math.min(FAILURES_KEPT_DAYS, keptDays)
  const isOld = sql`last_at < statement_timestamp() - make_interval(days => ${failuresKeptDays})`
  await deleteInPieces(pool, 'failed_sign_ins', ['company_id', 'user_id', 'hour'], isOld, 'last_at')
  await changeInPieces(
    pool,
    (limit) => sql`update last_sign_ins l set address = null, user_agent = null from (
        select company_id, user_id from last_sign_ins
        where signed_in_at < statement_timestamp() - make_interval(days => ${keptDays}) and address is not null ${limit}
      ) as old
      where l.company_id = old.company_id and l.user_id = old.user_id`,
  )
}
