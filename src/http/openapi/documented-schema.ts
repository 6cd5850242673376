import type { TSchema } from '@sinclair/typebox'
import type { ProblemCode } from '../../domain/errors.ts'
import type { HeaderName, ParameterName } from './headers.ts'

/** A named example; the tests send those of requests to a real server. */
export interface Example {
  summary: string
  value: unknown
}

/** One media type of a body or an answer. */
export interface DocumentedContent {
  schema?: object
  examples?: Record<string, Example>
}

/** An answer with more to tell than its JSON schema. */
export interface DocumentedAnswer {
  description: string
  /** Headers beside those that every answer of its part of the API has. */
  headers?: readonly HeaderName[]
  /** By media type; none where the answer has no body. */
  content?: Record<string, DocumentedContent>
}

/** A body for the document alone, by media type. */
export interface JudgedBody {
  description?: string
  content: Record<string, DocumentedContent>
}

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
    /** Replaces what the part of the API asks for; empty where everybody may call. */
    security?: readonly Record<string, string[]>[]
    /** Leaves the route out of the document. */
    hide?: boolean
    /**
     * A body that the domain judges. It stands here and not under `body`, where Fastify would validate it with Ajv: Ajv
     * stops at what one schema finds, and a writing call answers every error of every record, of form and of state
     * together, and has an entry in Bulk User Logs.
     */
    judgedBody?: JudgedBody
    /** Request headers that the route itself reads. */
    judgedHeaders?: readonly ParameterName[]
    /** What the route can be refused with, beside what holds for every route of its part of the API. */
    problems?: readonly ProblemCode[]
  }
}

/** An answer in JSON. */
export function jsonAnswer(
  description: string,
  schema: TSchema,
  more: { headers?: readonly HeaderName[]; examples?: Record<string, Example> } = {},
): DocumentedAnswer {
  const { headers, examples } = more
  const content = { 'application/json': examples ? { schema, examples } : { schema } }
  return headers ? { description, headers, content } : { description, content }
}
