import type { Pool } from 'pg'
import { UnavailableError } from '#admission/batcher'
import { toUuid } from '#domain/ids'
import type { SeenRevision, WebhookRef } from './progress.ts'

/** Whether what was read of a webhook may still be sent. */
export interface Watch {
  /** Aborts, with UnavailableError, when it may not. */
  signal: AbortSignal
  /** As the signal, but right also if this process stood still and its timers are late. */
  isCurrent(): boolean
}

const ASKS_EVERY_MS = 500
/** After this time without confirmation, what was read counts as outdated. */
const CURRENT_MS = 1_000

/**
 * Runs a task that sends what was read of a webhook. Meanwhile, asks again and again whether that is outdated: the
 * webhook was changed or removed, a person was erased, or the database does not answer. So nothing is sent for more than
 * about a second after an erasure or a change. A short task ends before the first question.
 */
export async function watchRevision<Result>(
  pool: Pool,
  { companyId, webhookId, revision, readAt }: SeenRevision,
  task: (watch: Watch) => Promise<Result>,
): Promise<Result> {
  const outdated = new AbortController()
  let confirmedAt = readAt
  let isAsking = false
  let timer = setTimeout(look, Math.max(0, confirmedAt + ASKS_EVERY_MS - performance.now()))

  function stop(): void {
    outdated.abort(new UnavailableError('the webhook or its messages changed, or the database did not answer'))
  }

  function isCurrent(): boolean {
    if (performance.now() - confirmedAt >= CURRENT_MS) stop()
    return !outdated.signal.aborted
  }

  function look(): void {
    if (!isCurrent()) return
    if (!isAsking) void ask()
    timer = setTimeout(look, Math.min(ASKS_EVERY_MS, Math.max(0, confirmedAt + CURRENT_MS - performance.now())))
  }

  async function ask(): Promise<void> {
    isAsking = true
    const askedAt = performance.now()
    const current = await findRevision(pool, { companyId, webhookId }).catch(() => undefined)
    isAsking = false
    if (current === revision) confirmedAt = askedAt
    else if (current !== undefined) stop()
  }

  try {
    return await task({ signal: outdated.signal, isCurrent })
  } finally {
    clearTimeout(timer)
  }
}

/** The revision of a webhook; null if it was removed. */
async function findRevision(pool: Pool, { companyId, webhookId }: WebhookRef): Promise<number | null> {
  const { rows } = await pool.query<{ revision: number }>(
    'select revision from webhooks where company_id = $1 and webhook_id = $2',
    [toUuid(companyId), toUuid(webhookId)],
  )
  return rows[0]?.revision ?? null
}
