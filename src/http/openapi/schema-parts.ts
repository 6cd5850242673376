import type { TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'

/* Schemas that several routes share. */

export const STRICT = { additionalProperties: false } as const

export const NoQuery = Type.Object({}, STRICT)

export const Page = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many items a page has at most.' }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: '`next_cursor` of the page before, for the next one.' }),
  ),
}

/** A name that people give to a thing; white space at its ends is dropped before it is looked at. */
export const Name = Type.String({ minLength: 1, maxLength: 120, description: 'Trimmed; the limits hold after that.' })

export const Time = Type.String({ format: 'date-time' })

export const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/** One of a few texts. */
export function oneOf<Text extends string>(texts: readonly Text[], description?: string) {
  return Type.Unsafe<Text>({ type: 'string', enum: [...texts], ...(description === undefined ? {} : { description }) })
}

export function listOf(item: TSchema) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null at the end.' }),
  })
}

/** An id in a path may be any text: one that is no id is answered like one that nothing has. */
export function idIn(kind: string) {
  return Type.Object({ id: Type.String({ description: `The id of the ${kind}.` }) })
}

/** The answer to a deletion has no body. */
export const NO_CONTENT = Type.Null({ description: 'Done; there is nothing to say.' })
