import type { DescribedAnswer, OpenApiDocument, OpenApiOperation } from '#http/openapi/build-document'
import type { DocumentedContent } from '#http/openapi/schema-parts'

/** A JSON Schema, as far as our document uses it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: Value
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  examples?: Value[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  minimum?: number
  maximum?: number
}

/** The value of a parameter. */
type Value = string | number | boolean

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: Value
}

export interface Content extends DocumentedContent {
  schema?: Schema
}

/** The answers with one status. */
export interface Answer {
  status: string
  description: string
  /** The names of its headers. */
  headers: string[]
  content: [type: string, content: Content][]
}

/** A call of the API, or a message that the service sends. */
export interface Operation {
  /** Its name in addresses. */
  id: string
  kind: 'call' | 'message'
  method: string
  /** The path of a call, the type of a message. */
  path: string
  tag: string
  summary: string
  description: string
  /** The names of the security schemes, which are required together. */
  security: string[]
  parameters: Parameter[]
  body: { description: string; content: [type: string, content: Content][] } | null
  /** What most callers get comes first. */
  answers: Answer[]
}

/** The operations that belong together. */
export interface OperationGroup {
  name: string
  description: string
  operations: Operation[]
}

type Described = OpenApiOperation & { summary?: string; description?: string; tags?: string[] }

const MESSAGES = {
  name: 'Webhook messages',
  description: 'The messages that the service sends to webhooks.',
}

/** Lists the operations of the OpenAPI document in their groups. */
export function listGroups(document: OpenApiDocument): OperationGroup[] {
  const calls = readOperations(document, document.paths, 'call')
  const messages = readOperations(document, document.webhooks as never, 'message')
  const tags = document['tags'] as { name: string; description: string }[]
  return [
    ...tags.map((tag) => ({
      ...tag,
      operations: calls.filter(({ tag: name }) => name === tag.name).toSorted(byLesson),
    })),
    { ...MESSAGES, operations: messages },
  ]
}

/** The calls that an integrator learns first, in this order. All others keep theirs. */
const LESSONS = [
  ...['verifyKey', 'createEmployees', 'readEmployee', 'listEmployees', 'updateEmployee', 'updateEmployees'],
  ...['upsertEmployees', 'listErasedEmployees', 'listBulkUserLogs', 'getBulkUserLog'],
]

function byLesson(one: Operation, other: Operation) {
  const rank = ({ id }: Operation) => (LESSONS.includes(id) ? LESSONS.indexOf(id) : LESSONS.length)
  return rank(one) - rank(other)
}

function readOperations(
  document: OpenApiDocument,
  paths: Record<string, Record<string, Described>>,
  kind: Operation['kind'],
): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const { operationId: id, summary = '', description = '', tags = [], parameters = [], requestBody } = described
      return {
        id,
        kind,
        path,
        summary,
        description,
        method: method.toUpperCase(),
        tag: kind === 'message' ? MESSAGES.name : (tags[0] ?? ''),
        security: described.security.flatMap((schemes) => Object.keys(schemes)),
        parameters: parameters.map((parameter) => resolveReference(document, parameter) as Parameter),
        body: requestBody
          ? { description: requestBody.description ?? '', content: Object.entries(requestBody.content) }
          : null,
        answers: Object.entries(described.responses)
          .map(([status, answer]) => {
            const { description, headers = {}, content = {} } = resolveReference(document, answer) as DescribedAnswer
            return { status, description, headers: Object.keys(headers), content: Object.entries(content) as never }
          })
          .toSorted((a, b) => rankOf(a.status) - rankOf(b.status)),
      }
    }),
  )
}

/** A creation answers 201; its 200 is that of `validate_only`. */
function rankOf(status: string) {
  return status === '201' ? 0 : Number.parseInt(status, 10)
}

/** Follows a reference within the document. */
export function resolveReference<Target extends object>(document: OpenApiDocument, target: Target) {
  const { $ref: reference } = target as { $ref?: string }
  if (reference === undefined) return target
  const [, , kind, name] = reference.split('/')
  return document.components[kind!]![name!] as Target
}
