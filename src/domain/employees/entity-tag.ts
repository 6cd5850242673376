/** The strong entity tag of an employee's version, RFC 9110 section 8.8.3. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/**
 * Whether an If-Match value (RFC 9110 section 13.1.1) matches a version that exists: `*`, or a list that has its tag.
 * Weak tags never match, and neither does what is not a tag.
 */
export function matchesEntityTag(ifMatch: string, version: number): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(entityTag(version))
}
