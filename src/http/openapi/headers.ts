/** A response header, or a request header that is a parameter, in OpenAPI form. */
interface Described {
  description: string
  schema: object
  example?: string | number
}

const INTEGER = { type: 'integer', minimum: 0 }
const TEXT = { type: 'string' }

const HEADERS = {
  'X-Request-Id': {
    description:
      "The id of the request: the client's own if it has 1 to 64 letters, digits, `.`, `_` or `-`; otherwise " +
      'a new one.',
    schema: TEXT,
    example: '7a165430-d4e7-4ff0-816e-44d0adc6327e',
  },
  'RateLimit-Policy': {
    description: "The key's quota: `q` requests in a window of `w` seconds.",
    schema: TEXT,
    example: '"quota";q=10000;w=2592000',
  },
  RateLimit: {
    description: "The key's remaining quota: `r` requests, and `t` seconds until the window ends.",
    schema: TEXT,
    example: '"quota";r=9999;t=864000',
  },
  'X-Ledger-Position': {
    description:
      "The position of the call's last event in the company's ledger. Send it as `min_position` to read " +
      'your own write.',
    schema: { type: 'integer', minimum: 1 },
    example: 42,
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of the first call with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description: 'The version of the employee, for `If-Match` and `If-None-Match`.',
    schema: TEXT,
    example: '"1"',
  },
  Location: { description: 'The path of the new resource.', schema: TEXT },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: INTEGER, example: 1 },
  'Accept-Encoding': {
    description: '`identity` if the body was refused because it was compressed.',
    schema: { type: 'string', enum: ['identity'] },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: TEXT },
} satisfies Record<string, Described>

export type HeaderName = keyof typeof HEADERS

const PARAMETERS = {
  'Idempotency-Key': {
    description:
      'Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new ' +
      'operation. A retry with the same key and the same request returns the first response and has no second ' +
      'effect. Use a random value without personal data: the service remembers used keys forever.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: 'nightly-2026-11-20-batch-1',
  },
  'If-Match': {
    description:
      'Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.',
    schema: TEXT,
    example: '"1"',
  },
  'If-None-Match': {
    description:
      'Answer with the employee only if it has another version than this one: the `ETag` of an earlier response.',
    schema: TEXT,
    example: '"1"',
  },
} satisfies Record<string, Described>

export type ParameterName = keyof typeof PARAMETERS

export const HEADER_COMPONENTS: Record<string, Described> = HEADERS

/** Request headers as components of the document, by component name. */
export const PARAMETER_COMPONENTS = Object.fromEntries(
  Object.entries(PARAMETERS).map(([name, described]) => {
    return [formatComponentName(name as ParameterName), { name, in: 'header', ...described }]
  }),
)

/** Refers to response headers as components of the document, by name. */
export function referToHeaders(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Refers to a request header as a component of the document. */
export function referToParameter(name: ParameterName) {
  return { $ref: `#/components/parameters/${formatComponentName(name)}` }
}

function formatComponentName(name: ParameterName) {
  return name.replaceAll('-', '')
}
