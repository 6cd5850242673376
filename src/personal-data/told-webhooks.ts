import type { WebhookSettings } from '../domain/webhook-types.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { readPagesOutsideCalls } from '../ledger/erasure/find-events.ts'
import type { Queryable } from '../postgres/query-client.ts'
import type { Row } from './places.ts'

/** A webhook with the settings that it has since an event. */
interface Period {
  webhookId: string
  settings: WebhookSettings
  /** When it got the settings, RFC 3339 UTC. */
  since: string
  /** It has told the events after this position. */
  after: number
}

const TYPES = ['WebhookCreated', 'WebhookChanged', 'WebhookResumed', 'WebhookRemoved'] as const

/**
 * The webhooks to which events at these positions, in order, may have been told, and until when, from the ledger:
 * deliveries are kept for a while only. A webhook is listed once for each of its settings.
 */
export async function* listToldWebhooks(
  db: Queryable,
  companyId: string,
  positions: readonly number[],
): AsyncGenerator<Row[]> {
  const periods = new Map<string, Period>()
  for await (const page of readPagesOutsideCalls(db, companyId, TYPES)) {
    const ended = page.flatMap((event) => {
      const period = periods.get(event.stream)
      const isOver = change(periods, event)
      return period && isOver ? describePeriod(period, event, positions) : []
    })
    yield ended
  }
  yield [...periods.values()].flatMap((period) => describePeriod(period, null, positions))
}

/** Applies an event to the webhooks. Returns whether it ended the settings that its webhook had. */
function change(periods: Map<string, Period>, event: RecordedEvent): boolean {
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

function describePeriod(
  { webhookId, settings, since, after }: Period,
  end: RecordedEvent | null,
  positions: readonly number[],
): Row[] {
  const types = settings.types.filter((type) => type.startsWith('employee.'))
  const events = countUpTo(positions, end?.position ?? Infinity) - countUpTo(positions, after)
  if (types.length === 0 || events <= 0) return []
  const { url, include_data: hasValues } = settings
  return [{ webhook_id: webhookId, url, types, has_values: hasValues, since, until: end?.recorded_at ?? null, events }]
}

/** The number of positions, which are in order, up to and including another. */
function countUpTo(positions: readonly number[], last: number): number {
  let [low, high] = [0, positions.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (positions[middle]! > last) high = middle
    else low = middle + 1
  }
  return low
}
