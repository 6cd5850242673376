/**
 * The canonical form of a JSON value, RFC 8785 (JCS): members sorted by UTF-16 code units, strings and numbers as
 * ECMAScript serializes them, no white space. Undefined members are left out.
 *
 * Expects input that parseJsonBody has checked: no members named `__proto__`, no lone surrogates, no numbers beyond a
 * double, bounded nesting.
 */
export function canonicalJson(value: unknown): string {
  // Most values are in order; checking first avoids copying them.
  return JSON.stringify(isInOrder(value) ? value : sortMembers(value))
}

/** Whether all objects in a value list their members in order. */
function isInOrder(value: unknown): boolean {
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

/**
 * A copy whose objects list their members in order, for `JSON.stringify` to write. One call for the whole value is
 * faster than one per member.
 */
function sortMembers(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sortMembers)
  const sorted: Record<string, unknown> = {}
  let hasNumbers = false
  for (const name of Object.keys(value).sort()) {
    sorted[name] = sortMembers((value as Record<string, unknown>)[name])
    hasNumbers ||= isDigit(name.charCodeAt(0))
  }
  return hasNumbers ? new Proxy(sorted, SORTED_NAMES) : sorted
}

/**
 * JavaScript objects list integer-like names such as `10` first, in numeric order. Only a proxy can list them in
 * between.
 */
const SORTED_NAMES: ProxyHandler<object> = { ownKeys: (object) => Object.getOwnPropertyNames(object).sort() }

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
