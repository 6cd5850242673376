import { omitUndefined } from '#domain/omit-undefined'
import program from '../../../package.json' with { type: 'json' }
import type { FastifySchema } from 'fastify'
import type { ProblemCode } from '#domain/errors'
import { ADMIN_BODIES } from './admin-examples.ts'
import { findPart, findTag, SECURITY_SCHEMES, TAGS, type ApiPart } from './api-parts.ts'
import type { DocumentedAnswer, DocumentedContent, Example } from './schema-parts.ts'
import {
  type HeaderName,
  HEADER_COMPONENTS,
  referToHeaders,
  PARAMETER_COMPONENTS,
  referToParameter,
} from './headers.ts'
import { problemAnswers } from './answer-schemas.ts'
import { describeMessages, MESSAGE_PARAMETERS } from './webhook-messages.ts'
import { isDeepStrictEqual } from 'node:util'

/** A route as Fastify registers it. */
export interface RegisteredRoute {
  method: string
  /** With `:name` for a parameter. */
  url: string
  schema: FastifySchema
  /** The bytes that a body may have at most. */
  bodyLimit: number
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  openapi: string
  info: object
  paths: Record<string, Record<string, OpenApiOperation>>
  /** The messages that the service sends, by type. */
  webhooks: Record<string, object>
  components: { schemas: Record<string, object>; [kind: string]: Record<string, object> }
  [member: string]: unknown
}

export interface OpenApiOperation {
  operationId: string
  security: readonly object[]
  parameters?: object[]
  requestBody?: { required: boolean; description?: string; content: Record<string, DocumentedContent> }
  responses: Record<string, DescribedAnswer | { $ref: string }>
  [member: string]: unknown
}

export interface DescribedAnswer {
  description: string
  headers?: object
  content?: Record<string, DocumentedContent>
}

/** Components that the operations share, collected along the way. */
interface Components {
  schemas: NamedSchemas
  responses: Record<string, DescribedAnswer>
}

const DESCRIPTION = `Create, update and read the employees of a company, with a log of every call that changed them.

A writing call applies all of its records or none. A refused call lists the errors of all records in a problem
document (RFC 9457). Every create or update call, successful or not, has one entry in Bulk User Logs.

Identity providers, such as Okta and Microsoft Entra ID, use SCIM 2.0 (RFC 7643 and 7644) at \`/scim/v2\` instead, with
an API key that has the scope \`scim\`, and nothing else. \`/scim/v2/ServiceProviderConfig\`, \`/scim/v2/ResourceTypes\`
and \`/scim/v2/Schemas\` describe it, so this document does not; the file \`docs/scim.md\` of this service says how to
set up providers.`

/**
 * Describes routes in OpenAPI 3.1. Its schemas are JSON Schema, so the schemas that validate requests are used
 * unchanged. Leaves out routes without an `operationId`.
 */
export function buildDocument(routes: readonly RegisteredRoute[]): OpenApiDocument {
  const components: Components = { schemas: new NamedSchemas(), responses: {} }
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes.filter(({ schema }) => isDescribed(schema)).toSorted(byPath)) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, components) }
  }
  const webhooks = describeMessages((schema) => components.schemas.refer(schema))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Employee Public API',
      version: program.version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: sortByName(components.schemas.components),
      responses: sortByName(components.responses),
      parameters: { ...PARAMETER_COMPONENTS, ...MESSAGE_PARAMETERS },
      headers: HEADER_COMPONENTS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function isDescribed(schema: FastifySchema) {
  return schema.operationId !== undefined && schema.hide !== true
}

/** Sorts the public API first, then by path, so that the order of registration makes no difference. */
function byPath(a: RegisteredRoute, b: RegisteredRoute): number {
  const rank = ({ url, method }: RegisteredRoute) => `${url.startsWith('/v1/') ? 0 : 1} ${url} ${method}`
  return rank(a) < rank(b) ? -1 : 1
}

