import type { Role } from '../../../domain/company.ts'

/** An item of Company Settings, and who has it. Everybody else neither sees it nor reaches its pages. */
export interface NavigationItem {
  path: string
  label: string
  roles: readonly [Role, ...Role[]]
}

/** The left-side items of Company Settings. */
export const NAVIGATION = {
  bulkUserLogs: { path: '/settings/bulk-user-logs', label: 'Bulk User Logs', roles: ['admin'] },
  apiKeys: { path: '/settings/api-keys', label: 'API keys', roles: ['admin'] },
  usage: { path: '/settings/usage', label: 'Usage', roles: ['admin'] },
  users: { path: '/settings/users', label: 'Users', roles: ['admin'] },
  events: { path: '/settings/events', label: 'Event stream', roles: ['admin', 'auditor'] },
  employees: { path: '/settings/employees', label: 'Employees over time', roles: ['admin', 'auditor'] },
  health: { path: '/settings/health', label: 'System health', roles: ['admin'] },
  company: { path: '/settings/company', label: 'Company', roles: ['admin'] },
} as const satisfies Record<string, NavigationItem>

export function listNavigationItems(role: Role): NavigationItem[] {
  return Object.values<NavigationItem>(NAVIGATION).filter(({ roles }) => roles.includes(role))
}

export const ACCOUNT_PATH = '/account'

/** The page that a user comes to after signing in: the first item of Company Settings, or one's own account. */
export function findHome(role: Role): string {
  return listNavigationItems(role)[0]?.path ?? ACCOUNT_PATH
}
