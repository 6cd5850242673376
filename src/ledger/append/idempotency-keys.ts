import { createHmac, randomBytes } from 'node:crypto'
import type { EarlierCall, StoredAnswer } from '../../domain/calls/earlier-call.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { doInTurns } from '../../admission/turns.ts'
import { joinInPieces } from '../../domain/pieces.ts'
import { utf8Array } from '../../postgres/binary-arrays.ts'
import { isOnly, onlyCompany } from '../../postgres/only-company.ts'
import type { QueryClient } from '../../postgres/query-client.ts'

/** What an idempotency key was bound to by the first call that carried it. */
export interface BoundKey {
  callId: string
  /** The position of the call's last event. */
  position: number
  /** Null once it has expired or was erased. */
  kept: { salt: Buffer; fingerprint: Buffer; answer: StoredAnswer } | null
}

/** A bound key to store. */
export interface NewBoundKey extends KeyOfCall {
  bound: BoundKey
  mayNameAnyone: boolean
  answeredAt: string
}

const SALT_BYTES = 16

/** An answer to store, with a salted fingerprint of its request. Without the salt, the request cannot be guessed. */
export function keepAnswer(
  requestHash: string,
  { status, headers, body }: StoredAnswer,
): NonNullable<BoundKey['kept']> {
  const salt = randomBytes(SALT_BYTES)
  return { salt, fingerprint: fingerprintOf(salt, requestHash), answer: { status, headers, body } }
}

/** What a retry sees of the call that its key is bound to. `requestHash` is that of the retry. */
export function earlierCall({ callId, position, kept }: BoundKey, requestHash: string): EarlierCall {
  const isSameRequest = kept === null || fingerprintOf(kept.salt, requestHash).equals(kept.fingerprint)
  return { callId, position, answer: kept?.answer ?? null, isSameRequest }
}

function fingerprintOf(salt: Buffer, requestHash: string): Buffer {
  return createHmac('sha256', salt).update(requestHash, 'hex').digest()
}

/** An idempotency key of an API key or user, by its hash. The column `api_id` holds the UUID of either. */
export interface KeyOfCall {
  companyId: string
  actor: string
  keyHash: string
}

/** The name of a key within its company. */
export function boundName({ actor, keyHash }: Omit<KeyOfCall, 'companyId'>): string {
  return `${actor} ${keyHash}`
}

/** The bytes of an answer in one row of a result, which is read at once. */
const PART_BYTES = 262_144

/** Loads those of the keys that are bound. */
export async function loadBoundKeys(
  client: QueryClient,
  keys: KeyOfCall[],
): Promise<(KeyOfCall & { bound: BoundKey })[]> {
  const { rows } = await client.query<{
    number: number
    salt: Buffer | null
    fingerprint: Buffer | null
    call_id: string
    position: number
    status: number
    headers: Record<string, string> | null
    part: Buffer | null
  }>({
    name: 'load-bound-keys',
    // With OFFSET, an answer is converted once, and not for each part.
    text: `select r.i as number, k.salt, k.fingerprint, k.call_id, k.position, k.status, k.headers,
        substring(b.bytes from at for ${PART_BYTES}) as part
      from json_to_recordset($1) as r(c uuid, a uuid, k text, i integer)
      join idempotency_keys k on k.company_id = r.c and k.api_id = r.a and k.key_hash = decode(r.k, 'hex')
      cross join lateral (select convert_to(k.body, 'UTF8') as bytes offset 0) b
      cross join lateral generate_series(1, greatest(length(b.bytes), 1), ${PART_BYTES}) as at
      where ${isOnly('k.company_id', '$2')}
      order by number, at`,
    values: [JSON.stringify(keys.map((key, i) => ({ ...storedName(key), i }))), onlyCompany(keys)],
  })
  const found = [...Map.groupBy(rows, ({ number }) => number)]
  return Promise.all(
    found.map(async ([number, parts]) => {
      const { salt, fingerprint, call_id: uuid, position, status, headers } = parts[0]!
      const body = await doInTurns(joinInPieces(parts.flatMap(({ part }) => part ?? [])))
      const kept = salt && fingerprint ? { salt, fingerprint, answer: { status, headers: headers ?? {}, body } } : null
      return { ...keys[number]!, bound: { callId: fromUuid('log', uuid), position, kept } }
    }),
  )
}

const BOUND_COLUMNS = [
  'api_id',
  'key_hash',
  'salt',
  'fingerprint',
  'may_name_anyone',
  'call_id',
  'position',
  'status',
  'answered_at',
  'headers',
  'body',
]
const BOUND_ROWS = `(
    select c, a as api_id, decode(k, 'hex') as key_hash, decode(n, 'hex') as salt, decode(f, 'hex') as fingerprint,
      m as may_name_anyone, l as call_id, p as position, s as status, t as answered_at, h as headers, ($2::text[])[i] as body
    from json_to_recordset($1)
      as columns(c uuid, a uuid, k text, n text, f text, m boolean, l uuid, p bigint, s smallint, t timestamptz, h json, i integer)) r`

/** Binds keys, in the transaction that appends their calls. */
export function insertBoundKeys(client: QueryClient, keys: NewBoundKey[]): Promise<unknown> {
  const rows = keys.map(({ bound, mayNameAnyone, answeredAt, ...key }, at) => ({
    ...storedName(key),
    n: bound.kept?.salt.toString('hex'),
    f: bound.kept?.fingerprint.toString('hex'),
    m: mayNameAnyone,
    l: toUuid(bound.callId),
    p: bound.position,
    s: bound.kept?.answer.status,
    t: answeredAt,
    h: bound.kept?.answer.headers,
    i: at + 1,
  }))
  return client.query({
    name: 'insert-bound-keys',
    text: `insert into idempotency_keys (company_id, ${BOUND_COLUMNS.join(', ')}) select * from ${BOUND_ROWS}`,
    // Answers take megabytes, which would be escaped in JSON.
    values: [JSON.stringify(rows), utf8Array(keys.map(({ bound }) => bound.kept?.answer.body ?? null))],
  })
}

function storedName({ companyId, actor, keyHash }: KeyOfCall) {
  return { c: toUuid(companyId), a: toUuid(actor), k: keyHash }
}
