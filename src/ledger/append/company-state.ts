import type { ClientBase } from 'pg'
import type { ApiKey, KeyUsage } from '#domain/accounts/api-key'
import type { Role } from '#domain/accounts/roles'
import { toUuid } from '#domain/ids'
import type { LoadedEmployees } from './employee-index.ts'
import type { BoundKey } from './idempotency-keys.ts'
import type { QueryClient } from '#postgres/pool'
import type { NewEvent } from '#domain/events'
import { sealEvent, type Origin, type SealedEvent } from '../integrity/codec.ts'
import { appendLeaves, type Frontier } from '../integrity/merkle.ts'

/** The row that a company's appends lock. */
export interface Head {
  companyId: string
  frontier: Frontier
  /** The time of the last event, RFC 3339 UTC. */
  recordedAt: string
  /** The rebuild that last wrote the company's employee states; null if there was none. */
  generation: string | null
}

/** Creates the head of a new company, at position 0. Does nothing if the company has one. */
export async function insertHead(client: ClientBase, companyId: string) {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())
     on conflict (company_id) do nothing`,
    [toUuid(companyId)],
  )
}

/** Runs further queries of the transaction, in one round trip. */
export type QueryMore = <Result>(send: (client: QueryClient) => Promise<Result>) => Promise<Result>

/** A company while its head is locked. */
export interface LockedCompany {
  head: Head
  /** The position of the last event that was decided. */
  position: number
  employees: LoadedEmployees
  /** How many people are active as of the last commit; null until a call needs to know. */
  active: number | null
  /** How many more are active since, because of the calls that were decided. */
  activeSince: number
  /** Its country; null if it has none, or no call has a local phone number. */
  country: string | null
  keys: Map<string, { key: ApiKey; usage: KeyUsage }>
  /** The roles of the users who make calls, by user id; those who were removed have none. */
  roles: Map<string, Role>
  /** The bound idempotency keys, by `boundName`. */
  bound: Map<string, BoundKey>
}

/** Gives events the next positions of their company, at the time of the head, and advances the head. */
export function placeEvents(
  head: Head,
  events: NewEvent[],
  by: Pick<Origin, 'callId' | 'actor' | 'clientId'>,
): { placed: SealedEvent[]; head: Head } {
  const { companyId, frontier, recordedAt } = head
  const origin = { companyId, recordedAt, ...by }
  const placed = events.map((event, at) => sealEvent(event, frontier.size + at + 1, origin))
  return {
    placed,
    head: {
      ...head,
      frontier: appendLeaves(
        frontier,
        placed.map(({ leaf }) => leaf),
      ),
    },
  }
}

/** The head at a time. A company's time never goes back, even if the database's clock does. */
export function headAt(head: Head, now: string) {
  return now > head.recordedAt ? { ...head, recordedAt: now } : head
}
