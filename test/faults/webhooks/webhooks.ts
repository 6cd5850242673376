import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { changeWebhook, createWebhook } from '../../../src/accounts/webhooks/change-webhook.ts'
import { findWebhook } from '../../../src/accounts/webhooks/read-webhooks.ts'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { seededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import type { WebhookType } from '../../../src/domain/webhook-types.ts'
import { WEBHOOK_TYPES } from '../../../src/domain/webhook-types.ts'
import { eraseEmployee } from '../../../src/personal-data/erase-employee.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import type { Finding } from '../oracle/finding.ts'
import type { Stage } from '../stage.ts'
import type { LoadedCompany, Operation } from '../workload.ts'
import type { Receiver } from './receiver.ts'
import { startReceiver } from './receiver.ts'

/** A webhook of a company under load. */
export interface LoadedWebhook {
  companyId: string
  webhookId: string
  secret: string
  types: readonly WebhookType[]
  /** The position of its creation. */
  since: number
  /** The position that it had reached when all was settled. */
  reached: number
  receiver: Receiver
  /** When nothing that was read before the last erasure may be sent any more, in milliseconds since 1970. */
  cleanFrom: number
}

interface Webhooks {
  all: LoadedWebhook[]
  /**
   * Erases one person of each company, and ends all trouble: the receivers recover, and an administrator resumes each
   * webhook. Waits until each has reached the head.
   */
  settle(operations: Operation[], withinMs?: number): Promise<Finding[]>
  close(): Promise<void>
}

/** Generous, for a busy machine. */
const SETTLES_WITHIN_MS = 600_000
/** A second in which a round learns of an erasure, and one for the busy machine that it runs on. */
const SENT_WITHIN_MS = 2_000
const LOOKS_EVERY_MS = 100
const RESUMES_EVERY_MS = 500
const REPLAYED = 0.2
const REPLAYED_AT_MOST = 40
const MAX_CONCURRENCY = 16
const EMPLOYEE_TYPES = WEBHOOK_TYPES.filter((type) => type.startsWith('employee.'))

/**
 * Gives each company two webhooks: one with a reliable receiver, all types and values; and one with an unreliable
 * receiver, which an impatient administrator resumes and replays again and again, so that nothing waits for long.
 */
export async function openWebhooks(stage: Stage, companies: LoadedCompany[], seed: number): Promise<Webhooks> {
  const random = seededRandom(seed)
  const all: LoadedWebhook[] = []
  const unreliable: LoadedWebhook[] = []
  for (const [at, { companyId }] of companies.entries()) {
    const settings = { types: WEBHOOK_TYPES, include_data: true, concurrency: 4 }
    all.push(await addWebhook(stage, companyId, settings, await startReceiver(null)))
    const types = random.chance(0.5) ? WEBHOOK_TYPES : EMPLOYEE_TYPES
    const chosen = { types, include_data: random.chance(0.5), concurrency: 1 + random.below(MAX_CONCURRENCY) }
    unreliable.push(await addWebhook(stage, companyId, chosen, await startReceiver(seededRandom(seed + at))))
  }
  all.push(...unreliable)
  const over = new AbortController()
  const resuming = resumeAgain(stage, unreliable, random, over.signal)
  async function end(): Promise<void> {
    over.abort()
    await resuming
    await Promise.all(all.map(({ receiver }) => receiver.recover()))
  }
  return {
    all,
    async settle(operations, withinMs = SETTLES_WITHIN_MS) {
      for (const { companyId } of companies) {
        await eraseLast(stage, companyId, operations)
        for (const webhook of all) if (webhook.companyId === companyId) webhook.cleanFrom = Date.now() + SENT_WITHIN_MS
      }
      await end()
      for (const webhook of all) await resume(stage, webhook, 0)
      return untilReached(stage, all, withinMs)
    },
    async close() {
      await end()
      await Promise.all(all.map(({ receiver }) => receiver.close()))
    },
  }
}

async function addWebhook(
  stage: Stage,
  companyId: string,
  settings: { types: readonly WebhookType[]; include_data: boolean; concurrency: number },
  receiver: Receiver,
): Promise<LoadedWebhook> {
  const wanted = { ...settings, types: [...settings.types], url: receiver.url, description: '' }
  const { webhook, secret, position } = await stage.withServices((services) =>
    createWebhook(services, { companyId, actor: OPERATOR }, wanted),
  )
  const { types } = settings
  return {
    companyId,
    webhookId: webhook.id,
    secret,
    types,
    since: position!,
    reached: 0,
    receiver,
    cleanFrom: Infinity,
  }
}

async function resumeAgain(
  stage: Stage,
  webhooks: LoadedWebhook[],
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(random.below(RESUMES_EVERY_MS), undefined, { signal }).catch(() => undefined)
    const replayed = random.chance(REPLAYED) ? random.below(REPLAYED_AT_MOST) : 0
    // The database may be away.
    await resume(stage, random.pick(webhooks), replayed).catch(() => undefined)
  }
}

/** Resumes a webhook where it is, or some positions before, which also ends the wait for its next attempt. */
async function resume(stage: Stage, { companyId, webhookId, since }: LoadedWebhook, replayed: number): Promise<void> {
  await stage.withServices(async (services) => {
    const { position } = (await findWebhook(services.db, companyId, webhookId))!.webhook.progress
    const wanted = { change: 'resume', position: Math.max(since, position - replayed) } as const
    await changeWebhook(services, { companyId, actor: OPERATOR }, webhookId, wanted)
  })
}

/** Erases the employee who was created last, whom the unreliable receiver may not have been told of. */
async function eraseLast(stage: Stage, companyId: string, operations: Operation[]): Promise<void> {
  const created = operations.flatMap(({ companyId: of, final }) =>
    of === companyId && final?.status === 201 ? (final.body.employees ?? []) : [],
  )
  const person = created.at(-1)
  if (!person) return
  await stage.withServices((services) =>
    eraseEmployee(services, { companyId, actor: OPERATOR }, { by: 'id', value: person.id }),
  )
}

/** Waits until each webhook has reached the head, and notes where that was. */
async function untilReached(stage: Stage, webhooks: LoadedWebhook[], withinMs: number): Promise<Finding[]> {
  const companyIds = [...new Set(webhooks.map(({ companyId }) => companyId))]
  for (const deadline = performance.now() + withinMs; ; await pause(LOOKS_EVERY_MS)) {
    const progress = await stage.withDatabase((db) => listProgress(db, companyIds))
    const behind = progress.filter(({ position, head }) => position < head)
    if (behind.length > 0 && performance.now() > deadline)
      return behind.map(({ line: text }): Finding => ({ kind: 'never caught up', text }))
    if (behind.length > 0) continue
    const positions = new Map(progress.map(({ webhook_id: id, position }) => [fromUuid('whk', id), position]))
    for (const webhook of webhooks) webhook.reached = positions.get(webhook.webhookId)!
    return []
  }
}

async function listProgress(db: LedgerDb, companyIds: string[]) {
  const { rows } = await sql<{ webhook_id: string; position: number; head: number; line: string }>`
    select w.webhook_id, p.position, h.position as head,
      format('webhook %s (%s) is at %s of %s, attempts %s, due %s, lease until %s: %s', w.webhook_id, w.status,
        p.position, h.position, p.attempts, p.due_at, p.leased_until, p.error) as line
    from webhooks w join webhook_progress p using (company_id, webhook_id) join heads h using (company_id)
    where w.company_id = any(${companyIds.map(toUuid)}::uuid[])`.execute(db)
  return rows
}
