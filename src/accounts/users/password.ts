import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters, createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { createBudget } from '#admission/budget'
import type { Pool } from 'pg'
import { outsideCompany } from '#postgres/company-scope'
import { sql, type InferResult } from 'kysely'
import { listStoredAddresses } from '#domain/attributes'
import type { Role } from '#domain/accounts/roles'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { openDatabase } from '#postgres/kysely'
import { onlyCompany } from '#postgres/pool'
import { type UserRef, selectHasPasskeys, requiresProvider } from './users.ts'

// The first choice of OWASP's Password Storage Cheat Sheet for Argon2id: 19 MiB, 2 passes, 1 lane.
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32
const SALT_BYTES = 16
const GENERATED_BYTES = 15

// Each hash takes 19 MiB and a libuv thread, which DNS and files need too. So run two at once, with a bounded queue: all
// have the same holder, of which a quarter of `maxWaiting` may wait.
const hashes = createBudget({ total: 2, share: 2, maxWaiting: 200, maxWaitMs: 60_000 })

/** The parameters of a password hash and its salt: the hash in the PHC string format, without its last part. */
export type HashSetting = string

const SETTING = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`

/**
 * The setting of all new password hashes of an email address, in whichever company. The salt depends on the address, so
 * one hash of what someone types can be compared with the passwords of all of their users. It depends on the secret of
 * the installation, so nobody can compute hashes before they have the database.
 */
export function makeHashSetting(key: Buffer, email: string) {
  return SETTING + toBase64(signWithKey(key, 'salt of an email', email).subarray(0, SALT_BYTES))
}

/** The setting with which a hash was made. */
export function settingOf(stored: string) {
  return stored.slice(0, stored.lastIndexOf('$'))
}

/**
 * A password's Argon2id hash (RFC 9106) in the PHC string format. Throws UnavailableError if too many wait.
 */
export async function hashPassword(password: string, setting: HashSetting) {
  const [, memory, passes, lanes, salt] = PHC_SETTING.exec(setting) ?? []
  if (salt === undefined) throw new Error('a stored password hash has an unknown form')
  const parameters: Argon2Parameters = {
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    parallelism: Number(lanes),
    tagLength: TAG_BYTES,
    memory: Number(memory),
    passes: Number(passes),
  }
  const tag = await hashes.hold('', 1, undefined, () => promisify(argon2)('argon2id', parameters))
  return `${setting}$${toBase64(tag)}`
}

const PHC_SETTING = /^\$argon2id\$v=19\$m=([0-9]{1,7}),t=([0-9]{1,2}),p=([0-9]{1,2})\$([A-Za-z0-9+/]+)$/

function toBase64(bytes: Buffer) {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Generates a random password of 120 bits. */
export function generatePassword() {
  return randomBytes(GENERATED_BYTES).toString('base64url')
}

/**
 * Whether a password matches a hash, which contains its own parameters. Compares in constant time. Throws
 * UnavailableError if too many wait.
 */
export async function verifyPassword(password: string, stored: string) {
  const computed = Buffer.from(await hashPassword(password, settingOf(stored)))
  const expected = Buffer.from(stored)
  return computed.length === expected.length && timingSafeEqual(computed, expected)
}

const keys = new WeakMap<Pool, Promise<Buffer>>()

/**
 * Reads the installation's secret for signing in, which never changes. Asks the database once for each pool.
 */
export function readSignInKey(pool: Pool): Promise<Buffer> {
  const known = keys.get(pool)
  if (known) return known
  const reading = outsideCompany(() => selectKey(pool))
  keys.set(pool, reading)
  reading.catch(() => keys.delete(pool))
  return reading
}

async function selectKey(pool: Pool) {
  const { rows } = await pool.query<{ sign_in_key: Buffer }>('select sign_in_key from setup')
  const [row] = rows
  if (!row) throw new Error('the database is not set up')
  return row.sign_in_key
}

/** HMAC-SHA-256 with the installation's secret. `purpose` keeps the values of different uses apart. */
export function signWithKey(key: Buffer, purpose: string, value: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${value}`).digest()
}

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
export async function listHashSettings(pool: Pool, scope: PasswordScope) {
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
  const only = onlyCompany((scope.companyIds ?? []).map((companyId) => ({ companyId })))
  return usersIn(db, scope)
    .select(['u.company_id', 'c.name as companyName', 'u.user_id', 'u.role', 'u.password_hash as passwordHash'])
    .select(selectHasPasskeys(only, 'u').as('hasPasskeys'))
}

type UserRow = InferResult<ReturnType<typeof selectUsers>>[number]

function toUser({ company_id: company, user_id: user, passwordHash, ...others }: UserRow): PasswordUser {
  return { ...others, companyId: fromUuid('com', company), userId: fromUuid('usr', user), passwordHash: passwordHash! }
}
