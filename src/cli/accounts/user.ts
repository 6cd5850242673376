import { newId } from '#ledger/new-id'
import {
  changeUserRole,
  removeUser,
  resetUserPassword,
  inviteCompanyUser,
  type UserWithLink,
  addUser,
} from '#accounts/users/change-user'
import { eraseUser } from '#personal-data/erase-user'
import { issueUserToken, revokeUserToken } from '#accounts/users/user-tokens'
import { findSoleScope, type Role, type TokenScope } from '#domain/accounts/roles'
import { getUserStatus, listUsers, type UserRecord } from '#accounts/users/users'
import { reportUser } from '#personal-data/report-user'
import { confirm } from '../terminal/confirm.ts'
import { formatLines, say } from '../terminal/print.ts'
import { withStore } from '../terminal/with-store.ts'
import {
  listNewest,
  changeAndNotify,
  changeAsOperator,
  type CompanyOptions,
  type ReportOptions,
  writeReport,
} from './operator.ts'

interface UserOptions extends CompanyOptions {
  user: string
}

type UserDetails = { email: string; name: string; role: Role }

/** `user add`: adds a user with a password and an access token. */
export async function addCompanyUser({ company: companyId, email, name, role }: CompanyOptions & UserDetails) {
  return withStore(({ store: { pool } }) => addUser({ pool, newId }, { companyId, email, name, role }))
}

/** `user invite`: adds a user without a password, and issues a one-time token to set one, which is emailed too. */
export async function inviteUser({ company, email, name, role }: CompanyOptions & UserDetails) {
  const person = { email, name, role }
  return describeUserAndLink(await changeAndNotify(company, inviteCompanyUser, person))
}

/** `user list`: lists the users of a company. */
export async function listCompanyUsers({ company }: CompanyOptions) {
  const users = await withStore(({ store: { db } }) =>
    listNewest('users', (limit) => listUsers(db, company, { limit })),
  )
  return users.map(describeUser)
}

/** `user role`: changes a user's role, effective immediately. */
export async function changeRole({ company, user, role }: UserOptions & { role: Role }) {
  const changed = await changeAsOperator(company, changeUserRole, user, role)
  return describeUser(changed.user)
}

/** `user reset`: issues a one-time token to set a new password. */
export async function resetUser({ company, user }: UserOptions) {
  return describeUserAndLink(await changeAndNotify(company, resetUserPassword, user))
}

/** `user remove`: removes a user and revokes their tokens. */
export async function removeCompanyUser({ company, user }: UserOptions) {
  const removed = await changeAsOperator(company, removeUser, user)
  return describeUser(removed.user)
}

/** `user report`: writes what is held about a user. */
export async function reportCompanyUser(options: ReportOptions & { user: string }) {
  await writeReport(options, reportUser, options.user)
}

/** `user erase`: erases the personal data of a removed user. */
export async function eraseCompanyUser({ company, user, yes }: UserOptions & { yes?: boolean }) {
  await confirm("This erases the user's name, email address, and tokens.", yes)
  const erased = await changeAsOperator(company, eraseUser, user)
  return describeUser(erased.user)
}

/** `token issue`: issues an access token to a user. */
export async function issueToken({
  company,
  user,
  name,
  days,
  scope,
}: UserOptions & { name: string; days: number; scope?: TokenScope[] }) {
  const requestedToken = { userId: user, name, expiresInDays: days, scopes: scope ?? null }
  const { token, secret } = await changeAndNotify(company, issueUserToken, requestedToken)
  const { id, name: named, scopes, expiresAt } = token
  const issued = { token_id: id, name: named, scopes, token: secret, expires_at: expiresAt }
  // JSON has had `scope` since 1.1.0.
  return say({ ...issued, scope: findSoleScope(scopes) }, formatLines(issued))
}

/** `token revoke`: revokes an access token. */
export async function revokeToken({ company, token }: CompanyOptions & { token: string }) {
  await changeAsOperator(company, revokeUserToken, token)
  return say({ token_id: token, revoked: true }, `revoked ${token}\n`)
}

function describeUser(user: UserRecord) {
  const { id, email, name, role, hasPasskeys, createdAt } = user
  const status = getUserStatus(user)
  return { user_id: id, email, name, role, status, has_passkeys: hasPasskeys, created_at: createdAt }
}

function describeUserAndLink({ user, linkToken, linkExpiresAt, isEmailed }: UserWithLink) {
  const link = { one_time_token: linkToken, one_time_token_expires_at: linkExpiresAt, emailed: isEmailed }
  return { ...describeUser(user), ...link }
}
