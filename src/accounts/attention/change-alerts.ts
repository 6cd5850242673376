import { toUuid } from '#domain/ids'
import { changeCompany, type Acting, type CompanyServices } from '../change-company.ts'
import { placeUserEvents } from '../record-session-events.ts'
import type { LedgerDb } from '#ledger/tables'

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
