import { attentionData, nameOfItem, type AttentionItem } from '#domain/attention'
import type { NewEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { formatLocalDay } from '#domain/local-times'
import { checkSnooze, type WantedSnooze } from '#domain/snoozes'
import { nextVersion } from '#ledger/append/append-company-events'
import {
  changeCompany,
  RefusedByStateError,
  type Acting,
  type CompanyServices,
  type Transaction,
} from '#accounts/change-company'
import { placeUserEvents } from '#accounts/record-session-events'
import type { LedgerDb } from '#ledger/tables'

/**
 * Puts off a problem until a day of the company's time zone, also one that is put off already. Until then, it is not
 * shown, counted, or told. Throws RefusedByStateError if the day or the reason is not valid, or if too many are put off.
 */
export async function snooze(
  services: CompanyServices,
  acting: Acting,
  item: AttentionItem,
  { until, reason, timeZone }: WantedSnooze & { timeZone: string },
): Promise<void> {
  await changeCompany(services, acting, 'admin', async (tx) => {
    const { connection } = tx
    const today = formatLocalDay(Date.parse(tx.now), timeZone)
    const key = [toUuid(tx.companyId), nameOfItem(item)]
    await connection.query('delete from attention_snoozes where company_id = $1 and (name = $2 or until <= $3)', [
      ...key,
      today,
    ])
    const { rowCount: others } = await connection.query('select from attention_snoozes where company_id = $1', [key[0]])
    const refusal = checkSnooze({ until, reason }, today, others ?? 0)
    if (refusal) throw new RefusedByStateError(refusal)
    await connection.query(
      'insert into attention_snoozes (company_id, name, item, until, reason, actor) values ($1, $2, $3, $4, $5, $6)',
      [...key, JSON.stringify(item), until, reason, tx.actor],
    )
    return { events: [await makeEvent(tx, item, { until, reason })], result: {} }
  })
}

/** Shows a problem again that was put off, by its name. Does nothing if it was not. */
export async function endSnooze(services: CompanyServices, acting: Acting, name: string): Promise<void> {
  await changeCompany(services, acting, 'admin', async (tx) => {
    const { rows } = await tx.connection.query<{ item: AttentionItem }>(
      'delete from attention_snoozes where company_id = $1 and name = $2 returning item',
      [toUuid(tx.companyId), name],
    )
    if (!rows[0]) return { events: [], result: {} }
    return { events: [await makeEvent(tx, rows[0].item, { until: null, reason: null })], result: {} }
  })
}

async function makeEvent(
  { connection, companyId: stream }: Transaction,
  item: AttentionItem,
  what: { until: string | null; reason: string | null },
): Promise<NewEvent> {
  const version = await nextVersion(connection, stream, stream)
  return { type: 'AttentionSnoozed', stream, version, index: null, data: { ...attentionData(item), ...what } }
}

/** Whether a user gets alerts by email. */
export async function wantsAlerts(db: LedgerDb, companyId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('wants_alerts')
    .where('company_id', '=', toUuid(companyId))
    .where('user_id', '=', toUuid(userId))
    .executeTakeFirst()
  return row?.wants_alerts ?? false
}

/** Lets the acting user get alerts by email, from now on, or none. Throws RefusedByStateError unless an administrator. */
export async function changeAlerts(services: CompanyServices, acting: Acting, getsAlerts: boolean): Promise<void> {
  await changeCompany(services, acting, 'admin', async ({ connection, companyId, actor: userId }) => {
    const ids = [toUuid(companyId), toUuid(userId)]
    const { rowCount } = await connection.query(
      `update users set wants_alerts = $3, told_at = null,
         told_position = (select position from heads where company_id = $1)
       where company_id = $1 and user_id = $2 and wants_alerts <> $3`,
      [...ids, getsAlerts],
    )
    if (rowCount === 0) return { events: [], result: {} }
    const data = { from: !getsAlerts, to: getsAlerts }
    const events = await placeUserEvents(connection, companyId, [{ userId, type: 'UserAlertsChanged', data }])
    return { events, result: {} }
  })
}
