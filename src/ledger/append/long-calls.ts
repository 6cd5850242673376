import type { Pool } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { KeyOfCall } from './idempotency-keys.ts'

/** A call with an idempotency key that is under way. */
export interface KeyedCall extends KeyOfCall {
  callId: string
  /** `performance.now()` when it began. */
  beganAt: number
}

/** Tells the processes of each other's calls with idempotency keys, as far as those take long. */
export interface LongCalls {
  /** Notes a call that is still under way. Never rejects. */
  note(call: KeyedCall): Promise<void>
  /** Removes what was noted of a call. Never rejects. */
  remove(call: KeyedCall): Promise<void>
  /** Whether a call with the same key that began earlier is under way in any process; false when that cannot be learnt. */
  isBehindAnother(call: KeyedCall): Promise<boolean>
}

/** A call is never under way for so long: what is older is of a process that was killed. */
const STALE_SECONDS = 120
/** Beyond so many the database is not burdened as well: who waits for one of those is told to try again. */
const MOST_NOTED = 100

/** Opens the notes of long calls, which stand in the database. What keeps them from being written or read is no failure of a call. */
export function openLongCalls(pool: Pick<Pool, 'query'>): LongCalls {
  const noted = new Set<string>()
  const secondsOf = ({ beganAt }: KeyedCall) => (performance.now() - beganAt) / 1_000
  return {
    async note(call) {
      const { companyId, apiId, keyHash, callId } = call
      if (noted.size >= MOST_NOTED) return
      noted.add(callId)
      await pool
        .query(
          `with stale as (delete from long_calls where company_id = $1 and began_at < clock_timestamp() - make_interval(secs => $6))
           insert into long_calls (company_id, call_id, api_id, key_hash, began_at)
           values ($1, $2, $3, decode($4, 'hex'), clock_timestamp() - make_interval(secs => $5))`,
          [toUuid(companyId), toUuid(callId), toUuid(apiId), keyHash, secondsOf(call), STALE_SECONDS],
        )
        .catch(() => undefined)
    },
    async remove({ companyId, callId }) {
      if (!noted.delete(callId)) return
      const ids = [toUuid(companyId), toUuid(callId)]
      await pool.query('delete from long_calls where company_id = $1 and call_id = $2', ids).catch(() => undefined)
    },
    async isBehindAnother(call) {
      const { companyId, apiId, keyHash, callId } = call
      const found = await pool
        .query(
          `select 1 from long_calls where company_id = $1 and api_id = $2 and key_hash = decode($3, 'hex') and call_id <> $4
             and began_at < clock_timestamp() - make_interval(secs => $5)
             and began_at > clock_timestamp() - make_interval(secs => $6) limit 1`,
          [toUuid(companyId), toUuid(apiId), keyHash, toUuid(callId), secondsOf(call), STALE_SECONDS],
        )
        .catch(() => null)
      return found !== null && found.rows.length > 0
    },
  }
}
