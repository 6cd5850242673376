import { html } from 'hono/html'
import { type Role, ROLES } from '../../../domain/company.ts'
import type { UserRecord } from '../../../accounts/users/users.ts'
import { userStatus } from '../../admin/user-schemas.ts'
import { badge } from '../parts/badges.ts'
import { choice, type FormProblem } from '../parts/form.ts'
import type { Html } from '../parts/page.ts'

/** An erased user has neither name nor address. */
export function isErased({ email }: UserRecord): boolean {
  return email === ''
}

/** What a user is called. */
export function shownName(user: UserRecord): string {
  return isErased(user) ? 'An erased user' : user.name
}

/** How a user stands, as a badge. */
export function userBadge(user: UserRecord): Html {
  switch (userStatus(user)) {
    case 'active':
      return badge('good', 'Active')
    case 'pending':
      return badge('warn', 'Invited')
    case 'removed':
      return badge('plain', isErased(user) ? 'Erased' : 'Removed')
  }
}

const RIGHTS: Record<Role, string> = {
  admin: 'admin: everything',
  auditor: 'auditor: the event stream',
  member: 'member: nothing but the own account',
}

/** A list of the roles to choose from. */
export function roleChoice(value: string, problem: FormProblem): Html {
  const options = ROLES.map((role) => ({ value: role, label: RIGHTS[role] }))
  return html`${choice({ name: 'role', label: 'Role', value, options }, problem)}`
}
