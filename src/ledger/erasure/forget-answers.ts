import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'

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
  db: Pick<ClientBase, 'query'>,
  companyId: string,
  employeeId: string | null,
  after: number,
): Promise<string[]> {
  const companies: string[] = []
  for (let last = BEFORE_ALL; ;) {
    const { rows } = await db.query<{ api_id: string; key_hash: Buffer; call_id: string; shows: boolean | null }>(
      `select api_id, key_hash, call_id, may_name_anyone or strpos(body, $2) > 0 as shows from idempotency_keys
       where company_id = $1 and position > $3 and body is not null and (api_id, key_hash) > ($4, $5)
       order by api_id, key_hash limit ${ANSWERS_PER_PAGE}`,
      [toUuid(companyId), employeeId, after, last.api_id, last.key_hash],
    )
    for (const { call_id: callId, shows } of rows) if (shows) companies.push(fromUuid('log', callId))
    if (rows.length < ANSWERS_PER_PAGE) return companies
    last = rows.at(-1)!
  }
}

/**
 * Deletes the answers to these calls and what identifies their requests. Their keys stay bound, so that a late retry is
 * still recognized.
 */
export async function forgetAnswers(client: ClientBase, companyId: string, callIds: string[]): Promise<void> {
  await client.query(
    `update idempotency_keys set salt = null, fingerprint = null, headers = null, body = null
     where company_id = $1 and body is not null and call_id = any($2::uuid[])`,
    [toUuid(companyId), callIds.map(toUuid)],
  )
}

/** Positions in one statement, which may concern each webhook several times. */
const POSITIONS_AT_ONCE = 1_000

/**
 * Deletes what receivers of webhooks answered to these events and to the ends of these calls, since an answer may repeat
 * the message or name the person. Waits for rounds that are being recorded; those recorded later store no answer to an
 * erased event. Outdates what was read of the company's webhooks, so that rounds stop sending it.
 */
export async function forgetReceiversAnswers(
  client: ClientBase,
  companyId: string,
  { positions, callIds }: { positions: readonly number[]; callIds: readonly string[] },
): Promise<void> {
  const company = toUuid(companyId)
  await client.query('select from webhook_progress where company_id = $1 order by webhook_id for update', [company])
  await client.query('update webhooks set revision = revision + 1 where company_id = $1', [company])
  const { rows: ends } = await client.query<{ position: number }>(
    'select position from events where company_id = $1 and stream_id = any($2::uuid[])',
    [company, callIds.map(toUuid)],
  )
  const all = [...positions, ...ends.map(({ position }) => position)]
  for (let at = 0; at < all.length; at += POSITIONS_AT_ONCE) {
    await client.query(
      `update webhook_deliveries set answer = null
       where company_id = $1 and position = any($2::bigint[]) and answer is not null`,
      [company, all.slice(at, at + POSITIONS_AT_ONCE)],
    )
  }
}
