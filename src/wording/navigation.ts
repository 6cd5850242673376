import type { Role } from '#domain/accounts/roles'

/** The groups of Company Settings, in order. */
export const NAVIGATION_GROUPS = ['Activity', 'Access', 'Audit', 'Settings'] as const

/** An item of Company Settings, and the roles that see it and may open its pages. */
export interface NavigationItem {
  path: string
  label: string
  group: (typeof NAVIGATION_GROUPS)[number]
  roles: readonly [Role, ...Role[]]
}

/** The items of Company Settings, in the order of their groups. */
export const NAVIGATION = {
  bulkUserLogs: { path: '/settings/bulk-user-logs', label: 'Bulk User Logs', group: 'Activity', roles: ['admin'] },
  usage: { path: '/settings/usage', label: 'Usage', group: 'Activity', roles: ['admin'] },
  health: { path: '/settings/health', label: 'System health', group: 'Activity', roles: ['admin'] },
  apiKeys: { path: '/settings/api-keys', label: 'API keys', group: 'Access', roles: ['admin'] },
  users: { path: '/settings/users', label: 'Users', group: 'Access', roles: ['admin'] },
  signIn: { path: '/settings/sign-in', label: 'Sign-in', group: 'Access', roles: ['admin'] },
  events: { path: '/settings/events', label: 'Event stream', group: 'Audit', roles: ['admin', 'auditor'] },
  employees: { path: '/settings/employees', label: 'Employees', group: 'Audit', roles: ['admin', 'auditor'] },
  ledger: { path: '/settings/ledger', label: 'Ledger integrity', group: 'Audit', roles: ['admin', 'auditor'] },
  webhooks: { path: '/settings/webhooks', label: 'Webhooks', group: 'Settings', roles: ['admin'] },
  company: { path: '/settings/company', label: 'Company', group: 'Settings', roles: ['admin'] },
} as const satisfies Record<string, NavigationItem>

/** Lists the items that a role may open. */
export function listNavigationItems(role: Role): NavigationItem[] {
  return Object.values<NavigationItem>(NAVIGATION).filter(({ roles }) => roles.includes(role))
}

/** Pages for everybody, about the API. */
export const REFERENCE_PAGES = [
  { path: '/docs', label: 'API reference' },
  { path: '/problems', label: 'Problem codes' },
] as const

export const SEARCH_PATH = '/settings/search'

export const ACCOUNT_PATH = '/account'

/** A page that others are below. */
export type UpperPage = Pick<NavigationItem, 'path' | 'label'>

export const ACCOUNT: UpperPage = { path: ACCOUNT_PATH, label: 'Your account' }

/** Why records and calls were refused, across calls. */
export const REFUSALS: UpperPage = { path: `${NAVIGATION.bulkUserLogs.path}/refusals`, label: 'Refused records' }

/** Names the list that a projection computes, as the navigation does. */
export function nameList(projection: string): string {
  const labels: Record<string, string> = {
    'bulk-user-logs': NAVIGATION.bulkUserLogs.label,
    employees: NAVIGATION.employees.label,
  }
  return labels[projection] ?? projection
}

/** Returns the page after signing in: the first item of Company Settings, or the user's account. */
export function findHome(role: Role): string {
  return listNavigationItems(role)[0]?.path ?? ACCOUNT_PATH
}

/** The page that uploads a file. */
export const UPLOAD_PATH = `${NAVIGATION.bulkUserLogs.path}/upload`
/** Where evidence files are made; a query says what about. */
export const EVIDENCE_PATH = `${NAVIGATION.ledger.path}/evidence`

/** Values of a query string by name; undefined and empty values are omitted. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** Returns `path` if it is a path of the signed-in pages, otherwise an empty string: never another site. */
export function readOwnPath(path: string | undefined): string {
  return path !== undefined && /^\/(?:settings|account)(?:[/?][\x21-\x7e]*)?$/.test(path) ? path : ''
}

/** Builds a path with a query string. */
export function buildUrl(path: string, values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The sign-in page of a company with an identity provider. */
export function companyPath(companyId: string): string {
  return `/sign-in/${encodeURIComponent(companyId)}`
}

/** The page that asks for the password of a user of a company. */
export function passwordPath(companyId: string): string {
  return buildUrl('/sign-in', { with: 'password', company: companyId })
}

/** Builds the path of an employee's page, at a position or now. */
export function buildEmployeeUrl(id: string, position?: number): string {
  return buildUrl(`${NAVIGATION.employees.path}/${encodeURIComponent(id)}`, { at: position })
}

/** Builds the address of the page that uploads a file, as a correction of a failed entry if one is given. */
export function buildUploadUrl(logId?: string): string {
  return buildUrl(UPLOAD_PATH, { log: logId })
}
