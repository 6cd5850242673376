import fc from 'fast-check'
import { pathOf, queryOf } from './any-address.ts'
import { contentOf } from './any-content.ts'
import type { FuzzedRoute } from './fuzzed-routes.ts'
import type { Piece } from './hostile-json.ts'
import { CANARY, hostileText } from './hostile-text.ts'
import type { Caller } from './world.ts'
import { CALLERS } from './world.ts'

/** A request before it is sent, with placeholders for things of the world. */
export interface FuzzedRequest {
  method: string
  /** The intended route; an odd address may lead elsewhere. */
  url: string
  kind: FuzzedRoute['kind']
  caller: Caller
  /** The path and query as sent, in Latin-1. */
  target: string
  /** The address does not match the intended route. */
  isOdd: boolean
  headers: [name: string, value: string][]
  body: readonly Piece[] | null
}

/** Any request to any of these routes. Writes are more frequent, and routes that only answer 405 less. */
export function anyRequest(routes: readonly FuzzedRoute[]): fc.Arbitrary<FuzzedRequest> {
  const [own, others] = [true, false].map((isOwn) => routes.filter((route) => route.isOwn === isOwn))
  const calls = own!.filter(({ schema, kind }) => schema.documentedBody !== undefined || kind === 'scim')
  const requests = new Map(routes.map((route) => [route, requestTo(route)]))
  return fc
    .oneof(
      { weight: 10, arbitrary: fc.constantFrom(...own!) },
      { weight: 4, arbitrary: fc.constantFrom(...calls) },
      { weight: 1, arbitrary: fc.constantFrom(...others!) },
    )
    .chain((route) => requests.get(route)!)
}

function requestTo(route: FuzzedRoute): fc.Arbitrary<FuzzedRequest> {
  const { method, url, kind } = route
  return fc
    .record({
      caller: callerOf(kind),
      path: pathOf(url),
      query: queryOf(route),
      headers: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(anyHeader, { maxLength: 3 }) },
      ),
      content: contentOf(route),
    })
    .map(({ caller, path, query, headers, content: { type, body } }) => {
      return { method, url, kind, caller, ...path, target: path.target + query, headers: [...type, ...headers], body }
    })
}

/** Usually a caller who is let in. */
function callerOf(kind: FuzzedRoute['kind']): fc.Arbitrary<Caller> {
  const usual: Record<FuzzedRoute['kind'], Caller[]> = {
    public: ['key'],
    scim: ['provider'],
    admin: ['admin', 'admin', 'admin session'],
    audit: ['auditor', 'auditor', 'admin', 'auditor session', 'narrowed token'],
    page: ['admin session', 'admin session', 'auditor session', 'member session'],
    open: ['nobody'],
  }
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...usual[kind]) },
    { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
  )
}

/** A header's value: its bytes, without those that no client can send. */
const headerValue = hostileText.map((text) =>
  Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 3_000),
)

const HEADER_VALUES: Record<string, string[]> = {
  'if-match': ['*', '"1"', 'W/"1"', '"1", "2"', '"', '"x" , ', `"${'9'.repeat(400)}"`],
  'if-none-match': ['*', '"1"', 'W/"1"'],
  'idempotency-key': ['one', 'two', 'three', '"quoted"', 'with space', 'x'.repeat(256), ''],
  'last-event-id': ['MTo1', 'MTow', '{{cursor}}', '0', '-1', ''],
  'x-request-id': ['mine', 'x'.repeat(65), 'a@b', 'with space', ''],
  authorization: ['Bearer', 'Bearer ', 'Bearer x', 'Basic eDp5', 'bearer  x', `Bearer ${CANARY}`],
  cookie: [
    'session=x',
    'session=',
    '__Host-session=x',
    'session=x; session=y',
    ';;=;',
    '__proto__=1',
    `session=${CANARY}`,
    'session=%ff',
    'session="x',
    'a=b; '.repeat(200),
  ],
  accept: ['application/json', 'text/html', 'text/event-stream', '*/*;q=x', ''],
  'accept-encoding': ['gzip', 'gzip;q=0', 'br, gzip;q=0.5', 'identity', '*', 'gzip;q=x'],
  'content-encoding': ['gzip', 'br', 'x'],
  'sec-fetch-site': ['cross-site', 'none', 'same-origin', 'x'],
  'sec-fetch-mode': ['cors', 'navigate', 'x'],
  'sec-fetch-dest': ['document', 'iframe', 'x'],
  origin: ['null', 'http://evil.example', 'x', ''],
  referer: [`http://evil.example/${CANARY}`],
  'x-forwarded-for': ['127.0.0.1', CANARY],
  'x-http-method-override': ['DELETE', 'PATCH'],
  range: ['bytes=0-1', 'bytes=-1', 'x'],
  'x-api-id': ['x', '{{key}}', '{{their-key}}'],
  'x-api-key': ['x', `el_live_${'0'.repeat(49)}`],
  ['__proto__']: ['x'],
  constructor: ['x'],
}

/** A header that programs read, possibly twice. */
const anyHeader: fc.Arbitrary<[string, string]> = fc
  .constantFrom(...Object.entries(HEADER_VALUES))
  .chain(([name, values]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: headerValue }),
    ),
  )
