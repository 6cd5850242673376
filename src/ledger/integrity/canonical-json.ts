import { sortNames } from '#domain/json'

/**
 * The canonical form of a JSON value, RFC 8785 (JCS): members sorted by UTF-16 code units, strings and numbers as
 * ECMAScript serializes them, no white space. Undefined members are left out.
 *
 * Expects input that parseJsonBody has checked: no members named `__proto__`, no lone surrogates, no numbers beyond a
 * double, bounded nesting.
 */
export function canonicalJson(value: unknown) {
  // Most values are in order; checking first avoids copying them.
  return JSON.stringify(inOrder(value))
}

/** The value, or a copy whose objects list their members in order, for `JSON.stringify` to write. */
function inOrder(value: unknown): unknown {
  return isInOrder(value) ? value : sortMembers(value as object)
}

/** Whether all objects in a value list their members in order. */
function isInOrder(value: unknown) {
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isInOrder)
  let last = ''
  // Lists no names, as Object.keys would. Parsed JSON inherits none.
  for (const name in value) {
    if (name < last || isDigit(name.charCodeAt(0))) return false
    if (!isInOrder((value as Record<string, unknown>)[name])) return false
    last = name
  }
  return true
}

function sortMembers(value: object): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  const sorted: Record<string, unknown> = {}
  let hasNumbers = false
  for (const name of sortNames(Object.keys(value))) {
    sorted[name] = inOrder((value as Record<string, unknown>)[name])
    hasNumbers ||= isDigit(name.charCodeAt(0))
  }
  return hasNumbers ? new Proxy(sorted, SORTED_NAMES) : sorted
}

/**
 * JavaScript objects list integer-like names such as `10` first, in numeric order. Only a proxy can list them in
 * between.
 */
const SORTED_NAMES: ProxyHandler<object> = { ownKeys: (object) => Object.getOwnPropertyNames(object).sort() }

function isDigit(code: number) {
  return code >= 0x30 && code <= 0x39
}
