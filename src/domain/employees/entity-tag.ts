import { problem, type Problem } from '../errors.ts'

/** The strong entity tag of an employee's version, RFC 9110 section 8.8.3. */
export function entityTag(version: number): string {
  return `"${version}"`
}

/**
 * The conditions that a request sets, as sent. Nothing here has a `Last-Modified`, so `If-Unmodified-Since` and
 * `If-Modified-Since` are ignored, as RFC 9110 sections 13.1.3 and 13.1.4 ask.
 */
export interface Preconditions {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
}

/** The header whose condition does not hold. */
export type FailedCondition = 'If-Match' | 'If-None-Match'

/**
 * Evaluates the conditions of a request for something that exists, in the order of RFC 9110 section 13.2.2; null if they
 * hold. `version` is null for what has no entity tag, such as a list: `*` matches it, and no tag does.
 */
export function findFailedCondition(
  { ifMatch, ifNoneMatch }: Preconditions,
  version: number | null,
): FailedCondition | null {
  if (ifMatch !== undefined && !matches(tagsIn(ifMatch), version)) return 'If-Match'
  const isExcluded = ifNoneMatch !== undefined && matches(tagsIn(ifNoneMatch), version)
  return isExcluded ? 'If-None-Match' : null
}

/** The tag of a version, or a star (RFC 9110 section 13.1.1). */
const TAG = /^(?:\*|"[1-9]\d*")$/

/** Says why a condition does not hold; `otherwise` if it names a version. */
export function explainFailure(header: FailedCondition, { ifMatch = '' }: Preconditions, otherwise: string): string {
  if (header === 'If-None-Match' || tagsIn(ifMatch).some((tag) => TAG.test(tag))) return otherwise
  return 'If-Match must be the ETag of the employee with its quotation marks, such as "3", or a list of such tags'
}

/** The refusal of a condition on something that has no entity tag. */
export function conditionWithoutTag(header: FailedCondition): Problem {
  return problem('precondition_failed', `${header} does not hold: only a single employee has an ETag`)
}

function matches(tags: string[], version: number | null) {
  return tags.includes('*') || (version !== null && tags.includes(entityTag(version)))
}

/** What servers append to the tag of an answer that they compress, such as Apache's `"3-gzip"`. */
const COMPRESSION = /^"(\d+)(?:--?|[:;])(?:gzip|br|zstd|deflate)"$/

/**
 * The tags in a header, as they were before a proxy compressed an answer and weakened or extended its tag. If-Match asks
 * for a strong comparison (section 13.1.1), but a version says all that there is to compare.
 */
function tagsIn(header: string) {
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(COMPRESSION, '"$1"'))
}
