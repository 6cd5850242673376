import { isAboutPerson, type WebhookSettings } from '#domain/webhook-types'
import type { RecordedEvent } from '#domain/events'
import { readPagesOutsideCalls } from '#ledger/erasure/find-events'
import { binarySearch } from '#ledger/read/binary-search'
import type { Queryable } from '#postgres/pool'
import type { Row } from './places.ts'

/** A webhook with the settings that it has since an event. */
interface Period {
  webhookId: string
  settings: WebhookSettings
  /** When it got the settings, RFC 3339 UTC. */
  since: string
  /** It may have sent the events after this position. */
  after: number
}

const TYPES = ['WebhookCreated', 'WebhookChanged', 'WebhookResumed', 'WebhookRemoved'] as const

/**
 * Lists the webhooks that may have sent events at these positions, which ascend, and until when. It reads the ledger,
 * because deliveries are kept for a while only. A webhook is listed once for each of its settings.
 */
export async function* listWebhookRecipients(
  db: Queryable,
  companyId: string,
  positions: readonly number[],
): AsyncGenerator<Row[]> {
  const periods = new Map<string, Period>()
  for await (const page of readPagesOutsideCalls(db, companyId, TYPES)) {
    for (const event of page) {
      const period = periods.get(event.stream)
      const isOver = change(periods, event)
      if (period && isOver) yield await describePeriod(period, event, positions)
    }
  }
  for (const period of periods.values()) yield await describePeriod(period, null, positions)
}

/** Applies an event to the webhooks. Returns whether it ended the settings that its webhook had. */
function change(periods: Map<string, Period>, event: RecordedEvent) {
  const { stream: webhookId, position, recorded_at: since } = event
  const period = periods.get(webhookId)
  if (event.type === 'WebhookCreated' && event.data)
    periods.set(webhookId, { webhookId, settings: event.data, since, after: position })
  if (event.type === 'WebhookRemoved') periods.delete(webhookId)
  if (event.type === 'WebhookResumed' && event.data && period)
    periods.set(webhookId, { ...period, after: Math.min(period.after, event.data.position) })
  if (event.type === 'WebhookChanged' && event.data && period)
    periods.set(webhookId, { webhookId, settings: { ...period.settings, ...event.data.to }, since, after: position })
  return event.type === 'WebhookChanged' || event.type === 'WebhookRemoved'
}

async function describePeriod(
  { webhookId, settings, since, after }: Period,
  end: RecordedEvent | null,
  positions: readonly number[],
): Promise<Row[]> {
  const types = settings.types.filter(isAboutPerson)
  const events = (await countUpTo(positions, end?.position ?? Infinity)) - (await countUpTo(positions, after))
  if (types.length === 0 || events <= 0) return []
  const { url, include_data: hasValues } = settings
  return [{ webhook_id: webhookId, url, types, has_values: hasValues, since, until: end?.recorded_at ?? null, events }]
}

/** The number of positions, which ascend, up to and including another. */
function countUpTo(positions: readonly number[], last: number) {
  return binarySearch(0, positions.length - 1, async (at) => positions[at]! > last)
}
