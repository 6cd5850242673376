import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/pool'

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

/** The positions of the events that close these calls, which webhooks also report. */
export async function findEndsOfCalls(db: Queryable, companyId: string, callIds: readonly string[]): Promise<number[]> {
  const { rows } = await db.query<{ position: number }>(
    `select position from events
     where company_id = $1 and stream_id = any($2::uuid[]) and type in ('ApiCallCompleted', 'ApiCallFailed')`,
    [toUuid(companyId), callIds.map(toUuid)],
  )
  return rows.map(({ position }) => position)
}

/**
 * Outdates what was read of the company's webhooks, so that rounds stop sending what is being erased. Waits for rounds
 * that are being recorded; those recorded later store no answer to an erased event.
 */
export async function outdateWebhooks(client: ClientBase, companyId: string): Promise<void> {
  const company = toUuid(companyId)
  await client.query('select from webhook_progress where company_id = $1 order by webhook_id for update', [company])
  await client.query('update webhooks set revision = revision + 1 where company_id = $1', [company])
}
