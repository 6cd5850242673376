import type { ProblemCode } from '../../domain/errors.ts'
import type { HeaderName } from './headers.ts'

/** A part of the API: what holds for all its routes, so that no route has to say it. */
export interface ApiPart {
  name: string
  /** What the paths of its routes begin with. */
  prefix: string
  /** The security requirement of OpenAPI: all schemes of one object together. */
  security: readonly Record<string, string[]>[]
  /** Headers of every answer. */
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
/** What nobody proves, nobody can be refused for. */
const NEEDS_CREDENTIALS: readonly ProblemCode[] = [
  'invalid_credentials',
  'admin_only',
  'role_required',
  'cross_site_request',
  'key_disabled',
]

/** The part that a route belongs to; its own `security` replaces that of the part. */
export function partOf(path: string, security?: readonly Record<string, string[]>[]): ApiPart {
  const part = PARTS.find(({ prefix }) => path.startsWith(prefix)) ?? OPEN
  if (security === undefined) return part
  const problems =
    security.length === 0 ? part.problems.filter((code) => !NEEDS_CREDENTIALS.includes(code)) : part.problems
  return { ...part, name: `${part.name}${security.length === 0 ? 'Open' : ''}`, security, problems }
}

export const SECURITY_SCHEMES = {
  apiId: { type: 'apiKey', in: 'header', name: 'x-api-id', description: 'The id of an API key. It is no secret.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The secret of that key: `el_live_…`.' },
  bearer: { type: 'http', scheme: 'bearer', description: "A company user's token: `el_user_…`." },
}

export const TAGS = [
  {
    name: 'Employees',
    description: 'Create, update and read the employees of the company that the API key belongs to.',
  },
  { name: 'Keys', description: 'What an API key is and what is left of its quota.' },
  { name: 'Admin', description: 'Bulk User Logs, and the use of the API, for administrators of the company.' },
  { name: 'API keys', description: 'The lives of API keys, for administrators of the company.' },
  { name: 'Erasure', description: 'Forgetting a person, for administrators of the company.' },
  { name: 'Users', description: 'The users of the company, for its administrators.' },
  { name: 'Company', description: 'The company itself and its settings, for its administrators.' },
  { name: 'Tokens', description: 'The tokens with which users come to the admin and audit endpoints.' },
  {
    name: 'Audit',
    description: "The company's ledger, for its auditors and administrators: events, proofs, employees as they were.",
  },
]
