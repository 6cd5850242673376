import { TypeID } from 'typeid-js'

/** The kinds of thing that have a public id, each with its TypeID prefix. */
export type IdPrefix = 'emp' | 'log' | 'com' | 'key' | 'usr' | 'tok'

/**
 * 128 bits in base 32 that are a UUID of RFC 9562: character 11 holds its version, 1 to 8, and character 14 its variant.
 * Other bits are well-formed in a TypeID, but no UUID: nothing can have them for its id.
 */
const UUID_SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{9}[2-9a-h][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/

/**
 * Whether a text is a well-formed TypeID (https://github.com/jetify-com/typeid, v0.3) of a UUID with this prefix.
 * Says nothing about whether such a thing exists.
 */
export function isId(prefix: IdPrefix, text: unknown): text is string {
  return typeof text === 'string' && text.startsWith(`${prefix}_`) && UUID_SUFFIX.test(text.slice(prefix.length + 1))
}

/** The bare UUID of a TypeID, as the database stores it. Throws on text that is not a TypeID. */
export function toUuid(id: string): string {
  return TypeID.fromString(id).toUUID()
}

/** The TypeID of a UUID that the database stores. */
export function fromUuid(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}
