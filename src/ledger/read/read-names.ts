import { sql } from 'kysely'
import { findEmployees } from '#projections/employees/queries'
import { fromUuid, isId, toUuid } from '#domain/ids'
import { formatFullName } from '#domain/employees/employee'
import type { LedgerDb, Row } from '#ledger/tables'
import type { Client } from '#domain/call-sources'

/** Reads the current names of keys, users and employees, by id. Unnamed and erased ones are left out. */
export async function readNames(db: LedgerDb, companyId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const [named, people] = await Promise.all([
    readNamesOfActors(db, companyId, ids),
    findEmployees(db, companyId, [...new Set(ids.filter((id) => isId('emp', id)))]),
  ])
  for (const [id, person] of people) named.set(id, formatFullName(person))
  return named
}

/**
 * The same without people who have been erased, even if the read model still has them. The directory loses a person in
 * the transaction that erases them.
 */
export async function readNamesKept(
  db: LedgerDb,
  companyId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = await readNames(db, companyId, ids)
  const people = [...names.keys()].filter((id) => isId('emp', id))
  const { rows } = await sql<Row<'employee_directory', 'employee_id'>>`
    select employee_id from employee_directory
    where company_id = ${toUuid(companyId)} and employee_id = any(${people.map(toUuid)}::uuid[])`.execute(db)
  const kept = new Set(rows.map((row) => fromUuid('emp', row.employee_id)))
  for (const id of people) if (!kept.has(id)) names.delete(id)
  return names
}

async function readNamesOfActors(
  db: LedgerDb,
  companyId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const supported = ids.filter((id) => isId('key', id) || isId('usr', id) || isId('whk', id) || isId('idp', id))
  const uuids = new Map(supported.map((id) => [toUuid(id), id]))
  if (uuids.size === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select api_id as id, name from api_keys where company_id = ${toUuid(companyId)}
      and api_id = any(${[...uuids.keys()]}::uuid[])
    union all
    select user_id, name from users where company_id = ${toUuid(companyId)}
      and user_id = any(${[...uuids.keys()]}::uuid[])
    union all
    select webhook_id, coalesce(nullif(description, ''), url) from webhooks
    where company_id = ${toUuid(companyId)} and webhook_id = any(${[...uuids.keys()]}::uuid[])
    union all
    select provider_id, name from identity_providers
    where company_id = ${toUuid(companyId)} and provider_id = any(${[...uuids.keys()]}::uuid[])`.execute(db)
  return new Map(rows.filter(({ name }) => name !== '').map(({ id, name }) => [uuids.get(id)!, name]))
}

/** Someone or something that can cause events. */
interface Actor {
  id: string
  name: string
}

/** Lists the keys and users of a company by name: the newest ones, at most `limit` of each. */
export async function listActors(
  db: LedgerDb,
  companyId: string,
  limit: number,
): Promise<{ keys: Actor[]; users: Actor[] }> {
  const ofTable = async (table: 'api_keys' | 'users', column: 'api_id' | 'user_id', prefix: 'key' | 'usr') => {
    const { rows } = await sql<{ id: string; name: string }>`
      select ${sql.ref(column)} as id, name from ${sql.table(table)}
      where company_id = ${toUuid(companyId)} and name <> '' order by ${sql.ref(column)} desc limit ${limit}`.execute(
      db,
    )
    return rows
      .map(({ id, name }) => ({ id: fromUuid(prefix, id), name }))
      .toSorted((a, b) => a.name.localeCompare(b.name))
  }
  const [keys, users] = await Promise.all([ofTable('api_keys', 'api_id', 'key'), ofTable('users', 'user_id', 'usr')])
  return { keys, users }
}

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
