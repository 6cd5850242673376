import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Role } from '../../domain/accounts/roles.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { HashSetting } from './password.ts'
import { searchCompanies } from './search-companies.ts'
import { hasPasskey, requiresProvider } from './sign-in-conditions.ts'
import type { UserRef } from './users.ts'

/** Whose passwords are meant: those of the users with an email, in all companies or in some. */
export interface PasswordScope {
  /** Normalized. */
  email: string
  /** Null for all. */
  companyIds: string[] | null
}

/** A user with a password who may use it. */
export interface PasswordUser extends UserRef {
  companyName: string
  role: Role
  passwordHash: string
  /** Whether the password needs a second step. */
  hasPasskeys: boolean
}

/** What a search found. `failure` says why the companies of a database machine are missing; null if none are. */
interface Found<Item> {
  items: Item[]
  failure: unknown
}

/** How many users a statement returns, of each shard of a cluster. */
const PAGE = 100

/**
 * Lists the settings of the password hashes in a scope, oldest user first. Hashes of version 1.0.0 have one each; all
 * others of an email share one.
 */
export async function listHashSettings(pool: Pool, scope: PasswordScope): Promise<Found<HashSetting>> {
  const { rows, failure } = await searchCompanies(pool, scope.companyIds, (db) => selectSettings(db, scope))
  const inOrder = rows.toSorted((one, other) => (one.oldest < other.oldest ? -1 : 1))
  return { items: [...new Set(inOrder.map(({ setting }) => setting))], failure }
}

async function selectSettings(db: LedgerDb, scope: PasswordScope) {
  // The longest beginning that ends before a dollar sign: all but the last part.
  const setting = sql<string>`substring(u.password_hash from '^(.*)[$]')`
  return usersIn(db, scope)
    .select([setting.as('setting'), sql<string>`min(u.created_at)`.as('oldest')])
    .groupBy(setting)
    .orderBy('oldest')
    .limit(PAGE)
    .execute()
}

/**
 * Lists the users in a scope whose password has the setting of a hash, those with that very hash first. The database
 * compares, however many users there are: nobody can find out a hash byte by byte, because the salts are secret.
 */
export async function tryPasswordHash(
  pool: Pool,
  scope: PasswordScope,
  { passwordHash, setting }: { passwordHash: string; setting: HashSetting },
): Promise<Found<PasswordUser>> {
  const { rows, failure } = await searchCompanies(pool, scope.companyIds, (db) =>
    usersIn(db, scope)
      .select(SELECTED)
      .select(HAS_PASSKEYS.as('has_passkeys'))
      .where(sql<boolean>`starts_with(u.password_hash, ${`${setting}$`})`)
      .orderBy(sql`u.password_hash = ${passwordHash}`, 'desc')
      .orderBy('u.company_id')
      .limit(PAGE)
      .execute(),
  )
  return { items: rows.map(toUser), failure }
}

/** Reads the users in a scope page by page, in the order of their companies. */
export async function* readPasswordUsers(pool: Pool, scope: PasswordScope): AsyncGenerator<Found<PasswordUser>> {
  for (let after: string | null = null; ;) {
    const { rows, failure } = await searchCompanies(pool, scope.companyIds, (db) => selectPage(db, scope, after))
    const page = rows.toSorted((one, other) => (one.company_id < other.company_id ? -1 : 1)).slice(0, PAGE)
    yield { items: page.map(toUser), failure }
    if (page.length < PAGE) return
    after = page.at(-1)!.company_id
  }
}

function selectPage(db: LedgerDb, scope: PasswordScope, after: string | null) {
  let query = usersIn(db, scope).select(SELECTED).select(HAS_PASSKEYS.as('has_passkeys'))
  if (after !== null) query = query.where('u.company_id', '>', after)
  return query.orderBy('u.company_id').limit(PAGE).execute()
}

const SELECTED = ['u.company_id', 'c.name', 'u.user_id', 'u.role', 'u.password_hash'] as const
const HAS_PASSKEYS = sql.raw<boolean>(hasPasskey('u.company_id', 'u.user_id'))
const MAY_USE_PASSWORD = sql.raw<boolean>(`not ${requiresProvider('u.company_id', 'u.user_id')}`)

function usersIn(db: LedgerDb, { email, companyIds }: PasswordScope) {
  let query = db
    .selectFrom('users as u')
    .innerJoin('companies as c', 'c.company_id', 'u.company_id')
    .where('u.email', '=', email)
    .where('u.removed_at', 'is', null)
    .where('u.password_hash', 'is not', null)
    .where(MAY_USE_PASSWORD)
  if (companyIds !== null) query = query.where('u.company_id', 'in', companyIds.map(toUuid))
  return query
}

interface UserRow {
  company_id: string
  name: string
  user_id: string
  role: Role
  password_hash: string | null
  has_passkeys: boolean
}

function toUser(row: UserRow): PasswordUser {
  return {
    companyId: fromUuid('com', row.company_id),
    companyName: row.name,
    userId: fromUuid('usr', row.user_id),
    role: row.role,
    passwordHash: row.password_hash!,
    hasPasskeys: row.has_passkeys,
  }
}
