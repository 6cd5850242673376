/**
 * The canonical form of a JSON value, RFC 8785 (JCS): members sorted by UTF-16 code units, strings and numbers as
 * ECMAScript serialises them, no white space. Members that are undefined are left out.
 *
 * Expects what the door lets in: no lone surrogates and no numbers beyond a double. The nesting is bounded there too.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  let text = '{'
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    if (text.length > 1) text += ','
    text += `${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `${text}}`
}
