import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { FailingMethod } from '#domain/accounts/sign-in'
import type { NewEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { trackWork } from '#ledger/background/failing-work'
import { appendCompanyEvents, SCHEDULE } from '#ledger/append/append-company-events'
import { inCompany } from '#postgres/company-scope'
import { openDatabase } from '#postgres/kysely'
import type { CompanyServices } from '../change-company.ts'
import { placeUserEvents, type UnplacedEvent, appendSessionEvents } from '../record-session-events.ts'
import { attemptsOf } from '../users/sign-in-records.ts'
import type { Row } from '#ledger/tables'

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

async function listCompanies(pool: Pool): Promise<string[]> {
  const { rows } = await sql<Row<'session_events', 'company_id'>>`
    select company_id from session_events
    union select company_id from failed_sign_ins where not is_recorded and ${sql.raw(IS_OVER)}`.execute(
    openDatabase(pool),
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/** Appends the failed sign-ins of the hours that are over, an event for each user and hour. */
async function appendFailures({ pool, onCommitted }: RecordingServices, companyId: string): Promise<void> {
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

function countAttempts({ password, passkey, recovery_code: recoveryCode }: FailedHourRow): number {
  return password + passkey + recoveryCode
}
