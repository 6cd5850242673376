import { sql, type InferResult } from 'kysely'
import type { Pool } from 'pg'
import { listStoredAddresses } from '#domain/email-domains'
import type { Role } from '#domain/accounts/roles'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import type { HashSetting } from './password.ts'
import { openDatabase } from '#postgres/kysely'
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

/** How many users a statement returns. */
const PAGE = 100

/**
 * Lists the settings of the password hashes in a scope, oldest user first. Hashes of version 1.0.0 have one each; all
 * others of an email share one.
 */
export async function listHashSettings(pool: Pool, scope: PasswordScope): Promise<HashSetting[]> {
  // The longest beginning that ends before a dollar sign: all but the last part.
  const setting = sql<string>`substring(u.password_hash from '^(.*)[$]')`
  const rows = await usersIn(openDatabase(pool), scope)
    .select([setting.as('setting'), sql<string>`min(u.created_at)`.as('oldest')])
    .groupBy(setting)
    .orderBy('oldest')
    .limit(PAGE)
    .execute()
  return rows.map((row) => row.setting)
}

/**
 * Lists the users in a scope whose password has the setting of a hash, those with that very hash first. The database
 * compares, however many users there are: nobody can find out a hash byte by byte, because the salts are secret.
 */
export async function tryPasswordHash(
  pool: Pool,
  scope: PasswordScope,
  { passwordHash, setting }: { passwordHash: string; setting: HashSetting },
): Promise<PasswordUser[]> {
  const rows = await selectUsers(openDatabase(pool), scope)
    .where(sql<boolean>`starts_with(u.password_hash, ${`${setting}$`})`)
    .orderBy(sql`u.password_hash = ${passwordHash}`, 'desc')
    .orderBy('u.company_id')
    .limit(PAGE)
    .execute()
  return rows.map(toUser)
}

/** Reads the users in a scope page by page, in the order of their companies. */
export async function* readPasswordUsers(pool: Pool, scope: PasswordScope): AsyncGenerator<PasswordUser[]> {
  for (let after: string | null = null; ;) {
    let query = selectUsers(openDatabase(pool), scope)
    if (after !== null) query = query.where('u.company_id', '>', after)
    const page: UserRow[] = await query.orderBy('u.company_id').limit(PAGE).execute()
    yield page.map(toUser)
    if (page.length < PAGE) return
    after = page.at(-1)!.company_id
  }
}

const HAS_PASSKEYS = sql.raw<boolean>(hasPasskey('u.company_id', 'u.user_id'))
const MAY_USE_PASSWORD = sql.raw<boolean>(`not ${requiresProvider('u.company_id', 'u.user_id')}`)

function usersIn(db: LedgerDb, { email, companyIds }: PasswordScope) {
  let query = db
    .selectFrom('users as u')
    .innerJoin('companies as c', 'c.company_id', 'u.company_id')
    .where('u.email', 'in', listStoredAddresses(email))
    .where('u.removed_at', 'is', null)
    .where('u.password_hash', 'is not', null)
    .where(MAY_USE_PASSWORD)
  if (companyIds !== null) query = query.where('u.company_id', 'in', companyIds.map(toUuid))
  return query
}

/** Selects users as `toUser` takes them. */
function selectUsers(db: LedgerDb, scope: PasswordScope) {
  return usersIn(db, scope)
    .select(['u.company_id', 'c.name as companyName', 'u.user_id', 'u.role', 'u.password_hash as passwordHash'])
    .select(HAS_PASSKEYS.as('hasPasskeys'))
}

type UserRow = InferResult<ReturnType<typeof selectUsers>>[number]

function toUser({ company_id: company, user_id: user, passwordHash, ...others }: UserRow): PasswordUser {
  return { ...others, companyId: fromUuid('com', company), userId: fromUuid('usr', user), passwordHash: passwordHash! }
}
