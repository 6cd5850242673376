import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { RecordedEvent } from '../../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import type { WebhookType } from '../../../src/domain/webhook-types.ts'
import type { ToldType } from '../../../src/domain/webhooks/webhook-message.ts'
import { readEvent } from '../../../src/ledger/integrity/codec.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import type { Arrival } from '../webhooks/receiver.ts'
import type { LoadedWebhook } from '../webhooks/webhooks.ts'
import type { Finding, FindingKind } from './finding.ts'

/* What the oracle expects of webhooks: what each receiver got, compared with the ledger. */

/** The message type of each event type that a webhook tells; `isAbout` says what such messages name. */
const MESSAGE_TYPES: Readonly<Record<ToldType, WebhookType>> = {
  ApiCallCompleted: 'api_call.completed',
  ApiCallFailed: 'api_call.failed',
  EmployeeCreated: 'employee.created',
  EmployeeUpdated: 'employee.updated',
  EmployeeDeactivated: 'employee.deactivated',
  EmployeeReactivated: 'employee.reactivated',
  EmployeeErased: 'employee.erased',
  ApiKeyIssued: 'api_key.issued',
  ApiKeyRenamed: 'api_key.changed',
  ApiKeyQuotaChanged: 'api_key.changed',
  ApiKeyAccessChanged: 'api_key.changed',
  ApiKeyExpectedCallsChanged: 'api_key.changed',
  ApiKeyLimitsChanged: 'api_key.changed',
  ApiKeyExcessAllowed: 'api_key.changed',
  ApiKeyRotated: 'api_key.rotated',
  ApiKeyDisabled: 'api_key.disabled',
  ApiKeyEnabled: 'api_key.enabled',
  ApiKeyRevoked: 'api_key.revoked',
  AttentionRaised: 'attention.raised',
  AttentionResolved: 'attention.resolved',
}

interface Message {
  type: string
  data: {
    position: number
    employee_id?: string
    log_id?: string
    key_id?: string
    kind?: string
    subject_id?: string
    code?: string
    erased?: true
    changed?: string[]
  }
}

/**
 * Each receiver has accepted every event that it should hear of, at least once; of each employee, call and key, it
 * accepted an event for the first time only after the one before; every message is signed and says what its event
 * says; no webhook was disabled; and nothing of an erased person was sent or stored after the erasure.
 */
export async function deliveryFaults(db: LedgerDb, webhooks: LoadedWebhook[]): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [companyId, own] of Map.groupBy(webhooks, (webhook) => webhook.companyId)) {
    const company = toUuid(companyId)
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('company_id', '=', company)
      .orderBy('position')
      .execute()
    const events = rows.map(readEvent)
    for (const webhook of own) found.push(...webhookFaults(webhook, events))
    const { rows: kept } = await sql<{ position: number }>`
      select d.position from webhook_deliveries d join events e using (company_id, position)
      where d.company_id = ${company} and e.data is null and d.answer is not null`.execute(db)
    for (const { position } of kept)
      found.push({ kind: 'erased and kept', text: `an answer to the erased event ${position} of ${companyId} is kept` })
    const { rows: off } = await sql<{ webhook_id: string; status: string }>`
      select webhook_id, status from webhooks where company_id = ${company} and status <> 'enabled'`.execute(db)
    for (const { webhook_id: id, status } of off)
      found.push({ kind: 'disabled webhook', text: `${fromUuid('whk', id)} is ${status}` })
  }
  return found
}

function webhookFaults(webhook: LoadedWebhook, events: RecordedEvent[]): Finding[] {
  const { webhookId, receiver, types, since, reached, cleanFrom } = webhook
  const found: Finding[] = []
  const find = (kind: FindingKind, text: string) => found.push({ kind, text: `${webhookId}: ${text}` })
  const told = new Map(
    events
      .filter(({ position, type }) => position > since && types.includes(messageTypeOf(type)!))
      .map((event) => [event.position, event]),
  )
  const head = events.at(-1)?.position ?? 0
  const firsts = new Map<number, number>()
  for (const arrival of receiver.arrivals) {
    if (!isSigned(arrival, webhook)) {
      find('wrong message', `the signature of ${String(arrival.headers['webhook-id'])} is wrong`)
      continue
    }
    const { type, data } = JSON.parse(arrival.text) as Message
    // By the sender: this process may have read it late.
    const sentAt = Number(arrival.headers['webhook-timestamp']) * 1_000
    // The schedule may have appended it since the events were read.
    if (data.position > head) continue
    const event = told.get(data.position)
    const isOfEvent =
      event &&
      arrival.headers['webhook-id'] === messageIdOf(webhookId, event) &&
      type === messageTypeOf(event.type) &&
      isAbout(data, event)
    if (!isOfEvent) find('wrong message', `got ${arrival.text.slice(0, 200)}`)
    else if (event.data === null && sentAt > cleanFrom && (!data.erased || data.changed))
      find('erased and told', `event ${event.position} is erased, and was told: ${arrival.text.slice(0, 200)}`)
    if (arrival.accepted !== null)
      firsts.set(data.position, Math.min(arrival.accepted, firsts.get(data.position) ?? Infinity))
  }
  for (const [stream, own] of Map.groupBy(told.values(), (event) => event.stream)) {
    let before = 0
    for (const { position } of own) {
      const first = firsts.get(position)
      // What is appended after the webhook had reached the head is delivered later.
      if (first === undefined && position > reached) continue
      if (first === undefined) find('lost message', `was never told of event ${position}`)
      else if (first < before)
        find('message out of order', `accepted event ${position} of ${stream} before an earlier one`)
      before = Math.max(before, first ?? 0)
    }
  }
  return found
}

function messageTypeOf(type: string): WebhookType | undefined {
  return (MESSAGE_TYPES as Readonly<Record<string, WebhookType>>)[type]
}

/** Whether a message names what its event is about. */
function isAbout(message: Message['data'], event: RecordedEvent): boolean {
  if (event.type !== 'AttentionRaised' && event.type !== 'AttentionResolved')
    return (message.employee_id ?? message.log_id ?? message.key_id) === event.stream
  const { kind, subject_id: subjectId, code } = event.data ?? {}
  return message.kind === kind && message.subject_id === subjectId && message.code === code
}

/** The same for every attempt. It names the time too, since a restored ledger may have another event there. */
function messageIdOf(webhookId: string, { position, recorded_at: at }: RecordedEvent): string {
  return `msg_${webhookId.slice('whk_'.length)}_${position}_${Date.parse(at).toString(36)}`
}

/** Standard Webhooks, "Signature scheme". */
function isSigned({ headers, text }: Arrival, { secret }: LoadedWebhook): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

/** How many messages the receivers accepted, how many of them again, and how often a receiver misbehaved. */
export function countDeliveries(webhooks: LoadedWebhook[]): { messages: number; repeated: number; troubles: number } {
  const accepted = webhooks.map(({ receiver }) => receiver.arrivals.filter((arrival) => arrival.accepted !== null))
  const distinct = accepted.map((own) => new Set(own.map(({ headers }) => headers['webhook-id'])).size)
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  const messages = sum(accepted.map((own) => own.length))
  return {
    messages,
    repeated: messages - sum(distinct),
    troubles: sum(webhooks.map(({ receiver }) => receiver.troubles())),
  }
}
