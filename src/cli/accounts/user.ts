import { newId } from '../../bootstrap/new-id.ts'
import { addUser } from '../../accounts/users/add-user.ts'
import { changeUserRole, removeUser, resetUserPassword } from '../../accounts/users/change-user.ts'
import { eraseUser } from '../../accounts/users/erase-user.ts'
import type { UserWithLink } from '../../accounts/users/invite-user.ts'
import { inviteCompanyUser } from '../../accounts/users/invite-user.ts'
import { issueUserToken, revokeUserToken } from '../../accounts/users/user-tokens.ts'
import type { Role, TokenScope } from '../../domain/company.ts'
import { OPERATOR } from '../../ledger/append/append-company-events.ts'
import type { UserRecord } from '../../accounts/users/users.ts'
import { listUsers } from '../../accounts/users/users.ts'
import { confirm } from '../terminal/confirm.ts'
import { print } from '../terminal/print.ts'
import { withStore } from '../terminal/with-store.ts'

interface OfCompany {
  company: string
  json?: boolean
}

interface OfUser extends OfCompany {
  user: string
}

type Person = { email: string; name: string; role: Role }

const MAX_LISTED = 10_000
const operatorOf = (companyId: string) => ({ companyId, actor: OPERATOR })

/** `user add`: a user with a password and a token. */
export async function addCompanyUser({ company: companyId, email, name, role, json }: OfCompany & Person) {
  const added = await withStore(({ store: { pool } }) => addUser({ pool, newId }, { companyId, email, name, role }))
  print({ ...added }, json)
}

/** `user invite`: a user who sets the password by a one-time token. */
export async function inviteUser({ company, email, name, role, json }: OfCompany & Person) {
  const person = { email, name, role }
  const invited = await withStore(({ store: { pool } }) =>
    inviteCompanyUser({ pool, newId }, operatorOf(company), person),
  )
  print(withLink(invited), json)
}

/** `user list`: the users of a company. */
export async function listCompanyUsers({ company, json }: OfCompany) {
  const users = await withStore(({ store: { db } }) => listUsers(db, company, { limit: MAX_LISTED }))
  print(users.map(shown), json)
}

/** `user role`: another role, at once. */
export async function changeRole({ company, user, role, json }: OfUser & { role: Role }) {
  const changed = await withStore(({ store: { pool } }) =>
    changeUserRole({ pool, newId }, operatorOf(company), user, role),
  )
  print(shown(changed.user), json)
}

/** `user reset`: a one-time token for a new password. */
export async function resetUser({ company, user, json }: OfUser) {
  const reset = await withStore(({ store: { pool } }) => resetUserPassword({ pool, newId }, operatorOf(company), user))
  print(withLink(reset), json)
}

/** `user remove`: the end of a user, password and tokens. */
export async function removeCompanyUser({ company, user, json }: OfUser) {
  const removed = await withStore(({ store: { pool } }) => removeUser({ pool, newId }, operatorOf(company), user))
  print(shown(removed.user), json)
}

/** `user erase`: a removed user is forgotten. */
export async function eraseCompanyUser({ company, user, yes, json }: OfUser & { yes?: boolean }) {
  await confirm('The user is forgotten, with name, e-mail address and tokens.', yes)
  const erased = await withStore(({ store: { pool } }) => eraseUser({ pool, newId }, operatorOf(company), user))
  print(shown(erased.user), json)
}

/** `token issue`: a token of a user. */
export async function issueToken({
  company,
  user,
  json,
  name,
  days,
  scope,
}: OfUser & { name: string; days: number; scope?: TokenScope }) {
  const wanted = { userId: user, name, expiresInDays: days, scope: scope ?? null }
  const { token, secret } = await withStore(({ store: { pool } }) =>
    issueUserToken({ pool, newId }, operatorOf(company), wanted),
  )
  print({ token_id: token.id, name: token.name, scope: token.scope, token: secret, expires_at: token.expiresAt }, json)
}

/** `token revoke`: the end of a token. */
export async function revokeToken({ company, token, json }: OfCompany & { token: string }) {
  await withStore(({ store: { pool } }) => revokeUserToken({ pool, newId }, operatorOf(company), token))
  if (json) print({ token_id: token, revoked: true }, json)
  else process.stdout.write(`${token} is revoked\n`)
}

function shown({ id, email, name, role, hasPassword, isRemoved, createdAt }: UserRecord) {
  const status = isRemoved ? 'removed' : hasPassword ? 'active' : 'pending'
  return { user_id: id, email, name, role, status, created_at: createdAt }
}

function withLink({ user, linkToken, linkExpiresAt }: UserWithLink) {
  return { ...shown(user), one_time_token: linkToken, one_time_token_expires_at: linkExpiresAt }
}
