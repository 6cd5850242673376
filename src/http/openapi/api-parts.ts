import type { ProblemCode } from '../../domain/errors.ts'
import type { HeaderName } from './headers.ts'

/** A part of the API, with what all its routes share. */
export interface ApiPart {
  name: string
  /** The path prefix of its routes. */
  prefix: string
  /** OpenAPI security requirement: the schemes within one object are required together. */
  security: readonly Record<string, string[]>[]
  /** Headers of every response. */
  headers: readonly HeaderName[]
  problems: readonly ProblemCode[]
}

const ANY_ROUTE = ['internal_error', 'unavailable'] as const

const PARTS: readonly ApiPart[] = [
  {
    name: 'Api',
    prefix: '/v1/',
    security: [{ apiId: [], apiKey: [] }],
    headers: ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'],
    problems: ['invalid_credentials', 'rate_limited', ...ANY_ROUTE],
  },
  {
    name: 'Admin',
    prefix: '/admin/v1/',
    security: [{ bearer: [] }],
    headers: ['X-Request-Id'],
    problems: [
      'invalid_credentials',
      'admin_only',
      'role_required',
      'cross_site_request',
      'rate_limited',
      ...ANY_ROUTE,
    ],
  },
  {
    name: 'Audit',
    prefix: '/audit/v1/',
    security: [{ bearer: [] }],
    headers: ['X-Request-Id'],
    problems: ['invalid_credentials', 'role_required', 'cross_site_request', 'rate_limited', ...ANY_ROUTE],
  },
]

const OPEN: ApiPart = { name: 'Open', prefix: '/', security: [], headers: ['X-Request-Id'], problems: [] }
/** Problems that only routes with credentials can have. */
const NEEDS_CREDENTIALS: readonly ProblemCode[] = [
  'invalid_credentials',
  'admin_only',
  'role_required',
  'cross_site_request',
  'key_disabled',
]

/** Finds the part that a route belongs to. The route's own `security` replaces that of the part. */
export function findPart(path: string, security?: readonly Record<string, string[]>[]): ApiPart {
  const part = PARTS.find(({ prefix }) => path.startsWith(prefix)) ?? OPEN
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
      'The cookie of a browser in which a user signed in, named `__Host-session` over https. A browser adds `Origin`.',
  },
}

export const TAGS = [
  {
    name: 'Employees',
    description: 'Create, update and read the employees of the company that the API key belongs to.',
  },
  { name: 'Keys', description: 'The state of an API key and its remaining quota.' },
  { name: 'Admin', description: 'Bulk User Logs and API usage, for company administrators.' },
  { name: 'API keys', description: 'Issue and manage API keys, for company administrators.' },
  { name: 'Uploads', description: 'Upload files of employees, for company administrators.' },
  {
    name: 'Webhooks',
    description:
      'Send events to other systems as they happen, for company administrators. The messages are signed as ' +
      '[Standard Webhooks](https://www.standardwebhooks.com) specifies.',
  },
  { name: 'Erasure', description: 'Erase personal data, for company administrators.' },
  { name: 'Users', description: 'Invite and manage users, for company administrators.' },
  { name: 'Company', description: 'The company and its settings, for company administrators.' },
  { name: 'Tokens', description: 'Tokens that give users access to the admin and audit endpoints.' },
  {
    name: 'Audit',
    description: "The company's ledger, for auditors and administrators: events, proofs and past states of employees.",
  },
]