function describe({ url, method, schema }: RegisteredRoute, components: Components): OpenApiOperation {
  const { schemas } = components
  const part = findPart(url, schema.security)
  const { operationId, summary, description } = schema
  const parameters = describeParameters(url, schema, schemas)
  const body =
    schema.documentedBody ??
    (schema.body === undefined ? undefined : asContent(schema.body, ADMIN_BODIES[operationId!]))
  const required = schema.isBodyOptional !== true
  const requestBody = body && { required, ...body, content: describeContent(body.content, schemas) }
  const refusals = describeRefusals(part, method, schema, components)
  const successes = Object.entries((schema.response ?? {}) as Record<string, object>).map(([status, answer]) => {
    const described = asAnswer(status, answer)
    const headers = [...part.headers, ...listPartHeaders(part, method, status), ...(described.headers ?? [])]
    return [status, describeAnswer({ ...described, headers }, schemas)] as const
  })
  return {
    operationId: operationId!,
    ...omitUndefined({ summary, description }),
    tags: [findTag(url)],
    security: part.security,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: {
      ...Object.fromEntries(successes),
      ...refusals,
    },
  }
}

/** Headers of a refused writing call: it is in the ledger too, and may be replayed. */
const REFUSED_WRITE = ['X-Ledger-Position', 'Idempotency-Replayed'] as const

