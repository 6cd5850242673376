import { html } from 'hono/html'
import { type Role, ROLES } from '../../../domain/company.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { userStatus } from '../../admin/user-schemas.ts'
import { renderBadge } from '../parts/badges.ts'
import { renderChoice, type FormProblem } from '../parts/form.ts'
import type { Html } from '../parts/page.ts'

/** An erased user has neither name nor address. */
export function isErased({ email }: UserRecord): boolean {
  return email === ''
}

/** What a user is called. */
export function formatUserName(user: UserRecord): string {
  return isErased(user) ? 'An erased user' : user.name
}

/** How a user stands, as a badge. */
export function renderUserStatus(user: UserRecord): Html {
  switch (userStatus(user)) {
    case 'active':
      return renderBadge('good', 'Active')
    case 'pending':
      return renderBadge('warn', 'Invited')
    case 'removed':
      return renderBadge('plain', isErased(user) ? 'Erased' : 'Removed')
  }
}

const RIGHTS: Record<Role, string> = {
  admin: 'admin: everything',
  auditor: 'auditor: the event stream',
  member: 'member: nothing but the own account',
}

/** A list of the roles to choose from. */
export function renderRoleChoice(value: string, problem: FormProblem): Html {
  const options = ROLES.map((role) => ({ value: role, label: RIGHTS[role] }))
  return html`${renderChoice({ name: 'role', label: 'Role', value, options }, problem)}`
}
