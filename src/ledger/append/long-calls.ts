import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import type { KeyOfCall } from './idempotency-keys.ts'

/** A call with an idempotency key that is under way. */
export interface KeyedCall extends KeyOfCall {
  callId: string
  /** `performance.now()` when it began. */
  beganAt: number
}

/** Tells processes of each other's calls with idempotency keys, if those take long. */
export interface LongCalls {
  /** Announces a call that is still under way. Never rejects. */
  announce(call: KeyedCall): Promise<void>
  /** Withdraws the announcement of a call. Never rejects. */
  withdraw(call: KeyedCall): Promise<void>
  /**
   * Whether a call with the same key that began earlier is under way in any process; false if the database does not
   * answer.
   */
  isBehindAnother(call: KeyedCall): Promise<boolean>
}

/** No call takes this long. An older announcement was left by a process that was killed. */
const STALE_SECONDS = 120
/** Further calls are not announced, to spare the database. A retry of one of them gets a 503 instead of a 409. */
const MAX_ANNOUNCED = 100

/** Opens the announcements, which are rows in the database. Errors in reading or writing them fail no call. */
export function createLongCalls(pool: Pick<Pool, 'query'>): LongCalls {
  const announced = new Set<string>()
  const secondsOf = ({ beganAt }: KeyedCall) => (performance.now() - beganAt) / 1_000
  return {
    async announce(call) {
      const { companyId, actor, keyHash, callId } = call
      if (announced.size >= MAX_ANNOUNCED) return
      announced.add(callId)
      await pool
        .query(
          // Citus allows only stable functions here.
          `with stale as (delete from long_calls
             where company_id = $1 and began_at < statement_timestamp() - make_interval(secs => $6))
           insert into long_calls (company_id, call_id, api_id, key_hash, began_at)
           values ($1, $2, $3, decode($4, 'hex'), statement_timestamp() - make_interval(secs => $5))`,
          [toUuid(companyId), toUuid(callId), toUuid(actor), keyHash, secondsOf(call), STALE_SECONDS],
        )
        .catch(() => undefined)
    },
    async withdraw({ companyId, callId }) {
      if (!announced.delete(callId)) return
      const ids = [toUuid(companyId), toUuid(callId)]
      await pool.query('delete from long_calls where company_id = $1 and call_id = $2', ids).catch(() => undefined)
    },
    async isBehindAnother(call) {
      const { companyId, actor, keyHash, callId } = call
      const events = await pool
        .query(
          `select 1 from long_calls where company_id = $1 and api_id = $2 and key_hash = decode($3, 'hex')
            and call_id <> $4
             and began_at < clock_timestamp() - make_interval(secs => $5)
             and began_at > clock_timestamp() - make_interval(secs => $6) limit 1`,
          [toUuid(companyId), toUuid(actor), keyHash, toUuid(callId), secondsOf(call), STALE_SECONDS],
        )
        .catch(() => null)
      return events !== null && events.rows.length > 0
    },
  }
}
