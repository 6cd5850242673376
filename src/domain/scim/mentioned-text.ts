import type { Filter } from './parse-path.ts'

/** What the attributes of an employee don't have as the user shows it. */
const NOT_STORED: ReadonlySet<string> = new Set(['id', 'userName', 'active', 'meta', 'schemas', 'groups', 'password'])
const NOT_STORED_PARTS: ReadonlySet<string> = new Set(['type', 'primary', '$ref'])

const TEXTUAL: ReadonlySet<string> = new Set(['eq', 'co', 'sw', 'ew'])
/** What JSON writes as it is, and what has one form in lower case. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * A text, in lower case, that stands in the attributes of whoever matches a filter; null if there may be none. Attributes
 * with other characters than those of ASCII may match without it.
 */
export function mentionedText(filter: Filter): string | null {
  switch (filter.kind) {
    case 'compare': {
      const { path, operator, value } = filter
      if (!TEXTUAL.has(operator) || typeof value !== 'string' || !PLAIN.test(value)) return null
      // Numbers have several spellings.
      if (!Number.isNaN(Number(value)) || (path.urn === null && NOT_STORED.has(path.name ?? ''))) return null
      return path.part !== null && NOT_STORED_PARTS.has(path.part) ? null : value.toLowerCase()
    }
    case 'entry':
      return mentionedText(filter.of)
    case 'and':
      return filter.of.map(mentionedText).find((text) => text !== null) ?? null
    case 'or':
    case 'not':
    case 'present':
      return null
  }
}
