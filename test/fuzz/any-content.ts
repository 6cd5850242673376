import type { Static } from '@sinclair/typebox'
import fc from 'fast-check'
import type { ChangeCompanyBody } from '../../src/api/admin/company.ts'
import type { Schema } from '../support/http/schema-fits.ts'
import { TYPE as SCIM_TYPE } from '../support/scim-client.ts'
import { encoded, isReading } from './any-address.ts'
import { scimBody } from './any-scim-request.ts'
import type { FuzzedRoute } from './fuzzed-routes.ts'
import type { Piece } from './hostile-json.ts'
import { employeesBody, literalOf, sentBody } from './hostile-json.ts'
import { CANARY, hostileName, hostileText } from './hostile-text.ts'

/* Bodies of any request, with their types. */

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

export function contentOf({ method, kind, schema }: FuzzedRoute): fc.Arbitrary<Content> {
  const text =
    kind === 'page'
      ? formText
      : kind === 'scim'
        ? scimBody(method)
        : schema.documentedBody !== undefined
          ? employeesBody
          : schema.body === undefined
            ? fc.constantFrom('{}', '', 'null', '{"a":1}')
            : literalOf(schema.body as Schema)
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant(typed(usualTypeOf(kind))) },
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

/** The media type in which a kind of route reads a body. */
export function usualTypeOf(kind: FuzzedRoute['kind']): string {
  if (kind === 'page') return 'application/x-www-form-urlencoded'
  return kind === 'scim' ? SCIM_TYPE : 'application/json'
}

/** The fields of all forms, with values that most of them accept. */
const FORM_FIELDS = {
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
  response: ['{}', '{"id":"AA","rawId":"AA","type":"public-key","response":{"userHandle":"AA"}}'],
  code: ['7KQ2-X9RM-7KQ2-X9RM-7KQ2-X9RM'],
  end: ['others', 'all'],
  seen: ['0', '1', '2', '3', '4', '5'],
  time_zone: ['Asia/Tokyo', 'UTC'],
  country: ['DE', ''],
  projection: ['employees', 'bulk-user-logs'],
} satisfies Record<keyof Static<typeof ChangeCompanyBody>, string[]> & Record<string, string[]>

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
