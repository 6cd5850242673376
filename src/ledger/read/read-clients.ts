import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import type { Client } from '#domain/client'
import type { LedgerDb, Row } from '../tables.ts'

/** From where the event at a position was sent; null if it was not sent, or if that is no longer kept. */
export async function readClientOf(db: LedgerDb, companyId: string, position: number): Promise<Client | null> {
  const { rows } = await sql<Row<'actor_clients', 'address' | 'user_agent'>>`
    select c.address, c.user_agent from events e
    join actor_clients c on c.company_id = e.company_id and c.client_id = e.client_id
    where e.company_id = ${toUuid(companyId)} and e.position = ${position}`.execute(db)
  return rows[0] ? { address: rows[0].address, userAgent: rows[0].user_agent } : null
}

/** An address that a key or user sent requests from. */
export interface UsedAddress {
  address: string
  /** RFC 3339, to the minute. */
  firstAt: string
  lastAt: string
  /** The programs, the last used first, at most `MAX_PROGRAMS`. */
  userAgents: string[]
}

const MAX_PROGRAMS = 3

/** Lists the addresses that a key or user sent writing calls or changes from, the last used first. */
export async function listAddresses(
  db: LedgerDb,
  companyId: string,
  actorId: string,
  limit: number,
): Promise<UsedAddress[]> {
  const { rows } = await sql<UsedAddress>`
    select address, min(first_at) as "firstAt", max(last_at) as "lastAt", coalesce((array_agg(user_agent
      order by last_at desc) filter (where user_agent is not null))[:${MAX_PROGRAMS}::integer], '{}') as "userAgents"
    from (
      select address, user_agent, min(first_at) as first_at, max(last_at) as last_at from actor_clients
      where company_id = ${toUuid(companyId)} and actor_id = ${toUuid(actorId)} group by address, user_agent
    ) as used
    group by address order by max(last_at) desc, address limit ${limit}`.execute(db)
  return rows
}
