import type { ProblemCode } from '#domain/errors'
import type { HeaderName } from './headers.ts'

/** A part of the API, with what all its routes share. */
export interface ApiPart {
  /** The beginning of the names of its responses. */
  name: string
  /** The path prefix of its routes. */
  prefix: string
  /** OpenAPI security requirement: the schemes within one object are required together. */
  security: readonly Record<string, string[]>[]
  /** Headers of every response. */
  headers: readonly HeaderName[]
  problems: readonly ProblemCode[]
}

const ANY_ROUTE = ['rate_limited', 'internal_error', 'unavailable'] as const
const OF_USERS: Omit<ApiPart, 'name' | 'prefix'> = {
  security: [{ bearer: [] }],
  headers: ['X-Request-Id'],
  problems: ['invalid_credentials', 'role_required', 'cross_site_request', ...ANY_ROUTE],
}

const PARTS: readonly ApiPart[] = [
  {
    name: 'Api',
    prefix: '/v1/',
    security: [{ apiId: [], apiKey: [] }],
    headers: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
    problems: ['invalid_credentials', ...ANY_ROUTE],
  },
  { ...OF_USERS, name: 'Admin', prefix: '/admin/v1/', problems: ['admin_only', ...OF_USERS.problems] },
  { ...OF_USERS, name: 'Audit', prefix: '/audit/v1/' },
]

/** Problems that only routes with credentials can have. */
const NEEDS_CREDENTIALS: readonly ProblemCode[] = [
  'invalid_credentials',
  'admin_only',
  'role_required',
  'cross_site_request',
  'key_disabled',
]

/**
 * Finds the part that a route belongs to. The route's own `security` replaces that of the part. Throws if none has it.
 */
export function findPart(path: string, security?: readonly Record<string, string[]>[]) {
  const part = PARTS.find(({ prefix }) => path.startsWith(prefix))
  if (!part) throw new Error(`no part of the API has ${path}`)
  if (security === undefined) return part
  const problems =
    security.length === 0 ? part.problems.filter((code) => !NEEDS_CREDENTIALS.includes(code)) : part.problems
  return { ...part, name: `${part.name}${security.length === 0 ? 'Open' : ''}`, security, problems }
}

export const SECURITY_SCHEMES = {
  apiId: { type: 'apiKey', in: 'header', name: 'x-api-id', description: 'The id of an API key. It is not a secret.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The secret of that key: `el_live_…`.' },
  bearer: { type: 'http', scheme: 'bearer', description: "A company user's token: `el_user_…`." },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description:
      'The cookie of a browser in which a user signed in, named `__Host-session` over https, and with the port ' +
      'behind the name if there is one. A browser adds `Origin`.',
  },
}

/** The sections of the document, and the beginnings of the paths in them. */
const SECTIONS = [
  {
    name: 'Employees',
    paths: ['/v1/employees'],
    description: 'Create, update and read the employees of the company that the API key belongs to.',
  },
  { name: 'Keys', paths: ['/v1/auth'], description: 'The state of an API key and its remaining quota.' },
  {
    name: 'Admin',
    paths: [
      '/admin/v1/bulk-user-logs',
      '/admin/v1/refusals',
      '/admin/v1/attention',
      '/admin/v1/usage',
      '/admin/v1/employees',
    ],
    description: 'Bulk User Logs and API usage, for company administrators.',
  },
  {
    name: 'API keys',
    paths: ['/admin/v1/api-keys', '/admin/v1/secrets'],
    description: 'Issue and manage API keys, for company administrators.',
  },
  {
    name: 'Uploads',
    paths: ['/admin/v1/uploads'],
    description: 'Upload files of employees, for company administrators.',
  },
  {
    name: 'Webhooks',
    paths: ['/admin/v1/webhooks'],
    description:
      'Send events to other systems as they happen, for company administrators. The messages are signed as ' +
      '[Standard Webhooks](https://www.standardwebhooks.com) specifies.',
  },
  {
    name: 'Erasure',
    paths: ['/admin/v1/erasures', '/admin/v1/personal-data-reports'],
    description: 'Erase personal data, for company administrators.',
  },
  {
    name: 'Users',
    paths: ['/admin/v1/users', '/admin/v1/invitations'],
    description: 'Invite and manage users, for company administrators.',
  },
  {
    name: 'Company',
    paths: ['/admin/v1/company'],
    description: 'The company and its settings, for company administrators.',
  },
  {
    name: 'Tokens',
    paths: ['/admin/v1/tokens'],
    description: 'Tokens that give users access to the admin and audit endpoints.',
  },
  {
    name: 'Audit',
    paths: ['/audit/v1'],
    description: "The company's ledger, for auditors and administrators: events, proofs and past states of employees.",
  },
]

export const TAGS = SECTIONS.map(({ name, description }) => ({ name, description }))

/** Finds the tag of a route. Throws an error if its path is in no section. */
export function findTag(path: string) {
  const section = SECTIONS.find(({ paths }) => paths.some((beginning) => path.startsWith(beginning)))
  if (!section) throw new Error(`no section of the API document has ${path}`)
  return section.name
}
