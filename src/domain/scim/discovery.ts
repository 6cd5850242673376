import { CORE, SCHEMAS, type ScimAttribute } from './schemas.ts'

/* What a client can find out about the service without credentials (RFC 7644 section 4). Nothing in it is null. */

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:'

/** The most users of a page. */
export const MAX_COUNT = 200

/** A page of a list (RFC 7644 section 3.4.2). `itemsPerPage` is the number of those that are on it. */
export function renderList(resources: readonly object[], total = resources.length, startIndex = 1) {
  return { schemas: [LIST], totalResults: total, startIndex, itemsPerPage: resources.length, Resources: resources }
}

export function renderConfig(base: string) {
  const [isSupported, isNot] = [{ supported: true }, { supported: false }]
  return {
    schemas: [`${SCHEMA}ServiceProviderConfig`],
    patch: isSupported,
    bulk: { ...isNot, maxOperations: 0, maxPayloadSize: 0 },
    filter: { ...isSupported, maxResults: MAX_COUNT },
    changePassword: isNot,
    sort: isNot,
    etag: isSupported,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The id and the secret of an API key with the scope scim, joined by a dot',
        primary: true,
      },
      { type: 'httpbasic', name: 'HTTP Basic', description: 'The id and the secret of such a key' },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function renderResourceTypes(base: string) {
  const extensions = Object.keys(SCHEMAS).filter((urn) => urn !== CORE)
  return [
    {
      schemas: [`${SCHEMA}ResourceType`],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: 'An employee',
      schema: CORE,
      schemaExtensions: extensions.map((schema) => ({ schema, required: false })),
      meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/User` },
    },
  ]
}

export function renderSchemas(base: string) {
  return Object.entries(SCHEMAS).map(([id, { name, attributes }]) => ({
    schemas: [`${SCHEMA}Schema`],
    id,
    name,
    description: name,
    attributes: attributes.map(renderAttribute),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }))
}

function renderAttribute(attribute: ScimAttribute): object {
  const { name, type, isMany = false, isRequired = false, isUnique = false, isCaseExact = false, parts } = attribute
  const { mutability = 'readWrite' } = attribute
  return {
    name,
    type,
    multiValued: isMany,
    description: name,
    required: isRequired,
    caseExact: isCaseExact,
    mutability,
    returned: mutability === 'writeOnly' ? 'never' : 'default',
    uniqueness: isUnique ? 'server' : 'none',
    ...(type === 'reference' ? { referenceTypes: ['external'] } : {}),
    ...(parts ? { subAttributes: parts.map(renderAttribute) } : {}),
  }
}
