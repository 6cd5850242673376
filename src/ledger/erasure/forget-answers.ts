import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { Queryable } from '../../postgres/query-client.ts'
import type { LedgerTables } from '../tables.ts'

/** The number of stored answers that one statement searches; each may contain a thousand employees. */
const ANSWERS_PER_PAGE = 200
const BEFORE_ALL: { api_id: string; key_hash: Buffer } = {
  api_id: '00000000-0000-0000-0000-000000000000',
  key_hash: Buffer.alloc(0),
}

/**
 * The calls after a position whose requests may name a person: either the stored answer contains the employee's id
 * (null for a person who was never created), or the request may name people whom the answer does not show. An answer
 * that shows an employee always contains the id, even for a call that changed nothing and has no event of the employee.
 */
export async function findCallsNaming(
  db: Queryable,
  companyId: string,
  employeeId: string | null,
  after: number,
): Promise<string[]> {
  const callIds: string[] = []
  for (let last = BEFORE_ALL; ;) {
    const { rows } = await db.query<{ api_id: string; key_hash: Buffer; call_id: string; shows: boolean | null }>(
      `select api_id, key_hash, call_id, may_name_anyone or strpos(body, $2) > 0 as shows from idempotency_keys
       where company_id = $1 and position > $3 and body is not null and (api_id, key_hash) > ($4, $5)
       order by api_id, key_hash limit ${ANSWERS_PER_PAGE}`,
      [toUuid(companyId), employeeId, after, last.api_id, last.key_hash],
    )
    for (const { call_id: callId, shows } of rows) if (shows) callIds.push(fromUuid('log', callId))
    if (rows.length < ANSWERS_PER_PAGE) return callIds
    last = rows.at(-1)!
  }
}

/** Events, and calls whose closing events webhooks also report. */
export interface ToldEvents {
  positions: readonly number[]
  callIds: readonly string[]
}

/** Positions in one statement, which may concern each webhook several times. */
const POSITIONS_AT_ONCE = 1_000

/** The positions of these events, and of the ends of these calls, some at a time. */
async function* listToldPositions(
  db: Queryable,
  companyId: string,
  { positions, callIds }: ToldEvents,
): AsyncGenerator<number[]> {
  for (let at = 0; at < positions.length; at += POSITIONS_AT_ONCE) yield positions.slice(at, at + POSITIONS_AT_ONCE)
  for (let at = 0; at < callIds.length; at += POSITIONS_AT_ONCE) {
    const { rows } = await db.query<{ position: number }>(
      `select position from events
       where company_id = $1 and stream_id = any($2::uuid[]) and type in ('ApiCallCompleted', 'ApiCallFailed')`,
      [toUuid(companyId), callIds.slice(at, at + POSITIONS_AT_ONCE).map(toUuid)],
    )
    yield rows.map(({ position }) => position)
  }
}

/** An attempt to deliver a message, with the settings that the webhook had then. Times are RFC 3339 UTC. */
type SentMessage = Omit<LedgerTables['webhook_deliveries'], 'company_id' | 'duration_ms' | 'error'> & {
  position: number
  url: string | null
  /** Whether the message had values, not only ids and the names of what changed. */
  has_values: boolean | null
}

/** The stored attempts to tell webhooks these events and the ends of these calls, page by page. */
export async function* readMessagesAbout(
  db: Queryable,
  companyId: string,
  told: ToldEvents,
): AsyncGenerator<SentMessage[]> {
  const settingThen = (
    name: string,
  ) => `(select coalesce(e.data::json -> 'to', e.data::json) ->> '${name}' from events e
    where e.company_id = d.company_id and e.stream_id = d.webhook_id and e.type in ('WebhookCreated', 'WebhookChanged')
      and e.recorded_at <= d.sent_at and coalesce(e.data::json -> 'to', e.data::json) -> '${name}' is not null
    order by e.stream_version desc limit 1)`
  for await (const positions of listToldPositions(db, companyId, told)) {
    for (let last = ''; ;) {
      const { rows } = await db.query<SentMessage>(
        `select d.delivery_id, d.webhook_id, d.position, d.type, d.sent_at, d.is_delivered, d.http_status, d.answer,
           ${settingThen('url')} as url, ${settingThen('include_data')}::boolean as has_values
         from webhook_deliveries d
         where d.company_id = $1 and d.position = any($2::bigint[]) and ($3 = '' or d.delivery_id > nullif($3, '')::uuid)
         order by d.delivery_id limit ${ANSWERS_PER_PAGE}`,
        [toUuid(companyId), positions, last],
      )
      yield rows.map((row) => ({
        ...row,
        delivery_id: fromUuid('dlv', row.delivery_id),
        webhook_id: fromUuid('whk', row.webhook_id),
      }))
      if (rows.length < ANSWERS_PER_PAGE) break
      last = rows.at(-1)!.delivery_id
    }
  }
}

/**
 * Deletes what receivers of webhooks answered to these events and to the ends of these calls, since an answer may repeat
 * the message or name the person. Waits for rounds that are being recorded; those recorded later store no answer to an
 * erased event. Outdates what was read of the company's webhooks, so that rounds stop sending it.
 */
export async function forgetReceiversAnswers(client: ClientBase, companyId: string, told: ToldEvents): Promise<void> {
  const company = toUuid(companyId)
  await client.query('select from webhook_progress where company_id = $1 order by webhook_id for update', [company])
  await client.query('update webhooks set revision = revision + 1 where company_id = $1', [company])
  for await (const positions of listToldPositions(client, companyId, told)) {
    await client.query(
      `update webhook_deliveries set answer = null
       where company_id = $1 and position = any($2::bigint[]) and answer is not null`,
      [company, positions],
    )
  }
}
