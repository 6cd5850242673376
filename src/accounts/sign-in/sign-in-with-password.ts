import type { Pool } from 'pg'
import { inTransaction } from '#postgres/pipeline'
import { beginSession, type NewSession } from '#accounts/users/sessions'
import {
  hashPassword,
  makeHashSetting,
  settingOf,
  type HashSetting,
  readSignInKey,
  listHashSettings,
  tryPasswordHash,
  type PasswordScope,
  type PasswordUser,
} from '#accounts/users/password'
import { replacePasswordHash, loadPasswordHash } from '#accounts/users/user-rows'
import type { FailedSignIns } from './record-sign-ins.ts'
import { hash } from 'node:crypto'
import { RefusedCredentialsError } from '#domain/errors'
import { changeCompany, type CompanyServices } from '#accounts/change-company'
import { changeUserRow } from '#accounts/users/change-user'
import type { UserRef } from '#accounts/users/users'
import { countRecoveryCodes, deleteRecoveryCode, hasRecoveryCode, hashRecoveryCode } from '#accounts/passkeys/passkeys'

interface Credentials extends PasswordScope {
  password: string
  /** How often the person has tried before, on the same page. */
  tries: number
}

/**
 * `choose`: the credentials are valid in several companies, and the person must choose one. `second step`: the person has
 * passkeys, so the password is not enough.
 */
export type SignInOutcome =
  | { outcome: 'second step'; user: PasswordUser }
  | { outcome: 'signed in'; cookie: string; user: PasswordUser }
  | { outcome: 'choose'; users: PasswordUser[] }
  | { outcome: 'refused' }

/**
 * Starts a session for a user with this email and password. Returns its cookie, of which only a hash is stored. Whatever
 * it finds, an attempt computes one hash of a password and searches twice, so its time does not reveal who has the email,
 * or in how many companies. Throws UnavailableError if too many passwords are being checked.
 */
export async function signIn(
  { pool, failures }: { pool: Pool; failures: FailedSignIns },
  { password, tries, ...scope }: Credentials,
  session: NewSession,
): Promise<SignInOutcome> {
  const common = makeHashSetting(await readSignInKey(pool), scope.email)
  const settings = await listHashSettings(pool, scope)
  const hashWith = async (setting: HashSetting) => {
    const passwordHash = await hashPassword(password, setting)
    return { passwordHash, tried: await tryPasswordHash(pool, scope, { passwordHash, setting }) }
  }
  const setting = chooseSetting(settings, common, tries)
  let { passwordHash, tried } = await hashWith(setting)
  // Another attempt of the same moment has replaced the hash.
  if (tried.length === 0 && setting !== common) ({ passwordHash, tried } = await hashWith(common))
  const matching = tried.filter((user) => user.passwordHash === passwordHash)
  const [first] = matching
  if (!first) {
    // Nobody waits for this: it must not take longer than for an unknown email.
    for (const attacked of tried) failures.count(attacked, 'password', session)
    return { outcome: 'refused' }
  }
  if (matching.length > 1) return { outcome: 'choose', users: matching }
  const user = await upgradeHash(pool, first, { password, common })
  if (user.hasPasskeys) return { outcome: 'second step', user }
  const proof = { method: 'password', passwordHash: user.passwordHash, beside: 'nothing' } as const
  const cookie = await beginSession(pool, user, proof, session)
  return cookie === null ? { outcome: 'refused' } : { outcome: 'signed in', cookie, user }
}

/**
 * Chooses the setting with which an attempt is hashed. Almost everybody's passwords have the same one. Someone who has
 * passwords of version 1.0.0 in several companies may need a further try for each: the alternative would be an attempt
 * that takes longer for them than for others.
 */
function chooseSetting(settings: HashSetting[], common: HashSetting, tries: number) {
  const inOrder = settings.toSorted((one, other) => Number(other === common) - Number(one === common))
  return inOrder[tries % inOrder.length] ?? common
}

/** Replaces a hash of version 1.0.0, now that the password is known, by one with the common setting of the email. */
async function upgradeHash(
  pool: Pool,
  user: PasswordUser,
  { password, common }: { password: string; common: HashSetting },
) {
  const { passwordHash: former } = user
  if (settingOf(former) === common) return user
  const passwordHash = await hashPassword(password, common)
  await inTransaction(pool, (client) => replacePasswordHash(client, user, { former, passwordHash }))
  return { ...user, passwordHash }
}

/** Someone who has given the password of a user with passkeys, which is not enough. */
export interface SecondStep extends UserRef {
  /** Which password it was: a digest of its hash, so that another one ends the step. */
  password: string
}

/** Remembers the password that was given. */
export function beginSecondStep({ companyId, userId, passwordHash }: PasswordUser): SecondStep {
  return { companyId, userId, password: digest(passwordHash) }
}

interface RecoveryServices {
  company: CompanyServices
  /** The connections for sessions. */
  pool: Pool
  failures: FailedSignIns
  session: NewSession
}

/**
 * Starts a session with a recovery code, which is used up. Returns its cookie; null if the code is not one of the
 * user's unused ones, or the password has changed since the first step.
 */
export async function signInWithRecoveryCode(
  { company, pool, failures, session }: RecoveryServices,
  { companyId, userId, password }: SecondStep,
  typed: string,
): Promise<string | null> {
  const owner = { companyId, userId }
  const code = hashRecoveryCode(typed)
  // Guesses do not wait for the lock.
  if (code === null || !(await hasRecoveryCode(company.pool, owner, code))) {
    failures.count(owner, 'recovery_code', session)
    return null
  }
  const passwordHash = await loadPassword(company.pool, owner, password)
  if (passwordHash === null) return null
  try {
    await changeCompany(company, { companyId, actor: userId, client: session }, 'any role', async (tx) => {
      // Of two concurrent uses, the second finds the code used.
      if (!(await deleteRecoveryCode(tx.connection, owner, code))) throw new RefusedCredentialsError('the code is used')
      const remaining = await countRecoveryCodes(tx.connection, owner)
      const { events } = await changeUserRow(tx, userId, { change: 'use_recovery_code', remaining })
      return { events, result: {} }
    })
  } catch (error) {
    if (error instanceof RefusedCredentialsError) return null
    throw error
  }
  return beginSession(pool, owner, { method: 'password', passwordHash, beside: 'recovery code' }, session)
}

/** Loads the hash of the password that was given; null if the user has another one by now, or none. */
async function loadPassword(pool: Pool, { companyId, userId }: UserRef, given: string) {
  const stored = await loadPasswordHash(pool, companyId, userId)
  return stored !== null && digest(stored) === given ? stored : null
}

function digest(passwordHash: string) {
  return hash('sha256', passwordHash, 'base64url')
}
