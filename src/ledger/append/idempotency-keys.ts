import { createHmac, randomBytes } from 'node:crypto'
import type { EarlierCall, StoredAnswer } from '#domain/calls/commands'
import { bigint, boolean, bytea, integer, json, time, utf8, uuid } from '#projections/projection'
import { fromUuid, toUuid } from '#domain/ids'
import { doInTurns } from '#admission/turns'
import { joinInPieces } from '#domain/pieces'
import { isOnly, onlyCompany, type QueryClient } from '#postgres/pool'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'

/** What an idempotency key was bound to by the first call that carried it. */
export interface BoundKey {
  callId: string
  /** The position of the call's last event. */
  position: number
  /** Null once it has expired or was erased. */
  kept: KeptAnswer | null
}

interface KeptAnswer {
  salt: Buffer
  fingerprint: Buffer
  answer: StoredAnswer
}

/** A bound key to store. */
export interface NewBoundKey extends KeyOfCall {
  bound: BoundKey & { kept: KeptAnswer }
  mayNameAnyone: boolean
  answeredAt: string
}

const SALT_BYTES = 16

/** An answer to store, with a salted fingerprint of its request. Without the salt, the request cannot be guessed. */
export function keepAnswer(requestHash: string, { status, headers, body }: StoredAnswer): KeptAnswer {
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
export function boundName({ actor, keyHash }: Omit<KeyOfCall, 'companyId'>) {
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

const BOUND: SentColumns<NewBoundKey> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  api_id: sent(uuid, ({ actor }) => actor),
  key_hash: sent(bytea, ({ keyHash }) => Buffer.from(keyHash, 'hex')),
  salt: sent(bytea, ({ bound }) => bound.kept.salt),
  fingerprint: sent(bytea, ({ bound }) => bound.kept.fingerprint),
  may_name_anyone: sent(boolean, ({ mayNameAnyone }) => mayNameAnyone),
  call_id: sent(uuid, ({ bound }) => bound.callId),
  position: sent(bigint, ({ bound }) => bound.position),
  status: sent(integer, ({ bound }) => bound.kept.answer.status),
  answered_at: sent(time, ({ answeredAt }) => answeredAt),
  headers: sent(json(), ({ bound }) => bound.kept.answer.headers),
  body: sent(utf8, ({ bound }) => bound.kept.answer.body),
}

/** Binds keys, in the transaction that appends their calls. */
export function insertBoundKeys(client: QueryClient, keys: NewBoundKey[]): Promise<unknown> {
  return client.query(insertSent('idempotency_keys', BOUND, keys))
}

function storedName({ companyId, actor, keyHash }: KeyOfCall) {
  return { c: toUuid(companyId), a: toUuid(actor), k: keyHash }
}
