import type { Role } from '../../../domain/accounts/roles.ts'

/** An item of Company Settings, and the roles that see it and may open its pages. */
export interface NavigationItem {
  path: string
  label: string
  roles: readonly [Role, ...Role[]]
}

/** The items of Company Settings, in order. */
export const NAVIGATION = {
  bulkUserLogs: { path: '/settings/bulk-user-logs', label: 'Bulk User Logs', roles: ['admin'] },
  apiKeys: { path: '/settings/api-keys', label: 'API keys', roles: ['admin'] },
  webhooks: { path: '/settings/webhooks', label: 'Webhooks', roles: ['admin'] },
  usage: { path: '/settings/usage', label: 'Usage', roles: ['admin'] },
  users: { path: '/settings/users', label: 'Users', roles: ['admin'] },
  signIn: { path: '/settings/sign-in', label: 'Sign-in', roles: ['admin'] },
  events: { path: '/settings/events', label: 'Event stream', roles: ['admin', 'auditor'] },
  employees: { path: '/settings/employees', label: 'Employees over time', roles: ['admin', 'auditor'] },
  ledger: { path: '/settings/ledger', label: 'Ledger integrity', roles: ['admin', 'auditor'] },
  health: { path: '/settings/health', label: 'System health', roles: ['admin'] },
  company: { path: '/settings/company', label: 'Company', roles: ['admin'] },
} as const satisfies Record<string, NavigationItem>

/** Lists the items that a role may open. */
export function listNavigationItems(role: Role): NavigationItem[] {
  return Object.values<NavigationItem>(NAVIGATION).filter(({ roles }) => roles.includes(role))
}

export const ACCOUNT_PATH = '/account'

/** Returns the page after signing in: the first item of Company Settings, or the user's account. */
export function findHome(role: Role): string {
  return listNavigationItems(role)[0]?.path ?? ACCOUNT_PATH
}
