import { sql } from 'kysely'
import type { WebhookSettings } from '../../domain/webhook-types.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { WebhookLife } from '../../domain/webhooks/webhook-lifecycle.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'

/** A webhook as shown to administrators, without its secrets. Times are RFC 3339 UTC. */
export interface WebhookRecord extends WebhookLife {
  createdAt: string
  disabledAt: string | null
  rotatedAt: string | null
  /** When messages stop, or stopped, being signed with the replaced secret as well. */
  previousExpiresAt: string | null
  progress: WebhookProgress
}

/** How far a webhook has got. */
interface WebhookProgress {
  /** Everything up to here has been delivered or needs no delivery. */
  position: number
  /** The position of the company's head. */
  head: number
  /** Consecutive failed rounds. */
  attempts: number
  /** Since when the next message has been refused; null if the last round succeeded. */
  failingSince: string | null
  /** When the next attempt is made; null if none is waiting. */
  dueAt: string | null
  /** Why the last round failed. */
  error: string | null
}

/** What `SELECT_WEBHOOKS` does not return. */
type HiddenColumn = 'secret' | 'previous_secret' | 'revision'

/** A row that `SELECT_WEBHOOKS` returned. */
export type WebhookRow = Omit<LedgerTables['webhooks'], HiddenColumn> &
  Pick<LedgerTables['webhook_progress'], 'position' | 'attempts' | 'failing_since' | 'due_at' | 'error'> & {
    head: number
    now: string
  }

export const SELECT_WEBHOOKS = `select w.company_id, w.webhook_id, w.version, w.url, w.description, w.types,
    w.include_data, w.concurrency, w.status, w.disabled_reason, w.disabled_at, w.previous_expires_at, w.rotated_at,
    w.created_at, p.position, p.attempts, p.failing_since, p.due_at, p.error, h.position as head,
    clock_timestamp() as now
  from webhooks w join webhook_progress p on p.company_id = w.company_id and p.webhook_id = w.webhook_id
    join heads h on h.company_id = w.company_id`

/** A webhook, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenWebhook {
  webhook: WebhookRecord
  now: string
}

/** Lists a company's webhooks, oldest first. There are never more than MAX_WEBHOOKS. */
export async function listWebhooks(db: LedgerDb, companyId: string): Promise<SeenWebhook[]> {
  const { rows } = await sql<WebhookRow>`${sql.raw(SELECT_WEBHOOKS)}
    where w.company_id = ${toUuid(companyId)} order by w.webhook_id`.execute(db)
  return rows.map(toSeenWebhook)
}

/** Finds a webhook of a company; null if it does not exist. */
export async function findWebhook(db: LedgerDb, companyId: string, webhookId: string): Promise<SeenWebhook | null> {
  const { rows } = await sql<WebhookRow>`${sql.raw(SELECT_WEBHOOKS)}
    where w.company_id = ${toUuid(companyId)} and w.webhook_id = ${toUuid(webhookId)}`.execute(db)
  return rows[0] ? toSeenWebhook(rows[0]) : null
}

/** Converts such a row. */
export function toSeenWebhook(row: WebhookRow): SeenWebhook {
  const webhook = {
    id: fromUuid('whk', row.webhook_id),
    version: row.version,
    settings: toSettings(row),
    status: row.status,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    rotatedAt: row.rotated_at,
    previousExpiresAt: row.previous_expires_at,
    progress: {
      position: row.position,
      head: row.head,
      attempts: row.attempts,
      failingSince: row.failing_since,
      dueAt: row.due_at,
      error: row.error,
    },
  }
  return { webhook, now: row.now }
}

/** The settings in a row of `webhooks`. */
function toSettings(row: WebhookSettings): WebhookSettings {
  const { url, description, types, include_data, concurrency } = row
  return { url, description, types, include_data, concurrency }
}
