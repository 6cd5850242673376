import fc from 'fast-check'
import { PROBLEM_CODES } from '../../src/http/pages/reference/problem-texts.ts'
import type { Schema } from '../support/http/schema-fits.ts'
import type { FuzzedRoute } from './fuzzed-routes.ts'
import type { Piece } from './hostile-json.ts'
import { employeesBody, literalOf, sentBody } from './hostile-json.ts'
import { anyThing, CANARY, hostileName, hostileText, placeholder } from './hostile-text.ts'
import type { Caller } from './world.ts'
import { CALLERS } from './world.ts'

/** A request before it is sent: things of the world stand in it by their names. */
export interface FuzzedRequest {
  method: string
  /** The route that is meant; an odd address may lead elsewhere. */
  url: string
  kind: FuzzedRoute['kind']
  caller: Caller
  /** Path and query as they go out, in Latin-1. */
  target: string
  /** The address is not one of the route that is meant. */
  isOdd: boolean
  headers: [name: string, value: string][]
  body: readonly Piece[] | null
}

/** Any request to any of these routes; the writing calls more often, and those that only say 405 less often. */
export function anyRequest(routes: readonly FuzzedRoute[]): fc.Arbitrary<FuzzedRequest> {
  const [own, others] = [true, false].map((isOwn) => routes.filter((route) => route.isOwn === isOwn))
  const calls = own!.filter(({ schema }) => schema.judgedBody !== undefined)
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

/** Mostly somebody who is let in. */
function callerOf(kind: FuzzedRoute['kind']): fc.Arbitrary<Caller> {
  const usual: Record<FuzzedRoute['kind'], Caller[]> = {
    public: ['key'],
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

/** Percent-encoded from UTF-8, whatever it holds. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

const ODD_SEGMENTS = [
  '%ff',
  '%00',
  '%',
  '%2',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '..',
  '.',
  '%2e%2e%2f',
  '..%5c',
  'a/b',
  '',
  '\u00e9',
  '%F0%9F%99%82',
  ';v=1',
  'x'.repeat(3_000),
  'x'.repeat(17_000),
  '%61'.repeat(1_000),
  CANARY,
  '~',
  "'",
  '*',
  ':id',
  '%25ff',
  '\\',
]

const oddSegment = fc.oneof(anyThing, fc.constantFrom(...ODD_SEGMENTS), hostileText.map(encoded))

function pathOf(url: string): fc.Arbitrary<Pick<FuzzedRequest, 'target' | 'isOdd'>> {
  const segments = url.split('/').map((segment) => segmentOf(url, segment))
  const target = fc.tuple(...segments).map((parts) => parts.join('/'))
  const path = target.map((whole) => ({
    target: whole,
    isOdd: whole.split('/').length !== segments.length || whole.endsWith('/'),
  }))
  const odd = fc
    .tuple(target, fc.constantFrom('/', '//', '/.', '/%2e', '%20', '%00', '.csv', '#x', '/../x'))
    .map((parts) => ({ target: parts.join(''), isOdd: true }))
  return fc.oneof({ weight: 40, arbitrary: path }, { weight: 1, arbitrary: odd })
}

function segmentOf(url: string, segment: string): fc.Arbitrary<string> {
  const [, name] = /^:(\w+)/.exec(segment) ?? (segment === '*' ? [segment, '*'] : [])
  if (name === undefined) return fc.constant(segment)
  const end = segment.slice(name.length + 1)
  return fc
    .oneof({ weight: 4, arbitrary: usualSegment(url, name) }, { weight: 1, arbitrary: oddSegment })
    .map((value) => value + end)
}

function usualSegment(url: string, name: string): fc.Arbitrary<string> {
  if (name === 'log_id') return fc.constantFrom(placeholder('log'), placeholder('their-log'))
  if (name === 'code') return fc.constantFrom(...PROBLEM_CODES)
  if (name === 'index' || name === 'position')
    return fc.oneof(fc.nat(20).map(String), fc.constantFrom('-1', '01', '1.5', '9007199254740993', '1e3'))
  if (url.includes('/employees/'))
    return fc.constantFrom(placeholder('employee'), placeholder('other-employee'), placeholder('their-employee'))
  if (url.includes('/api-keys/')) return fc.constantFrom(placeholder('key'), placeholder('their-key'))
  if (url.includes('/users/')) return fc.constantFrom(placeholder('user'), placeholder('their-user'))
  if (url.includes('/tokens/')) return fc.constant(placeholder('token'))
  return oddSegment
}

const isReading = (method: string) => method === 'GET' || method === 'HEAD'

/** What the pages read from their addresses. */
const PAGE_QUERY = [
  'cursor',
  'after',
  'before',
  'limit',
  'status',
  'operation',
  'from',
  'to',
  'key',
  'employee',
  'q',
  'type',
  'call',
  'position',
  'next',
  'token',
  'done',
  'email',
  'tz',
]

function queryOf({ method, kind, schema }: FuzzedRoute): fc.Arbitrary<string> {
  const properties = ((schema.querystring as Schema | undefined)?.['properties'] ?? {}) as Record<string, Schema>
  const known = Object.entries(properties).map(([name, one]) =>
    fc.tuple(fc.constant(name), fc.oneof(unquoted(literalOf(one)), hostileText)),
  )
  const names = kind === 'page' ? fc.constantFrom(...PAGE_QUERY) : hostileName
  const parameter = fc.oneof(...known.map((arbitrary) => ({ weight: 3, arbitrary })), {
    weight: kind === 'page' ? 6 : 1,
    arbitrary: fc.tuple(names, hostileText),
  })
  const parameters = fc.array(
    parameter.map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
    { maxLength: 3 },
  )
  const odd = fc.constantFrom(
    '%ff',
    '%',
    'a[]=1&a[x]=2',
    '__proto__[x]=1',
    '__proto__=1',
    '&&&',
    '=',
    'limit=1&limit=2',
    'cursor',
    'q=%00',
    'q=%ED%A0%80',
    'q=%c0%af',
    '?',
    `q=${'x'.repeat(5_000)}`,
    'q='.repeat(2_000),
    'validate_only=true',
    'validate_only=TRUE',
    'q=\u00ff',
    'constructor.prototype.x=1',
  )
  return fc.oneof(
    // A call that is refused for its query alone is never looked at further.
    { weight: isReading(method) ? 8 : 40, arbitrary: fc.constant('') },
    { weight: 8, arbitrary: parameters.map((list) => (list.length === 0 ? '' : `?${list.join('&')}`)) },
    { weight: 1, arbitrary: fc.tuple(parameters, odd).map(([list, more]) => `?${[...list, more].join('&')}`) },
  )
}

/** The text that a JSON text stands for, or what it is. */
function unquoted(literals: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return literals.map((literal) => (literal.startsWith('"') ? (JSON.parse(literal) as string) : literal))
}

/** A value of a header: its bytes, without those that no client can put into one. */
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

/** A header that programs read; the same one may come twice. */
const anyHeader: fc.Arbitrary<[string, string]> = fc
  .constantFrom(...Object.entries(HEADER_VALUES))
  .chain(([name, values]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: headerValue }),
    ),
  )

interface Content {
  type: [string, string][]
  body: readonly Piece[] | null
}

const typed = (type: string): [string, string][] => [['content-type', type]]
const NONE: Content = { type: [], body: null }

const ODD_TYPES = [
  'application/merge-patch+json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;charset="x',
  'application/json;',
  'application/jsonx',
  'application/json, application/json',
  'text/plain',
  'text/html',
  'application/xml',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  '',
  ' ',
  ';',
  'x',
  '\u00ff',
  `text/${CANARY}`,
]

function contentOf({ method, kind, schema }: FuzzedRoute): fc.Arbitrary<Content> {
  const text =
    kind === 'page'
      ? formText
      : schema.judgedBody !== undefined
        ? employeesBody
        : schema.body === undefined
          ? fc.constantFrom('{}', '', 'null', '{"a":1}')
          : literalOf(schema.body as Schema)
  const usualType = kind === 'page' ? 'application/x-www-form-urlencoded' : 'application/json'
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant(typed(usualType)) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_TYPES).map(typed) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<[string, string][][]>([], [...typed('application/json'), ...typed('text/plain')]),
    },
  )
  const some = fc.record({ type, body: sentBody(text) })
  return fc.oneof(
    { weight: isReading(method) ? 20 : 1, arbitrary: fc.constant(NONE) },
    { weight: isReading(method) ? 1 : 12, arbitrary: some },
  )
}

