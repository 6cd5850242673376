import type { EmployeeStatus } from '../attributes.ts'
import { INSTANT } from './evaluate-filter.ts'
import type { AttributePath, Filter } from './parse-path.ts'

/** What the stored row of an employee tells of a filter, as plain data. */
export type StoredCondition =
  | { kind: 'and' | 'or'; of: StoredCondition[] }
  | { kind: 'not'; of: StoredCondition }
  | { kind: 'status'; status: EmployeeStatus }
  | { kind: 'time'; of: 'created_at' | 'updated_at'; operator: TimeOperator; ms: number }
  /** A text, in lower case and ASCII. Attributes with other characters than those of ASCII may match without it. */
  | { kind: 'mentions'; text: string }

type TimeOperator = 'gt' | 'ge' | 'lt' | 'le'

interface StoredFilter {
  /** Holds for everybody who matches. */
  condition: StoredCondition
  /** Whether it holds for nobody else. */
  isExact: boolean
}

/** What the rows tell of a filter; null if nothing. */
export function findStoredCondition(filter: Filter): StoredFilter | null {
  switch (filter.kind) {
    case 'and': {
      const told = filter.of.map(findStoredCondition)
      const of = told.filter((one) => one !== null)
      if (of.length === 0) return null
      return { condition: { kind: 'and', of: of.map(({ condition }) => condition) }, isExact: told.every(isExact) }
    }
    case 'or': {
      const of = filter.of.map(findStoredCondition).filter((one) => one !== null)
      if (of.length < filter.of.length) return null
      return { condition: { kind: 'or', of: of.map(({ condition }) => condition) }, isExact: of.every(isExact) }
    }
    case 'not': {
      const told = findStoredCondition(filter.of)
      return told?.isExact ? { condition: { kind: 'not', of: told.condition }, isExact: true } : null
    }
    case 'entry': {
      const told = findStoredCondition(filter.of)
      return told && { ...told, isExact: false }
    }
    case 'present':
      return null
    case 'compare':
      return findStatus(filter) ?? findTime(filter) ?? findText(filter)
  }
}

function isExact(told: StoredFilter | null) {
  return told?.isExact === true
}

type Comparison = Extract<Filter, { kind: 'compare' }>

function findStatus({ path, operator, value }: Comparison): StoredFilter | null {
  const text = String(value).toLowerCase()
  const isFlag = operator === 'eq' || operator === 'ne'
  if (!isNamed(path, 'active', null) || !isFlag || (text !== 'true' && text !== 'false')) return null
  const status = (text === 'true') === (operator === 'eq') ? 'active' : 'inactive'
  return { condition: { kind: 'status', status }, isExact: true }
}

const TIMES = { created: 'created_at', lastModified: 'updated_at' } as const
const ORDERS: ReadonlySet<string> = new Set<TimeOperator>(['gt', 'ge', 'lt', 'le'])

function findTime({ path, operator, value }: Comparison): StoredFilter | null {
  const of = (['created', 'lastModified'] as const).find((part) => isNamed(path, 'meta', part))
  const ms = INSTANT.test(String(value)) ? Date.parse(String(value)) : NaN
  if (of === undefined || !ORDERS.has(operator) || Number.isNaN(ms)) return null
  return { condition: { kind: 'time', of: TIMES[of], operator: operator as TimeOperator, ms }, isExact: true }
}

function isNamed(path: AttributePath, name: string, part: string | null) {
  return path.urn === null && path.name === name && path.part === part
}

/** What the attributes of an employee don't have as the user shows it. */
const NOT_STORED: ReadonlySet<string> = new Set(['id', 'userName', 'active', 'meta', 'schemas', 'groups', 'password'])
const NOT_STORED_PARTS: ReadonlySet<string> = new Set(['type', 'primary', '$ref'])

const TEXTUAL: ReadonlySet<string> = new Set(['eq', 'co', 'sw', 'ew'])
/** What JSON writes as it is, and what has one form in lower case. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/

function findText({ path, operator, value }: Comparison): StoredFilter | null {
  if (!TEXTUAL.has(operator) || typeof value !== 'string' || !PLAIN.test(value)) return null
  // Numbers have several spellings.
  if (!Number.isNaN(Number(value)) || (path.urn === null && NOT_STORED.has(path.name ?? ''))) return null
  if (path.part !== null && NOT_STORED_PARTS.has(path.part)) return null
  return { condition: { kind: 'mentions', text: value.toLowerCase() }, isExact: false }
}
