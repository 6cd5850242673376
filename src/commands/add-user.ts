import { hash, randomBytes } from 'node:crypto'
import { normaliseEmail } from '../domain/attributes.ts'
import type { Role } from '../domain/company.ts'
import { toUuid } from '../domain/ids.ts'
import { formatSecret, userTokenPrefix } from '../domain/secrets.ts'
import { appendCompanyEvents, OPERATOR, RefusedChangeError } from '../ledger/append-company-events.ts'
import { hashPassword } from './password.ts'
import type { CompanyServices } from './register-company.ts'

export interface NewUser {
  companyId: string
  email: string
  name: string
  role: Role
}

/** A new user with the password and the token, which are shown once and of which only hashes are kept. */
export interface AddedUser {
  user_id: string
  email: string
  role: Role
  password: string
  token: string
  token_expires_at: string
}

const TOKEN_LIFE_MS = 365 * 24 * 60 * 60 * 1000
const PASSWORD_BYTES = 15

/** Adds a user to a company, with a password and a first token. Throws RefusedChangeError when the e-mail is taken. */
export async function addUser({ pool, newId }: CompanyServices, user: NewUser): Promise<AddedUser> {
  const { companyId, name, role } = user
  const userId = newId('usr')
  const email = normaliseEmail(user.email)
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const token = formatSecret(userTokenPrefix(companyId), randomBytes(32))
  const passwordHash = await hashPassword(password)
  const added = { user_id: userId, email, role, password, token, token_expires_at: '' }
  await appendCompanyEvents(pool, { companyId, actor: OPERATOR }, async (client, now) => {
    const { rowCount } = await client.query(
      `insert into users (company_id, user_id, version, email, name, role, password_hash, created_at)
       values ($1, $2, 1, $3, $4, $5, $6, $7) on conflict (company_id, email) do nothing`,
      [toUuid(companyId), toUuid(userId), email, name, role, passwordHash, now],
    )
    if (rowCount === 0) throw new RefusedChangeError(`the company has a user ${email} already`)
    added.token_expires_at = new Date(Date.parse(now) + TOKEN_LIFE_MS).toISOString()
    await client.query(
      `insert into user_tokens (company_id, token_hash, user_id, name, expires_at, created_at) values ($1, $2, $3, $4, $5, $6)`,
      [toUuid(companyId), hash('sha256', token, 'buffer'), toUuid(userId), 'first token', added.token_expires_at, now],
    )
    return [{ type: 'UserInvited', stream: userId, version: 1, index: null, data: { email, name, role } }]
  })
  return added
}
