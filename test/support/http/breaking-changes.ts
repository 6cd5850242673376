import { isDeepStrictEqual } from 'node:util'
import type { DescribedAnswer, OpenApiDocument, OpenApiOperation } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from './api-document.ts'
import { misfits, type Schema } from './schema-fits.ts'

/* The changes between two versions of the document that break a client, as described in docs/versioning.md. */

interface Documents {
  before: OpenApiDocument
  after: OpenApiDocument
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

/** All breaking changes from one document to the next, one line each. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  return operationsOf(before).flatMap(({ path, method, operation }) => {
    const place = `${method} ${path}`
    const now = after.paths[path]?.[method.toLowerCase()]
    if (!now) return [`${place}: gone`]
    const documents = { before, after }
    const faults = [
      ...(now.operationId === operation.operationId ? [] : ['operationId']),
      ...(isDeepStrictEqual(now.security, operation.security) ? [] : ['security']),
      ...parameterFaults(documents, operation, now),
      ...bodyFaults(documents, operation, now),
      ...answerFaults(documents, operation, now),
    ]
    return faults.map((fault) => `${place}: ${fault}`)
  })
}

function parameterFaults({ before, after }: Documents, then: OpenApiOperation, now: OpenApiOperation): string[] {
  const [old, current] = [parametersOf(before, then), parametersOf(after, now)]
  const added = [...current].filter(([key, { required }]) => !old.has(key) && required === true)
  return [
    ...added.map(([key]) => `${key}: a new parameter that is required`),
    ...[...old].flatMap(([key, parameter]) => {
      const same = current.get(key)
      if (!same) return [`${key}: gone`]
      const required = same.required === true && parameter.required !== true ? [`${key}: required`] : []
      return [...required, ...misfits(side(before, parameter.schema), side(after, same.schema), 'request', key)]
    }),
  ]
}

function bodyFaults({ before, after }: Documents, then: OpenApiOperation, now: OpenApiOperation): string[] {
  if (!then.requestBody) return now.requestBody?.required === true ? ['body: required'] : []
  return Object.entries(then.requestBody.content).flatMap(([type, { schema }]) => {
    const same = now.requestBody?.content[type]
    if (!same) return [`body as ${type}: gone`]
    return misfits(side(before, schema as Schema), side(after, same.schema as Schema), 'request', 'body')
  })
}

function answerFaults({ before, after }: Documents, then: OpenApiOperation, now: OpenApiOperation): string[] {
  return Object.keys(then.responses).flatMap((status) => {
    const [old, current] = [answerIn(before, then, status)!, answerIn(after, now, status)]
    if (!current) return [`${status}: gone`]
    const headers = Object.keys(old.headers ?? {}).filter((name) => !(name in (current.headers ?? {})))
    const bodies = Object.entries(old.content ?? {}).flatMap(([type, { schema }]) => {
      const same = current.content?.[type]
      if (!same) return [`${status} as ${type}: gone`]
      return misfits(side(after, same.schema as Schema), side(before, schema as Schema), 'answer', status)
    })
    return [...headers.map((name) => `${status}: the header ${name} is gone`), ...bodies]
  })
}

function parametersOf(document: OpenApiDocument, operation: OpenApiOperation): Map<string, Parameter> {
  const all = (operation.parameters ?? []).map(
    (parameter) => resolveIn(document, parameter as Schema) as unknown as Parameter,
  )
  return new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
}

function answerIn(document: OpenApiDocument, operation: OpenApiOperation, status: string): DescribedAnswer | undefined {
  const answer = operation.responses[status]
  return answer && (resolveIn(document, answer as unknown as Schema) as unknown as DescribedAnswer)
}

function side(document: OpenApiDocument, schema: Schema) {
  return { schema, resolve: (named: Schema) => resolveIn(document, named) }
}

function resolveIn(document: OpenApiDocument, named: Schema): Schema {
  const { $ref } = named
  if (typeof $ref !== 'string') return named
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Schema)[name], document)
  return resolveIn(document, found as Schema)
}
