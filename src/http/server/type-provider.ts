import type { Static, TSchema } from '@fastify/type-provider-typebox'

declare module 'fastify' {
  /** The types of a route's parameters, query, body and answers follow from its schemas, wherever the route is added. */
  interface FastifyTypeProviderDefault {
    readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
    readonly serializer: this['schema'] extends TSchema ? AnswerOf<this['schema']> : unknown
  }
}

/** What a route with this schema answers. It is only read, so it may consist of read-only parts. */
export type AnswerOf<Schema extends TSchema> = DeepReadonly<Static<Schema>>

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value
