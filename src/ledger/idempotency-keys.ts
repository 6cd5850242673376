import { fromUuid, toUuid } from '../domain/ids.ts'
import type { QueryClient } from './one-packet.ts'
import { insertRows, shardOf } from './shards.ts'

/** An answer as it is kept for retries; the header names are in lower case. */
export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** What an idempotency key was bound to by the first call that carried it. */
export interface BoundKey {
  callId: string
  /** SHA-256 of the request, in hexadecimal. */
  fingerprint: string
  /** The position of the call's last event. */
  position: number
  /** Null once it has expired. */
  answer: StoredAnswer | null
}

/** An idempotency key of an API key, by its hash: SHA-256 in hexadecimal. */
export interface KeyOfCall {
  companyId: string
  apiId: string
  keyHash: string
}

/** Names a key within its company. */
export function boundName({ apiId, keyHash }: Omit<KeyOfCall, 'companyId'>): string {
  return `${apiId} ${keyHash}`
}

/** The keys among these that are bound. */
export async function loadBoundKeys(client: QueryClient, wanted: KeyOfCall[]): Promise<(KeyOfCall & { bound: BoundKey })[]> {
  const shard = shardOf(client, wanted[0]?.companyId)
  const { rows } = await client.query<{
    company_id: string
    api_id: string
    key_hash: Buffer
    fingerprint: Buffer
    call_id: string
    position: number
    status: number
    headers: Record<string, string> | null
    body: string | null
  }>({
    name: 'load-bound-keys',
    text: `select k.company_id, k.api_id, k.key_hash, k.fingerprint, k.call_id, k.position, k.status, k.headers, k.body
      from json_to_recordset($1) as r(c uuid, a uuid, k text)
      join idempotency_keys k on k.company_id = r.c and k.api_id = r.a and k.key_hash = decode(r.k, 'hex')${shard.and('k.company_id', 2)}`,
    values: [JSON.stringify(wanted.map(storedName)), ...shard.values],
  })
  return rows.map(({ status, headers, body, ...row }) => ({
    companyId: fromUuid('com', row.company_id),
    apiId: fromUuid('key', row.api_id),
    keyHash: row.key_hash.toString('hex'),
    bound: {
      callId: fromUuid('log', row.call_id),
      fingerprint: row.fingerprint.toString('hex'),
      position: row.position,
      answer: body === null ? null : { status, headers: headers ?? {}, body },
    },
  }))
}

const BOUND_COLUMNS = ['api_id', 'key_hash', 'fingerprint', 'call_id', 'position', 'status', 'answered_at', 'headers', 'body']
const BOUND_ROWS = `(
    select c, a as api_id, decode(k, 'hex') as key_hash, decode(f, 'hex') as fingerprint, l as call_id, p as position,
      s as status, t as answered_at, h as headers, b as body
    from json_to_recordset($1) as columns(c uuid, a uuid, k text, f text, l uuid, p bigint, s smallint, t timestamptz, h json, b text)) r`

/** Binds keys, in the transaction that appends their calls. */
export function insertBoundKeys(
  client: QueryClient,
  keys: (KeyOfCall & { bound: BoundKey; answeredAt: string })[],
): Promise<unknown> {
  const rows = keys.map(({ bound, answeredAt, ...key }) => ({
    ...storedName(key),
    f: bound.fingerprint,
    l: toUuid(bound.callId),
    p: bound.position,
    s: bound.answer?.status,
    t: answeredAt,
    h: bound.answer?.headers,
    b: bound.answer?.body,
  }))
  const shard = shardOf(client, keys[0]?.companyId)
  return client.query({
    name: 'insert-bound-keys',
    text: insertRows(shard, 'idempotency_keys', BOUND_COLUMNS, BOUND_ROWS, 2),
    values: [JSON.stringify(rows), ...shard.values],
  })
}

function storedName({ companyId, apiId, keyHash }: KeyOfCall) {
  return { c: toUuid(companyId), a: toUuid(apiId), k: keyHash }
}
