import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import type { Pool } from 'pg'
import type { Client } from '#domain/call-sources'
import { bigint, nullable, text, time, uuid } from '#projections/projection'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import type { QueryClient } from '#postgres/pool'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'
import { toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'

/*
 * The addresses and programs from which keys and users send their requests. They are personal, so the events, which are
 * hashed and permanent, only name a row beside them, and the row is deleted when it gets old or its user is erased. A
 * row covers a day of one actor, address, and program, so that a call adds a few bytes to its closing event and no row.
 * Each process has rows of its own.
 */

/** The address and program from which a key or user sends requests. Events refer to it by its id. */
export interface ActorClient extends Client {
  companyId: string
  clientId: number
  actorId: string
  /** When its row was last known to be written, RFC 3339; null if never. */
  writtenAt: string | null
}

/** The actors' clients that this process remembers. */
const MAX_CLIENTS = 20_000
const MAX_COMPANIES = 10_000
/** New clients of a company in a day that are kept with their programs, and then by their addresses alone. */
const MAX_CLIENTS_OF_COMPANY = 1_000
/** A row's time of last use is written at most once in so many milliseconds. */
const PRECISION_MS = 60_000

/** Gives the clients of a process their ids. */
export class ClientRegister {
  readonly #clients = new LRUCache<string, ActorClient>(upTo(MAX_CLIENTS))
  readonly #counts = new LRUCache<string, { day: string; withProgram: number; withAddress: number }>(
    upTo(MAX_COMPANIES),
  )

  /**
   * The client of an actor on the day of `now` (RFC 3339). Null if its address is not known, or if the company already had
   * too many clients on that day: whoever makes up a new program or address for each request can't fill the database.
   */
  find(of: { companyId: string; actorId: string }, client: Client, now: string): ActorClient | null {
    if (client.address === '') return null
    return this.#findOrAdd(of, client, now) ?? this.#findOrAdd(of, { ...client, userAgent: null }, now)
  }

  #findOrAdd(
    { companyId, actorId }: { companyId: string; actorId: string },
    { address, userAgent }: Client,
    now: string,
  ) {
    const day = now.slice(0, 'yyyy-mm-dd'.length)
    const name = JSON.stringify([companyId, actorId, day, address, userAgent])
    const remembered = this.#clients.get(name)
    if (remembered) return remembered
    const counts = this.#countsOf(companyId, day)
    const count = userAgent === null ? 'withAddress' : 'withProgram'
    if (counts[count] >= MAX_CLIENTS_OF_COMPANY) return null
    counts[count] += 1
    const client = { companyId, actorId, address, userAgent, clientId: randomInt(1, MAX_ID), writtenAt: null }
    this.#clients.set(name, client)
    return client
  }

  #countsOf(companyId: string, day: string) {
    const count = this.#counts.get(companyId)
    if (count?.day === day) return count
    const counts = { day, withProgram: 0, withAddress: 0 }
    this.#counts.set(companyId, counts)
    return counts
  }
}

/** The greatest range of `randomInt`. */
const MAX_ID = 2 ** 48 - 1

const registers = new WeakMap<Pool, ClientRegister>()

/** The register of the process for appends through a pool. */
export function registerOf(pool: Pool) {
  const register = registers.get(pool) ?? new ClientRegister()
  registers.set(pool, register)
  return register
}

/** Whether a client's row is missing, or its time of last use is outdated. */
export function isDue({ writtenAt }: ActorClient, now: string) {
  return writtenAt === null || Date.parse(now) - Date.parse(writtenAt) >= PRECISION_MS
}

/** A client, and when it was used, RFC 3339. */
export type UsedClient = readonly [client: ActorClient, usedAt: string]

const USED: SentColumns<UsedClient> = {
  company_id: sent(uuid, ([{ companyId }]) => companyId),
  client_id: sent(bigint, ([{ clientId }]) => clientId),
  actor_id: sent(uuid, ([{ actorId }]) => actorId),
  address: sent(text, ([{ address }]) => address),
  user_agent: sent(nullable(text), ([{ userAgent }]) => userAgent),
  first_at: sent(time, ([, usedAt]) => usedAt),
  last_at: sent(time, ([, usedAt]) => usedAt),
}

/** Writes the rows of clients with the times of their use, in the transaction that appends their events. */
export function writeClients(client: QueryClient, used: UsedClient[]): Promise<unknown> {
  const whenKnown =
    'on conflict (company_id, client_id) do update set last_at = greatest(known.last_at, excluded.last_at)'
  return client.query(insertSent('actor_clients as known', USED, used, whenKnown))
}

/** Deletes clients that were last used so many days ago, by the database's clock. Returns how many. */
export function deleteOldClients(pool: Pool, keptDays: number): Promise<number> {
  const isOld = sql`last_at < statement_timestamp() - make_interval(days => ${keptDays})`
  return deleteInPieces(pool, 'actor_clients', ['company_id', 'client_id'], isOld, 'last_at')
}

/*
 * The trace that the events of a call belong to. It is stored beside the events and not in them, because they are
 * hashed and permanent. It is written in the transaction of the append, so that whichever process folds the events
 * finds it, and only for traced calls.
 */

/** The trace of a call, at the position of its last event. */
interface EventTrace {
  companyId: string
  position: number
  /** W3C `traceparent` of the span that appended it. */
  traceparent: string
  recordedAt: string
}

const TRACE: SentColumns<EventTrace> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ position }) => position),
  traceparent: sent(text, ({ traceparent }) => traceparent),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
}

/** Stores the traces of calls, in the transaction that appends them. Ignores rows that already exist. */
export function insertTraces(client: QueryClient, traces: EventTrace[]): Promise<unknown> {
  return client.query(insertSent('event_traces', TRACE, traces, 'on conflict do nothing'))
}

/** The `traceparent` of the first `limit` traced calls that end in a range of positions. */
export async function readTraces(
  db: LedgerDb,
  companyId: string,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('event_traces')
    .select('traceparent')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ traceparent }) => traceparent)
}

/** Events that are folded later than this are folded without their trace. */
const KEPT_HOURS = 24

/** Deletes old traces, by the database's clock. Returns how many. */
export function forgetTraces(pool: Pool): Promise<number> {
  const isOld = sql`recorded_at < statement_timestamp() - make_interval(hours => ${KEPT_HOURS})`
  return deleteInPieces(pool, 'event_traces', ['company_id', 'position'], isOld, 'recorded_at')
}
