import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { BULK_USER_LOGS } from '../../../projections/bulk-user-logs/queries.ts'
import type { CompanyServices } from '../change-company.ts'
import { fromUuid } from '../../domain/ids.ts'
import { WEBHOOK_TYPES } from '../../domain/webhook-types.ts'
import { trackWork } from '../../ledger/background/failing-work.ts'
import { isComplete } from '../../ledger/read/read-progress.ts'
import type { LedgerDb, Row } from '../../ledger/tables.ts'
import { inCompany } from '../../postgres/company-scope.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import type { Outbox } from '../mail/outbox.ts'
import { checkCompany } from './check-company.ts'
import { tellUsers } from './tell-users.ts'

interface CheckServices extends Pick<CompanyServices, 'onCommitted'> {
  pool: Pool
  db: LedgerDb
  /** Absent if no SMTP server is configured: only webhooks are told then. */
  outbox: Outbox | undefined
  log: Logger
}

/**
 * Checks each company in which somebody wants to be told, appends what began or stopped needing attention, and writes the
 * messages that are due. A company that fails doesn't keep the others waiting. Safe to run in several processes at once.
 */
export async function checkAttention(services: CheckServices): Promise<void> {
  const { pool, db, outbox, log } = services
  // A new version of the log has few of the calls until it is filled: those that came would seem to be missing.
  if (!(await isComplete(openDatabase(pool), BULK_USER_LOGS))) return
  for (const companyId of await listCompanies(pool)) {
    try {
      await inCompany(companyId, () =>
        trackWork(pool, { companyId, work: 'attention' }, async () => {
          await checkCompany(services, companyId)
          if (outbox) await tellUsers(pool, db, outbox, companyId)
        }),
      )
    } catch (error) {
      log.warn({ err: error, companyId }, 'could not check what needs attention')
    }
  }
}

const ATTENTION_TYPES = WEBHOOK_TYPES.filter((type) => type.startsWith('attention.'))

/** Companies with a user or a webhook to tell, or with something that was raised and has to be resolved. */
async function listCompanies(pool: Pool): Promise<string[]> {
  const { rows } = await sql<Row<'companies', 'company_id'>>`
    select company_id from users where wants_alerts and removed_at is null
    union select company_id from webhooks where status = 'enabled' and types && ${ATTENTION_TYPES}::text[]
    union select company_id from raised_attention`.execute(openDatabase(pool))
  return rows.map((row) => fromUuid('com', row.company_id))
}
