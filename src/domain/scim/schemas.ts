import { foldText } from '#text/normalize-text'

/*
 * The SCIM schemas of a user as data (RFC 7643 sections 4.1, 4.3 and 7): discovery is made of them, and they say which
 * attributes exist, and in which of these case matters.
 */

export const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const EXTENSION = 'urn:ietf:params:scim:schemas:extension:'
export const ENTERPRISE = `${EXTENSION}enterprise:2.0:User`
/** What only HR knows, for providers that are fed by HR. */
export const HR = 'urn:employee-ledger:params:scim:schemas:extension:2.0:User'

type Mutability = 'readOnly' | 'readWrite' | 'writeOnly'

export interface ScimAttribute {
  name: string
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  isMany?: true
  isRequired?: true
  isUnique?: true
  isCaseExact?: true
  mutability?: Mutability
  parts?: readonly ScimAttribute[]
}

const text = (name: string, more: Partial<ScimAttribute> = {}): ScimAttribute => ({ name, type: 'string', ...more })
const flag = (name: string): ScimAttribute => ({ name, type: 'boolean' })
const list = (name: string, parts: ScimAttribute[]): ScimAttribute => {
  return { name, type: 'complex', isMany: true, parts: [...parts, text('type'), flag('primary')] }
}
const values = (name: string) => list(name, [text('value'), text('display')])

const READ_ONLY = { mutability: 'readOnly' } as const

/** What every resource has, in no schema. */
const COMMON: readonly ScimAttribute[] = [
  text('schemas', { isMany: true }),
  text('id', { ...READ_ONLY, isCaseExact: true }),
  text('externalId', { isCaseExact: true }),
  {
    name: 'meta',
    type: 'complex',
    ...READ_ONLY,
    parts: [
      text('resourceType'),
      { name: 'created', type: 'dateTime' },
      { name: 'lastModified', type: 'dateTime' },
      text('location'),
      text('version'),
    ],
  },
]

/** The attributes of each schema. */
export const SCHEMAS: Readonly<Record<string, { name: string; attributes: readonly ScimAttribute[] }>> = {
  [CORE]: {
    name: 'User',
    attributes: [
      text('userName', { isRequired: true, isUnique: true }),
      {
        name: 'name',
        type: 'complex',
        parts: ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'].map(
          (name) => text(name),
        ),
      },
      ...['displayName', 'nickName'].map((name) => text(name)),
      { name: 'profileUrl', type: 'reference' },
      ...['title', 'userType', 'preferredLanguage', 'locale', 'timezone'].map((name) => text(name)),
      flag('active'),
      text('password', { mutability: 'writeOnly' }),
      ...['emails', 'phoneNumbers', 'ims', 'photos'].map(values),
      list(
        'addresses',
        ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'].map((name) => text(name)),
      ),
      {
        name: 'groups',
        type: 'complex',
        isMany: true,
        ...READ_ONLY,
        parts: [text('value', READ_ONLY), text('display', READ_ONLY), text('type', READ_ONLY)],
      },
      ...['entitlements', 'roles', 'x509Certificates'].map(values),
    ],
  },
  [ENTERPRISE]: {
    name: 'Enterprise User',
    attributes: [
      ...['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map((name) => text(name)),
      {
        name: 'manager',
        type: 'complex',
        parts: [text('value'), { name: '$ref', type: 'reference', ...READ_ONLY }, text('displayName', READ_ONLY)],
      },
    ],
  },
  [HR]: {
    name: 'HR User',
    attributes: ['startDate', 'terminationDate', 'location', 'hrId'].map((name) => text(name)),
  },
}

/** Names of attributes are the same in any case (RFC 7643 section 2.1). */
export function isSameName(one: string, other: string): boolean {
  return one === other || foldName(one) === foldName(other)
}

/** More UTF-16 units than the name of anything that is kept has. */
const MAX_NAME = 128

/**
 * The form in which names, and the types of entries, are compared. What is longer than any name counts by its beginning.
 */
export function foldName(name: string): string {
  return foldText(name.slice(0, MAX_NAME))
}

/** An attribute that a path names. */
interface KnownAttribute {
  /** Null for the core schema. */
  urn: string | null
  /** As its schema spells it. */
  name: string
  attribute: ScimAttribute
}

const BY_NAME: ReadonlyMap<string, KnownAttribute> = new Map(
  [
    ...COMMON.map((attribute) => ({ urn: null, name: attribute.name, attribute })),
    ...Object.entries(SCHEMAS).flatMap(([urn, { attributes }]) =>
      attributes.map((attribute) => ({ urn: urn === CORE ? null : urn, name: attribute.name, attribute })),
    ),
  ].map((known) => [keyOf(known.urn, known.name), known]),
)

function keyOf(urn: string | null, name: string) {
  return `${urn ?? ''}:${name}`.toLowerCase()
}

/** Finds an attribute by its name in any case; undefined if its schema has none of this name. */
export function findAttribute(urn: string | null, name: string) {
  return BY_NAME.get(keyOf(urn, name))
}

const URNS: ReadonlyMap<string, string> = new Map(Object.keys(SCHEMAS).map((urn) => [urn.toLowerCase(), urn]))

/** The usual spelling of a schema's URN; null for the core schema, whose name says nothing. */
export function spellUrn(urn: string) {
  const known = URNS.get(urn.toLowerCase()) ?? urn
  return known === CORE ? null : known
}

/** Whether a text is the URN of a schema, as its version before its last part says (RFC 7643 section 10). */
export function isSchemaUrn(text: string) {
  return URNS.has(text.toLowerCase()) || /^urn:.*:\d+\.\d+(?::[a-z]+)?$/i.test(text)
}
