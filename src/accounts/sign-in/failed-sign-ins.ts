import type { Pool, PoolClient } from 'pg'
import type { FailedAttempts, FailingMethod } from '#domain/accounts/sign-in'
import type { Client } from '#domain/client'
import { toUuid } from '#domain/ids'
import { inTransaction } from '#postgres/transaction'
import type { UserRef } from '../users/users.ts'

/** Counts the failed sign-ins of users. */
export interface FailedSignIns {
  /**
   * Counts a failed sign-in. Returns at once, and the count is stored soon after: an attempt takes as long for a user as
   * for an unknown email, and a flood of attempts costs one statement at a time. What is not stored when a process is
   * killed is not counted.
   */
  count(user: UserRef, method: FailingMethod, client: Client): void
  /** Waits until everything is stored. */
  flush(): Promise<void>
}

/** Users whose failures may wait to be stored; those of further users are not counted meanwhile. */
const MAX_WAITING = 10_000

interface Waiting extends UserRef {
  attempts: FailedAttempts
  /** From where the last one came. */
  sender: Client
}

/** Creates the counts of failed sign-ins. Calls `onError` if some can't be stored; they are lost then. */
export function createFailedSignIns(pool: Pool, onError: (error: unknown) => void): FailedSignIns {
  let waiting = new Map<string, Waiting>()
  let storing: Promise<void> | undefined

  async function storeAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      for (const failures of batch.values())
        await inTransaction(pool, (client) => storeFailures(client, failures)).catch(onError)
    }
  }

  return {
    count({ companyId, userId }, method, { address, userAgent }) {
      const sender = { address, userAgent: userAgent || null }
      const pending = waiting.get(userId)
      if (!pending && waiting.size >= MAX_WAITING) return
      const attempts = { ...pending?.attempts, [method]: (pending?.attempts[method] ?? 0) + 1 }
      waiting.set(userId, { companyId, userId, attempts, sender })
      storing ??= storeAll().finally(() => (storing = undefined))
    },
    flush: async () => storing,
  }
}

/** Adds failures to those of the user in this hour. */
async function storeFailures(client: PoolClient, { companyId, userId, attempts, sender }: Waiting): Promise<void> {
  const { password = 0, passkey = 0, recovery_code: recoveryCode = 0 } = attempts
  await client.query(
    `insert into failed_sign_ins as known
       (company_id, user_id, hour, password, passkey, recovery_code, last_at, address, user_agent)
     select company_id, user_id, date_trunc('hour', statement_timestamp()), $3::integer, $4::integer, $5::integer,
       statement_timestamp(), $6, $7
     from users where company_id = $1 and user_id = $2 and removed_at is null
     on conflict (company_id, user_id, hour) do update set password = known.password + excluded.password,
       passkey = known.passkey + excluded.passkey, recovery_code = known.recovery_code + excluded.recovery_code,
       last_at = excluded.last_at, address = excluded.address, user_agent = excluded.user_agent
     where not known.is_recorded`,
    [toUuid(companyId), toUuid(userId), password, passkey, recoveryCode, sender.address || null, sender.userAgent],
  )
}
