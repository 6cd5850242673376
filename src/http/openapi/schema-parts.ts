import { omitUndefined } from '#domain/omit-undefined'
import {
  Type,
  type IntegerOptions,
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TObject,
  type TProperties,
  type TSchema,
} from '@sinclair/typebox'
import type { Problem, ProblemCode } from '#domain/errors'
import { isId, type IdPrefix } from '#domain/ids'
import { ProblemError } from '#http/server/problem'
import type { AnswerOf } from '#http/server/type-provider'
import type { HeaderName, ParameterName } from './headers.ts'

/* Schemas that several routes share. */

/** For schemas that accept no other members. */
export const STRICT = { additionalProperties: false } as const

/** Makes the schema of an object without other members. */
export function strictObject<Fields extends TProperties>(fields: Fields, options: ObjectOptions = {}) {
  return Type.Object(fields, { ...options, ...STRICT })
}

/** The same as a component of the OpenAPI document, with a name. */
export function namedObject<Fields extends TProperties>(name: string, fields: Fields, options: ObjectOptions = {}) {
  return strictObject(fields, { $id: name, ...options })
}

/** The same with a description. */
export function describedObject<Fields extends TProperties>(name: string, description: string, fields: Fields) {
  return namedObject(name, fields, { description })
}

/* Optional parameters, and fields of bodies and answers. */

export const optionalString = (options?: StringOptions) => Type.Optional(Type.String(options))
export const optionalInteger = (options?: IntegerOptions) => Type.Optional(Type.Integer(options))
export const optionalBoolean = (options?: SchemaOptions) => Type.Optional(Type.Boolean(options))

export const Page = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'The maximum number of items on a page.' }),
  cursor: optionalString({ minLength: 1, maxLength: 64, description: 'The `next_cursor` of the previous page.' }),
}

export const Count = Type.Integer({ minimum: 0 })

/** A name that people choose. Leading and trailing white space is removed before validation. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 120,
  description: 'Leading and trailing white space is removed before the limits apply.',
})

export const Time = Type.String({ format: 'date-time' })

export const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/** A text. */
export const text = (description: string) => Type.String({ description })

/** True or false. */
export const flag = (description: string) => Type.Boolean({ description })

/** A number of things. */
export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A text, or null. */
export function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description })
}

/** The end of a secret. */
export const LastFour = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 4,
  maxLength: 4,
  description: 'The last four characters of the secret. Null if it is older than version 1.1.0, which stores them.',
})

/** One of a few strings. */
export function oneOf<const Text extends string>(texts: readonly Text[], description?: string) {
  return Type.Unsafe<Text>({ type: 'string', enum: [...texts], ...omitUndefined({ description }) })
}

/** The same as a component of the OpenAPI document, with a name. */
export function namedChoice<const Text extends string>(name: string, texts: readonly Text[], description: string) {
  return { ...oneOf(texts, description), $id: name }
}

/** The same schema, or null. */
export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** Makes the schema of an object that may be null. */
export function objectOrNull<Fields extends TProperties>(description: string, fields: Fields) {
  return nullable(Type.Object(fields, { description }))
}

/** Makes the schema of a body of which only the named fields are required: all others must have a default. */
export function requireOnly<Fields extends TProperties>(
  names: (keyof Fields & string)[],
  fields: Fields,
  options: ObjectOptions = {},
): TObject<Fields> {
  return { ...strictObject(fields, options), required: names }
}

/** The same schema, with what an absent field of a request counts as. */
export function withDefault<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Schema {
  return { ...schema, default: value }
}

/** Makes the schema of a JSON Merge Patch (RFC 7396). */
export function mergePatch<Fields extends TProperties>(fields: Fields, note = 'absent fields keep their value') {
  return Type.Partial(strictObject(fields), { description: `A JSON Merge Patch: ${note}.` })
}

/** Makes the schema of a page of a list. */
export function makeListSchema<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: textOrNull('Null on the last page.'),
  })
}

/**
 * Makes what the schemas of routes with an id in their path share, the function that reads it, and one that requires
 * what was found by it. Any string is accepted: a malformed id is answered like an unknown one.
 */
export function idIn(kind: string, prefix: IdPrefix, unknown: Problem) {
  const params = Type.Object({ id: anyId(`The id of the ${kind}.`, prefix) })
  return { schema: { params, problems: [unknown.code] }, read: readIdAs(prefix, unknown), require: requireOr(unknown) }
}

/** Makes a function that returns what was found. It throws the problem if nothing was. */
export function requireOr(unknown: Problem) {
  return <Found>(found: Found | null): Found => {
    if (found !== null) return found
    throw new ProblemError(unknown)
  }
}

/** Makes a function that reads an id in a path. It throws the problem for any other text. */
export function readIdAs(prefix: IdPrefix, unknown: Problem) {
  return (id: string) => {
    if (isId(prefix, id)) return id
    throw new ProblemError(unknown)
  }
}

/** Describes an id in a path, with an example. */
export function anyId(description: string, prefix: IdPrefix) {
  return Type.String({ description, examples: [`${prefix}_01m7wqmfakeh492yss9pa6yb7t`] })
}

/** The response to a deletion, which has no body. */
export const NO_CONTENT = Type.Unsafe<void>({ type: 'null', description: 'Done. The response has no body.' })

type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<CamelCase<Rest>>}` : Name

/** The same members, named as in code. */
type InCamelCase<Members> = { readonly [Name in keyof Members as CamelCase<Name>]: Members[Name] }

/** Renders what a schema describes, and nothing else, from an object that has the same members in camel case. */
export function render<Schema extends TObject>(
  { properties }: Schema,
  from: InCamelCase<AnswerOf<Schema>>,
): AnswerOf<Schema> {
  const values = from as Record<string, unknown>
  const nameOf = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.keys(properties).map((name) => [name, values[nameOf(name)]])) as AnswerOf<Schema>
}

/** What can be done with a thing by name alone, said once for the endpoint and for the page. */
export interface Action<Done extends string = string> {
  operationId: string
  summary: string
  description: string
  problems: readonly ProblemCode[]
  /** The verb on the button. */
  button: string
  /** What the page asks before it is done. Without it, the button acts immediately. */
  question?: string
  /** The word in the address of the page afterwards. */
  done: Done
  /** What the page says afterwards. */
  notice: string
}

/** What an action says in the schema of its endpoint. */
export function describeAction({ operationId, summary, description, problems }: Action) {
  return { operationId, summary, description, problems }
}

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
