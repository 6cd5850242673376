import { type Role, ROLES } from '../../domain/accounts/roles.ts'
import { getUserStatus, type UserRecord } from '../../accounts/users/users.ts'
import { renderBadge } from '../parts/badges.ts'
import type { Html } from '../parts/html.ts'

/** Whether the user is erased: an erased user has no email. */
export function isErased({ email }: UserRecord): boolean {
  return email === ''
}

/** Returns the display name of a user. */
export function formatUserName(user: UserRecord): string {
  return isErased(user) ? 'Erased user' : user.name
}

/** Says how a user signs in. */
export function formatWaysIn({ hasPassword, hasPasskeys, identity, removedAt }: UserRecord): string {
  const ways = [
    ...(identity === null ? [] : ['identity provider']),
    ...(hasPassword ? ['password'] : []),
    ...(hasPasskeys ? ['passkey'] : []),
  ]
  return ways.join(', ') || (removedAt === null ? 'nothing yet' : 'nothing')
}

/** Renders the status of a user as a badge. */
export function renderUserStatus(user: UserRecord): Html {
  switch (getUserStatus(user)) {
    case 'active':
      return renderBadge('good', 'Active')
    case 'pending':
      return renderBadge('warn', 'Invited')
    case 'removed':
      return renderBadge('plain', isErased(user) ? 'Erased' : 'Removed')
  }
}

const RIGHTS: Record<Role, string> = {
  admin: 'admin: full access',
  auditor: 'auditor: event stream, employees over time, and ledger integrity',
  member: 'member: own account only',
}

/** The choice of a role. */
export const ROLE_CHOICE = {
  name: 'role',
  label: 'Role',
  options: ROLES.map((role) => ({ value: role, label: RIGHTS[role] })),
}
