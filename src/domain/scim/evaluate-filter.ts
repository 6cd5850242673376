import { type AttributePath, type Filter, isCaseExact, type Operator } from './parse-path.ts'
import {
  findMember,
  foldValue,
  isList,
  isParts,
  isScalar,
  type Scalar,
  type ScimUser,
  type ScimValue,
} from './user-values.ts'

/** Whether a user matches a filter (RFC 7644 section 3.4.2.2). Case matters in `id` and `externalId` only. */
export function matchesFilter(filter: Filter, user: ScimUser): boolean {
  return matches(filter, (path) => listOf(user, path))
}

/** Whether an entry of a list matches the filter of a path. */
export function matchesEntry(filter: Filter, entry: ScimValue): boolean {
  return matches(filter, () => [entry])
}

function matches(filter: Filter, entriesAt: (path: AttributePath) => readonly ScimValue[]): boolean {
  const read = (path: AttributePath) => entriesAt(path).flatMap((entry) => partOf(entry, path.part))
  // A filter may compare a long value again and again.
  const folded = new Map<Scalar, string>()
  const fold = (value: Scalar) => {
    const known = folded.get(value) ?? foldValue(value)
    folded.set(value, known)
    return known
  }
  const judge = (one: Filter): boolean => {
    switch (one.kind) {
      case 'and':
        return one.of.every(judge)
      case 'or':
        return one.of.some(judge)
      case 'not':
        return !judge(one.of)
      case 'present':
        return read(one.path).some((value) => value !== '')
      case 'entry':
        return entriesAt(one.path).some((entry) => matchesEntry(one.of, entry))
      case 'compare':
        return compare(read(one.path), one, isCaseExact(one.path) ? String : fold)
    }
  }
  return judge(filter)
}

type Fold = (value: Scalar) => string

function compare(values: Scalar[], condition: Comparison, fold: Fold) {
  const { operator, value, folded } = condition
  const isEqual = value === null ? values.length === 0 : values.some((one) => fold(one) === folded)
  if (operator === 'eq') return isEqual
  if (operator === 'ne') return !isEqual
  return values.some((one) => holds(operator, one, condition, fold))
}

type Comparison = Extract<Filter, { kind: 'compare' }>

function holds(
  operator: Exclude<Operator, 'eq' | 'ne'>,
  one: Scalar,
  { value, folded: wanted }: Comparison,
  fold: Fold,
) {
  if (value === null) return false
  const text = fold(one)
  const order = orderOf(one, value) ?? (text < wanted ? -1 : Number(text > wanted))
  switch (operator) {
    case 'co':
      return text.includes(wanted)
    case 'sw':
      return text.startsWith(wanted)
    case 'ew':
      return text.endsWith(wanted)
    case 'gt':
      return order > 0
    case 'ge':
      return order >= 0
    case 'lt':
      return order < 0
    case 'le':
      return order <= 0
  }
}

/** How a text begins that is compared as an instant. */
export const INSTANT = /^\d{4}-\d{2}-\d{2}T/

/** How numbers and instants are ordered; undefined for texts. */
function orderOf(one: Scalar, other: Scalar) {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (!INSTANT.test(String(one)) || !INSTANT.test(String(other))) return undefined
  const order = Date.parse(String(one)) - Date.parse(String(other))
  return Number.isNaN(order) ? undefined : order
}

function listOf(user: ScimUser, { urn, name }: AttributePath): readonly ScimValue[] {
  const container = urn === null ? user : findMember(user, urn)
  const value = name !== null && isParts(container) ? findMember(container, name) : undefined
  return value === undefined ? [] : isList(value) ? value : [value]
}

/** The part of an entry, or of one that is not told, its value. */
function partOf(entry: ScimValue, part: string | null) {
  if (isList(entry)) return []
  if (!isParts(entry)) return part === null || part === 'value' ? [entry] : []
  // Of a complex value without a value, such as a name, any part tells that it is there.
  const value = part === null ? (findMember(entry, 'value') ?? Object.values(entry)[0]) : findMember(entry, part)
  return isScalar(value) ? [value] : []
}
