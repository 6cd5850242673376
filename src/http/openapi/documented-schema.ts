import type { TSchema } from '@sinclair/typebox'
import type { ProblemCode } from '#domain/errors'
import type { HeaderName, ParameterName } from './headers.ts'

/** A named example. The tests send request examples to a real server. */
export interface Example {
  summary: string
  value: unknown
}

/** Makes an example. */
export function example(summary: string, value: unknown): Example {
  return { summary, value }
}

/** One media type of a request or response body. */
export interface DocumentedContent {
  schema?: object
  examples?: Record<string, Example>
}

/** A response with more than a JSON schema. */
export interface DocumentedAnswer {
  description: string
  /** Headers in addition to those of its part of the API. */
  headers?: readonly HeaderName[]
  /** By media type. Absent when the response has no body. */
  content?: Record<string, DocumentedContent>
}

/** A body that appears only in the document, by media type. */
export interface DocumentedBody {
  description?: string
  content: Record<string, DocumentedContent>
}

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    /** Replaces the security of the part of the API. Empty for routes that need no credentials. */
    security?: readonly Record<string, string[]>[]
    /** Whether a request may leave out the body, which then counts as `{}`. */
    isBodyOptional?: true
    /** Omits the route from the document. */
    hide?: boolean
    /**
     * A body that the domain validates. Under `body`, Fastify would validate it with Ajv. But a writing call reports the
     * schema errors and state errors of all records together, and has an entry in Bulk User Logs.
     */
    documentedBody?: DocumentedBody
    /** Whether a call without such a body has an entry, too, also if it is refused. */
    hasEntry?: true
    /** Request headers that the route reads itself. */
    documentedHeaders?: readonly ParameterName[]
    /** Problem codes of the route, in addition to those of its part of the API. */
    problems?: readonly ProblemCode[]
  }
}

/** Describes a JSON response. */
export function jsonAnswer(
  description: string,
  schema: TSchema,
  more: { headers?: readonly HeaderName[]; examples?: Record<string, Example> } = {},
): DocumentedAnswer {
  const { headers, examples } = more
  const content = { 'application/json': examples ? { schema, examples } : { schema } }
  return headers ? { description, headers, content } : { description, content }
}
