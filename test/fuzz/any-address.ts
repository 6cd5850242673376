import fc from 'fast-check'
import { PROBLEM_CODES } from '../../src/pages/reference/problem-texts.ts'
import type { Schema } from '../support/http/schema-fits.ts'
import { scimParameter } from './any-scim-request.ts'
import type { FuzzedRoute } from './fuzzed-routes.ts'
import { literalOf } from './hostile-json.ts'
import { anyThing, CANARY, hostileName, hostileText, placeholder } from './hostile-text.ts'

/* Paths and queries of any request. */

/** Percent-encoded UTF-8 of any content. */
export const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

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

export function pathOf(url: string): fc.Arbitrary<{ target: string; isOdd: boolean }> {
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
  if (name === 'delivery_id') return fc.constant(placeholder('delivery'))
  if (url.includes('/webhooks/')) return fc.constantFrom(placeholder('webhook'), placeholder('their-webhook'))
  if (/\/(?:employees|Users)\//.test(url))
    return fc.constantFrom(placeholder('employee'), placeholder('other-employee'), placeholder('their-employee'))
  if (url.includes('/api-keys/')) return fc.constantFrom(placeholder('key'), placeholder('their-key'))
  if (url.includes('/users/')) return fc.constantFrom(placeholder('user'), placeholder('their-user'))
  if (/\/uploads?\//.test(url)) return fc.constantFrom(placeholder('upload'), placeholder('their-upload'))
  if (url.includes('/tokens/')) return fc.constant(placeholder('token'))
  return oddSegment
}

export const isReading = (method: string) => method === 'GET' || method === 'HEAD'

/** Query parameters that the pages read. */
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

export function queryOf({ method, kind, schema }: FuzzedRoute): fc.Arbitrary<string> {
  const properties = ((schema.querystring as Schema | undefined)?.['properties'] ?? {}) as Record<string, Schema>
  const known = Object.entries(properties).map(([name, one]) =>
    fc.tuple(fc.constant(name), fc.oneof(unquoted(literalOf(one)), hostileText)),
  )
  if (kind === 'scim') known.push(scimParameter)
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
    'all_or_none=false&validate_only=true',
    'all_or_none=FALSE',
    'link_by_email=true',
    'all_or_none=false&all_or_none=true',
    'q=\u00ff',
    'constructor.prototype.x=1',
  )
  return fc.oneof(
    // A query can get a call refused before anything else is looked at.
    { weight: isReading(method) ? 8 : 40, arbitrary: fc.constant('') },
    { weight: isReading(method) ? 0 : 16, arbitrary: fc.constant('?all_or_none=false') },
    { weight: 8, arbitrary: parameters.map((list) => (list.length === 0 ? '' : `?${list.join('&')}`)) },
    { weight: 1, arbitrary: fc.tuple(parameters, odd).map(([list, more]) => `?${[...list, more].join('&')}`) },
  )
}

/** The string in a JSON text, or the text itself. */
function unquoted(literals: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return literals.map((literal) => (literal.startsWith('"') ? (JSON.parse(literal) as string) : literal))
}
