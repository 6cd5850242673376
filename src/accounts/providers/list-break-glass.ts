import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { Queryable } from '../../postgres/query-client.ts'
import type { Row } from '../../ledger/tables.ts'

const MAX_LISTED = 100
const MAX_UNLINKED = 50

export interface Administrator {
  id: string
  name: string
  email: string
}

/** Lists who can be the break-glass administrator: administrators with a password, oldest first, at most 100. */
export async function listBreakGlass(client: Queryable, companyId: string): Promise<Administrator[]> {
  const { rows } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users
     where company_id = $1 and role = 'admin' and removed_at is null and password_hash is not null
     order by user_id limit ${MAX_LISTED}`,
    [toUuid(companyId)],
  )
  return rows.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email }))
}

/** The users of a company who have no account at its identity provider yet. */
export interface Unlinked {
  users: number
  unlinked: number
  /** The first of them by name. */
  first: Administrator[]
}

/** Counts the users of a company, and those who have no account at its identity provider yet; lists the first 50. */
export async function readUnlinkedUsers(client: Queryable, companyId: string): Promise<Unlinked> {
  const { rows } = await client.query<{ users: number; unlinked: number }>(
    `select count(*)::integer as users, (count(*) filter (where issuer is null))::integer as unlinked
     from users where company_id = $1 and removed_at is null`,
    [toUuid(companyId)],
  )
  const { rows: first } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users where company_id = $1 and removed_at is null and issuer is null
     order by name, user_id limit ${MAX_UNLINKED}`,
    [toUuid(companyId)],
  )
  return { ...rows[0]!, first: first.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email })) }
}
