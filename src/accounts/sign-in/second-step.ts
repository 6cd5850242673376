import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { RefusedCredentialsError } from '#domain/errors'
import { changeCompany, type CompanyServices } from '../change-company.ts'
import { changeUserRow } from '../users/change-user.ts'
import type { UserRef } from '../users/users.ts'
import type { PasswordUser } from '../users/password-users.ts'
import { type NewSession, beginSession } from '../users/sessions.ts'
import { loadPasswordHash } from '../users/user-rows.ts'
import { countRecoveryCodes, deleteRecoveryCode, hasRecoveryCode } from '../passkeys/passkey-rows.ts'
import { hashRecoveryCode } from '../passkeys/recovery-codes.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'

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
async function loadPassword(pool: Pool, { companyId, userId }: UserRef, given: string): Promise<string | null> {
  const stored = await loadPasswordHash(pool, companyId, userId)
  return stored !== null && digest(stored) === given ? stored : null
}

function digest(passwordHash: string): string {
  return hash('sha256', passwordHash, 'base64url')
}
