import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { FailingMethod, FailedAttempts } from '#domain/accounts/roles'
import type { NewEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { trackWork } from '#ledger/background/failing-work'
import { appendCompanyEvents, SCHEDULE } from '#ledger/append/append-company-events'
import { inCompany } from '#postgres/company-scope'
import { openDatabase } from '#postgres/kysely'
import type { CompanyServices } from '#accounts/change-company'
import { placeUserEvents, type UnplacedEvent, appendSessionEvents } from '#accounts/record-session-events'
import { attemptsOf } from '#accounts/users/sign-in-records'
import type { Row } from '#ledger/tables'
import type { Client } from '#domain/call-sources'
import { inTransaction } from '#postgres/pipeline'
import type { UserRef } from '#accounts/users/users'

type RecordingServices = Pick<CompanyServices, 'pool' | 'onCommitted'>

/**
 * Appends what the ledger lacks of all companies: the sessions that started and ended while it could not be written, and
 * the failed sign-ins of the hours that are over. A company that fails doesn't keep the others waiting. Safe to run in
 * several processes at once.
 */
export async function recordSignIns(services: RecordingServices & { log: Logger }): Promise<void> {
  for (const companyId of await listCompanies(services.pool)) {
    try {
      await inCompany(companyId, () =>
        trackWork(services.pool, { companyId, work: 'sign-ins' }, async () => {
          await appendSessionEvents(services, companyId)
          await appendFailures(services, companyId)
        }),
      )
    } catch (error) {
      services.log.warn({ err: error, companyId }, 'could not record sign-ins')
    }
  }
}

/** An hour is over a minute after its end: by then, every process has stored what it had begun to store. */
const IS_OVER = `hour < date_trunc('hour', statement_timestamp() - interval '1 minute')`

async function listCompanies(pool: Pool) {
  const { rows } = await sql<Row<'session_events', 'company_id'>>`
    select company_id from session_events
    union select company_id from failed_sign_ins where not is_recorded and ${sql.raw(IS_OVER)}`.execute(
    openDatabase(pool),
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/** Appends the failed sign-ins of the hours that are over, an event for each user and hour. */
async function appendFailures({ pool, onCommitted }: RecordingServices, companyId: string) {
  const { position } = await appendCompanyEvents(pool, { companyId, actor: SCHEDULE }, async (client) => ({
    events: await takeFailures(client, companyId),
    result: null,
  }))
  if (position !== null) onCommitted?.([companyId])
}

/**
 * Users of a company whose failures in an hour become events, those with the most. So whoever tries passwords with all of
 * its emails can't fill its ledger.
 */
const MAX_USERS_AN_HOUR = 100

type FailedHourRow = Row<'failed_sign_ins', FailingMethod | 'user_id' | 'hour'>

/** Marks failures as recorded, under the lock of the company's head, and makes their events. */
async function takeFailures(client: PoolClient, companyId: string): Promise<NewEvent[]> {
  const { rows } = await client.query<FailedHourRow>(
    `update failed_sign_ins set is_recorded = true where company_id = $1 and not is_recorded and ${IS_OVER}
     returning user_id, hour, password, passkey, recovery_code`,
    [toUuid(companyId)],
  )
  const ofHours = [...Map.groupBy(rows, ({ hour }) => hour)].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const events = ofHours.flatMap(([hour, failures]) =>
    failures
      .toSorted((one, other) => countAttempts(other) - countAttempts(one) || (one.user_id < other.user_id ? -1 : 1))
      .slice(0, MAX_USERS_AN_HOUR)
      .map((row): UnplacedEvent => {
        const data = { hour, attempts: attemptsOf(row) }
        return { userId: fromUuid('usr', row.user_id), type: 'UserSignInFailed', data }
      }),
  )
  return placeUserEvents(client, companyId, events)
}

function countAttempts({ password, passkey, recovery_code: recoveryCode }: FailedHourRow) {
  return password + passkey + recoveryCode
}

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

  async function storeAll() {
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
async function storeFailures(client: PoolClient, { companyId, userId, attempts, sender }: Waiting) {
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