/** Refers to the problems of each status as shared components, because many routes have the same ones. */
function describeRefusals(
  part: ApiPart,
  method: string,
  schema: FastifySchema,
  components: Components,
): OpenApiOperation['responses'] {
  const isCall = schema.documentedBody !== undefined
  const hasEntry = schema.hasEntry === true
  const headers: readonly HeaderName[] = [
    ...part.headers,
    ...(isCall ? REFUSED_WRITE : []),
    ...(hasEntry ? (['X-Ledger-Position'] as const) : []),
  ]
  const refusals = problemAnswers(collectProblems(method, schema, part.problems), headers)
  return Object.fromEntries(
    refusals.map(({ status, codes, answer }) => {
      const name = [part.name, isCall ? 'Call' : '', hasEntry ? 'Entry' : '', ...codes.map(inPascalCase)].join('')
      components.responses[name] ??= describeAnswer(answer, components.schemas)
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

function inPascalCase(code: string) {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Extra headers outside `/v1`: changes have a ledger position, and created things have a path. */
function listPartHeaders({ prefix }: ApiPart, method: string, status: string): HeaderName[] {
  if (prefix === '/v1/') return []
  const ofChange = method === 'GET' ? [] : (['X-Ledger-Position'] as const)
  return [...ofChange, ...(status === '201' ? (['Location'] as const) : [])]
}

/** Collects all problem codes of a route: its own and those of its part, query and body. */
function collectProblems(method: string, schema: FastifySchema, ofPart: readonly ProblemCode[]): ProblemCode[] {
  // The server reads a body with every method but GET, DELETE included.
  const isChange = method !== 'GET'
  const ofBody = ['malformed_json', 'invalid_body', 'payload_too_large', 'unsupported_media_type'] as const
  // Ajv's errors are reported like the domain's, field by field.
  const ofFields = schema.body === undefined ? [] : (['validation_failed'] as const)
  const ofQuery = schema.querystring === undefined ? [] : (['invalid_query'] as const)
  return [
    ...(isChange ? (['precondition_failed', ...ofBody] as const) : []),
    ...ofFields,
    ...ofQuery,
    ...ofPart,
    ...(schema.problems ?? []),
  ]
}

function describeParameters(url: string, schema: FastifySchema, schemas: NamedSchemas): object[] {
  const { properties: inPath = {} } = (schema.params ?? {}) as ObjectSchema
  const { properties: inQuery = {}, required = [] } = (schema.querystring ?? {}) as ObjectSchema
  const describeParameter = (place: string, name: string, isRequired: boolean, value: object) => {
    const { description, examples, ...rest } = schemas.refer(value) as { description?: string; examples?: unknown[] }
    const about = omitUndefined({ description, example: examples?.[0] })
    return { name, in: place, required: isRequired, ...about, schema: rest }
  }
  return [
    ...[...url.matchAll(/:(\w+)/g)].map(([, name = '']) =>
      describeParameter('path', name, true, inPath[name] ?? { type: 'string' }),
    ),
    // A parameter with a default is optional.
    ...Object.entries(inQuery).map(([name, value]) =>
      describeParameter('query', name, required.includes(name) && !('default' in value), value),
    ),
    ...(schema.documentedHeaders ?? []).map(referToParameter),
  ]
}

interface ObjectSchema {
  properties?: Record<string, object>
  required?: string[]
}

function describeAnswer({ description, headers, content }: DocumentedAnswer, schemas: NamedSchemas): DescribedAnswer {
  return {
    description,
    ...(headers && headers.length > 0 ? { headers: referToHeaders(headers) } : {}),
    ...(content ? { content: describeContent(content, schemas) } : {}),
  }
}

function describeContent(
  content: Record<string, DocumentedContent>,
  schemas: NamedSchemas,
): Record<string, DocumentedContent> {
  const described = Object.entries(content).map(([type, { schema, examples }]) => {
    return [type, omitUndefined({ examples, schema: schema && schemas.refer(schema) })] as const
  })
  return Object.fromEntries(described)
}

/** Completes the description of a response, which may be only a JSON schema. */
function asAnswer(status: string, answer: object): DocumentedAnswer {
  const {
    description = status === '201' ? 'Created.' : 'OK.',
    headers,
    type,
  } = answer as Partial<DocumentedAnswer> & {
    type?: string
  }
  return { description, ...omitUndefined({ headers }), ...(type === 'null' ? {} : asContent(answer)) }
}

function asContent(schema: unknown, examples?: Record<string, Example>) {
  const { content } = schema as { content?: Record<string, DocumentedContent> }
  const described: DocumentedContent = { schema: schema as object, ...(examples ? { examples } : {}) }
  return { content: content ?? { 'application/json': described } }
}

function sortByName<T extends object>(components: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

type Json = Record<string, unknown>
type Properties = Record<string, Json>

/** Collects named schemas, so that the document defines each once and refers to it. */
export class NamedSchemas {
  readonly components: Record<string, object> = {}

  /**
   * Converts a schema for the document: every schema with an `$id`, at any depth, becomes a component of that name, and
   * the defaults of properties go into their descriptions. Throws if two different schemas have the same name.
   */
  refer(schema: object): object {
    // TypeBox keeps its metadata under symbols, which JSON drops.
    return this.#visit(JSON.parse(JSON.stringify(schema))) as object
  }

  #visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#visit(item))
    if (typeof value !== 'object' || value === null) return value
    const { $id: name, ...rest } = value as Json
    const members = Object.entries(rest).map(([key, member]) => {
      if (isData(key)) return [key, member] as const
      return [key, this.#visit(key === 'properties' ? describeDefaults(member as Properties) : member)] as const
    })
    const schema = Object.fromEntries(members)
    return typeof name === 'string' ? this.#name(name, schema) : schema
  }

  #name(name: string, schema: object): object {
    const existing = this.components[name]
    if (existing && !isDeepStrictEqual(existing, schema)) throw new Error(`two different schemas are called ${name}`)
    this.components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }
}

/** Whether a member holds values, not schemas. */
function isData(key: string) {
  return key === 'examples' || key === 'default' || key === 'const' || key === 'enum'
}

/** Moves defaults into words: for some generators, a property with a `default` is mandatory, also in requests. */
function describeDefaults(properties: Properties): Properties {
  const described = Object.entries(properties).map(([name, property]) => {
    if (!Object.hasOwn(property, 'default')) return [name, property] as const
    const { default: value, description, ...schema } = property
    const isAll = isDeepStrictEqual(value, (schema['items'] as Json | undefined)?.['enum'])
    const words = `Default: ${isAll ? 'all' : `\`${JSON.stringify(value)}\``}.`
    return [name, { ...schema, description: [description, words].filter(Boolean).join(' ') }] as const
  })
  return Object.fromEntries(described)
}
