import type { Pool } from 'pg'
import { readPunycode } from '#domain/email-domains'
import { normalizeEmail } from '#text/normalize-text'
import type { Role } from '#domain/accounts/roles'
import {
  decideUserChange,
  evolveUser,
  decideInvitation,
  type UserChange,
  type UserLife,
} from '#domain/accounts/user-lifecycle'
import { prefixOfSecret } from '#domain/accounts/secrets'
import { OPERATOR, RefusedChangeError } from '#ledger/append/append-company-events'
import { insertToken, insertUser, isEmailTaken } from './user-rows.ts'
import { changeCompany, unwrapDecision, type CompanyServices } from '../change-company.ts'
import { digestSecret, generateSecret } from './new-secret.ts'
import { generatePassword, hashPassword, makeHashSetting, readSignInKey } from './password.ts'

interface NewUser {
  companyId: string
  email: string
  name: string
  role: Role
}

/** A new user with a password and a token, which are shown once. Only their hashes are stored. */
export interface AddedUser {
  user_id: string
  email: string
  role: Role
  password: string
  token: string
  token_expires_at: string
}

const TOKEN_NAME = 'first token'
const TOKEN_LIFE_MS = 365 * 24 * 60 * 60 * 1000

/** A new password, and its hash for an email address. */
export interface NewPassword {
  password: string
  passwordHash: string
}

/** Makes a password for a new user with this normalized email. */
export async function makePassword(pool: Pool, email: string): Promise<NewPassword> {
  const password = generatePassword()
  return { password, passwordHash: await hashPassword(password, makeHashSetting(await readSignInKey(pool), email)) }
}

/**
 * Adds a user to a company from the command line, with a password (a new one, unless given) and a first token.
 * Throws RefusedChangeError if the email is taken.
 */
export async function addUser(services: CompanyServices, newUser: NewUser, given?: NewPassword): Promise<AddedUser> {
  const { companyId, name, role } = newUser
  const [id, tokenId] = [services.newId('usr'), services.newId('tok')]
  const email = readPunycode(normalizeEmail(newUser.email))
  const token = generateSecret(prefixOfSecret('token', companyId))
  const { password, passwordHash } = given ?? (await makePassword(services.pool, email))
  const operator = { companyId, actor: OPERATOR }
  const { expiresAt } = await changeCompany(services, operator, 'admin', async (tx) => {
    if (await isEmailTaken(tx, email)) throw new RefusedChangeError(`the company already has a user ${email}`)
    const expiresAt = new Date(Date.parse(tx.now) + TOKEN_LIFE_MS).toISOString()
    const { user, events } = buildUser({ id, email, name, role }, [
      { change: 'set_password' },
      { change: 'issue_token', tokenId, name: TOKEN_NAME, expiresAt, scopes: null },
    ])
    await insertUser(tx, user, { passwordHash, link: null })
    const issued = { id: tokenId, userId: id, name: TOKEN_NAME, scopes: null, expiresAt }
    await insertToken(tx, issued, digestSecret(token))
    return { events, result: { expiresAt } }
  })
  return { user_id: id, email, role, password, token, token_expires_at: expiresAt }
}

/** Creates a user with first changes. Returns the resulting user and all events. */
export function buildUser(person: Pick<UserLife, 'id' | 'email' | 'name' | 'role'>, changes: UserChange[]) {
  const invited = decideInvitation(person)
  const events = [invited]
  let user = evolveUser({ ...person, version: 0, hasPassword: false, isRemoved: false, identity: null }, invited)
  for (const change of changes) {
    for (const event of unwrapDecision(decideUserChange(user, change, { hasOtherAdmin: true, isBreakGlass: false }))) {
      events.push(event)
      user = evolveUser(user, event)
    }
  }
  return { user, events }
}
