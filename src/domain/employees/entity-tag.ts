/** The strong entity tag of an employee's version, RFC 9110 section 8.8.3. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/**
 * Whether an If-Match value (RFC 9110 section 13.1.1) matches an existing version: `*`, or a list that contains its tag.
 * Weak and malformed tags never match.
 */
export function matchesEntityTag(ifMatch: string, version: number): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(entityTag(version))
}
