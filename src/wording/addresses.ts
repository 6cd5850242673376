import { NAVIGATION, UPLOAD_PATH } from './navigation.ts'

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