/** Fields of all forms, with values that are good for most of them. */
const FORM_FIELDS: Record<string, string[]> = {
  email: ['new@example.com', 'spare.1@example.com'],
  password: ['a long enough password'],
  repeated: ['a long enough password'],
  current: ['a long enough password'],
  token: ['{{invitation}}'],
  next: ['/account', '//evil.example', 'https://evil.example'],
  company: ['{{company}}'],
  name: ['Ann', 'HR sync'],
  role: ['admin', 'auditor', 'member'],
  quota_limit: ['5', '1000'],
  refresh_period: ['daily', 'monthly'],
  overlap_seconds: ['0', '3600'],
  expires_in_days: ['1', '365'],
  scope: ['', 'audit'],
  end: ['others', 'all'],
  seen: ['0', '1', '2', '3', '4', '5'],
  time_zone: ['Asia/Tokyo', 'UTC'],
  projection: ['employees', 'bulk-user-logs'],
}

const formField = Object.entries(FORM_FIELDS).map(([name, good]) =>
  fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...good).map((value) => `${name}=${encoded(value)}`) },
    { weight: 2, arbitrary: hostileText.map((value) => `${name}=${encoded(value)}`) },
    { weight: 1, arbitrary: fc.constantFrom('', `${name}=x&${name}=y`, `${name}[x]=1`, `${name}=%ff`, name) },
  ),
)

const formText = fc
  .tuple(
    ...formField,
    fc.oneof(
      fc.constant(''),
      hostileName.map((name) => `${encoded(name)}=1`),
    ),
  )
  .map((fields) => fields.filter((field) => field !== '').join('&'))
