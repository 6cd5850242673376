import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { DescribedAnswer, OpenApiDocument, OpenApiOperation } from '../../../src/http/openapi/build-document.ts'
import type { Answer } from '../service.ts'

/* Checks answers against the document: status, headers, media type and every field of the body. */

/** One operation of the document, with its method and path. */
interface DocumentedOperation {
  path: string
  /** In capitals. */
  method: string
  operation: OpenApiOperation
}

export function operationsOf({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

/** An operation's answer, either its own or one shared by operations. */
export function answerOf(
  document: OpenApiDocument,
  operation: OpenApiOperation | undefined,
  status: string,
): DescribedAnswer | undefined {
  const answer = operation?.responses[status]
  if (!answer || !('$ref' in answer)) return answer
  return document.components['responses']![answer.$ref.split('/').at(-1)!] as DescribedAnswer
}

/** A validator that knows the formats of the document and the document itself, under the name `api`. */
export function schemasOf(document: unknown): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('idn-email', true)
  return ajv.addSchema(document as object, 'api')
}

const compiled = new WeakMap<object, ReturnType<Ajv2020['compile']>>()

/** Compiles a schema of the document, once. */
export function compileIn(ajv: Ajv2020, schema: object) {
  const validate =
    compiled.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object)
  compiled.set(schema, validate)
  return validate
}

/** Headers that are part of HTTP, or only say how the body travels. */
const PLAIN_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'content-disposition', 'date', 'keep-alive', 'transfer-encoding'],
  // The last one asks a proxy not to hold a stream back.
  ...[
    'cache-control',
    'content-encoding',
    'vary',
    'allow',
    'x-accel-buffering',
    'x-content-type-options',
    'content-security-policy',
  ],
])

/** Makes a check that returns everything about an answer that the document does not allow. */
export function answerChecker(document: OpenApiDocument) {
  const strict = closed(document) as OpenApiDocument
  const ajv = schemasOf(strict)
  return ({ path, method }: { path: string; method: string }, answer: Answer): string[] => {
    const route = `${method} ${path} ${answer.status}`
    const documented = answerOf(strict, strict.paths[path]?.[method.toLowerCase()], String(answer.status))
    if (!documented) return [`${route} is not documented: ${JSON.stringify(answer.body)}`]
    const known = new Set(Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase()))
    const headers = Object.keys(answer.headers).filter((name) => !PLAIN_HEADERS.has(name) && !known.has(name))
    const faults = [...headers.map((name) => `has the header ${name}`), ...bodyFaults(ajv, documented, answer)]
    return faults.map((fault) => `${route} ${fault}`)
  }
}

function bodyFaults(ajv: Ajv2020, { content }: DescribedAnswer, { headers, body }: Answer): string[] {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!content) return body === '' ? [] : ['has a body']
  const schema = content[type]?.schema
  if (!schema) return [`is of the media type ${type}`]
  const lines = (schema as { contentSchema?: object }).contentSchema
  if (!type.endsWith('json')) return []
  const validate = compileIn(ajv, lines ?? schema)
  const values: unknown[] = lines ? (body as unknown[]) : [body]
  const errors = values.flatMap((value) => (validate(value) ? [] : (validate.errors ?? [])))
  return errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

/** The same schemas without room for unknown properties. An object's `allOf` is left unchanged. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, key === 'allOf' ? member : closed(member)])
  const copy = Object.fromEntries(members) as Record<string, unknown>
  const isOpen =
    typeof copy['properties'] === 'object' && copy['type'] === 'object' && !('additionalProperties' in copy)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}
