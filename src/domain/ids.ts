import { TypeID } from 'typeid-js'

/** The kinds of thing that have a public id, each with its TypeID prefix. */
export type IdPrefix = 'emp' | 'log' | 'com' | 'key' | 'usr' | 'tok'

/**
 * Whether a text is a well-formed TypeID (https://github.com/jetify-com/typeid, v0.3) with this prefix.
 * Says nothing about whether such a thing exists.
 */
export function isId(prefix: IdPrefix, text: unknown): text is string {
  if (typeof text !== 'string' || text.length !== prefix.length + 27) return false
  try {
    return TypeID.fromString(text).getType() === prefix
  } catch {
    return false
  }
}

/** The bare UUID of a TypeID, as the database stores it. Throws on text that is not a TypeID. */
export function toUuid(id: string): string {
  return TypeID.fromString(id).toUUID()
}

/** The TypeID of a UUID that the database stores. */
export function fromUuid(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}
