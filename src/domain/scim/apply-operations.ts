import { matchesEntry } from './evaluate-filter.ts'
import { spellPart, type Filter, type TargetPath } from './parse-path.ts'
import type { ScimOperation } from './read-operations.ts'
import { findAttribute, foldName } from './schemas.ts'
import { ScimFault } from './scim-fault.ts'
import {
  assertMembers,
  findName,
  foldValue,
  isList,
  isNothing,
  isParts,
  isScalar,
  nameToSet,
  newParts,
  partsAt,
  type ScimParts,
  type ScimUser,
  type ScimValue,
} from './user-values.ts'

/** An employee keeps fewer values: a list with more entries is a mistake, or meant to take long. */
const MAX_ENTRIES = 50

/**
 * Applies operations to a user, in order, and changes it (RFC 7644 section 3.5.2). `add` and `replace` are one for single
 * values, because providers mix them up. Values that are neither scalars nor of known structure stay as they are. A filter
 * that finds nothing, and describes no entry to be made, is `noTarget`, unless the user is `nobody`.
 */
export function* applyOperations(
  user: ScimUser,
  operations: readonly ScimOperation[],
  nobody: 'nobody' | null = null,
): Generator<void, void, void> {
  for (const [at, operation] of operations.entries()) {
    // One may compare 50 long entries with a filter.
    if (at > 0) yield
    apply(user, operation, nobody !== null)
  }
}

function apply(user: ScimUser, { op, target, value: sent }: ScimOperation, isNobody: boolean): void {
  const known = findAttribute(target.urn, target.name!)?.attribute
  const isWhole = target.filter === null && target.part === null
  const isEntries = isWhole && (known ? known.isMany === true : Array.isArray(sent))
  const value = isEntries || op === 'remove' ? sent : unwrap(sent, target.part !== null || (known && !known.parts))
  if (op === 'remove' || isNothing(value)) return remove(user, target, op === 'remove' ? value : undefined)
  const container = target.urn === null ? user : partsAt(user, target.urn)
  const name = nameToSet(container, target.name!)
  const current = container[name]
  if (isEntries || (isWhole && isList(current))) {
    const entries = [value].flat().map((entry: unknown) => setParts(newParts(), toParts(entry), target))
    container[name] = op === 'add' && isList(current) ? merge(current, entries) : keepPrimary(bound(entries))
    return
  }
  const isMany = known?.isMany === true || isList(current) || target.filter !== null
  if (target.part === null && !isParts(value) && !isMany && known?.parts?.[0]?.name !== 'value') {
    container[name] = toValue(value)
    return
  }
  // A filter that finds nothing describes an entry to be made.
  const entries = isList(current) ? current : isParts(current) ? [current] : []
  let found = target.filter ? entries.filter((entry) => matchesEntry(target.filter!, entry)) : entries
  if (found.length === 0) {
    const described = target.filter ? describedBy(target.filter) : newParts()
    if (described === null) {
      if (isNobody) return
      throw new ScimFault('noTarget', 'No entry matches the filter of the path')
    }
    found = [described]
    entries.push(described)
  }
  const parts = target.part === null ? toParts(value) : { [target.part]: value }
  for (const entry of found) if (isParts(entry)) setParts(entry, parts, target)
  if (isMany) container[name] = keepPrimary(bound(entries), target.filter ? found[0] : undefined)
  else if (Object.keys(found[0]!).length > 0) container[name] = found[0]!
}

/**
 * The value of an attribute that has one. Clients may send it as the only entry of a list, and that of one without parts
 * as an object with a `value`.
 */
function unwrap(sent: unknown, isScalar: boolean | undefined) {
  const value: unknown = Array.isArray(sent) ? sent[0] : sent
  return isScalar && isParts(value) && 'value' in value ? value.value : value
}

/** A value that is not looked into stays, to be refused or noted where the user is read. */
function toValue(value: unknown) {
  return value as ScimValue
}

function toParts(value: unknown): Record<string, unknown> {
  return isParts(value) ? value : { value }
}

/** Sets the parts that a complex value has; the others stay. */
function setParts(parts: ScimParts, value: Record<string, unknown>, target: TargetPath) {
  const names = new Map(Object.keys(parts).map((name) => [foldName(name), name]))
  for (const sent of Object.keys(value)) {
    const spelled = spellPart(target, sent)
    const key = foldName(spelled)
    const name = names.get(key) ?? spelled
    const part = value[sent]
    if (isNothing(part)) {
      delete parts[name]
      names.delete(key)
    } else {
      parts[name] = name === 'primary' ? readFlag(part) : toValue(part)
      names.set(key, name)
    }
    assertMembers(names.size)
  }
  return parts
}

function readFlag(value: unknown) {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return text === 'true' || text === 'false' ? text === 'true' : toValue(value)
}

/** The entry that a filter describes by what its parts equal; null if it says anything else. */
function describedBy(filter: Filter) {
  const entry = newParts()
  const add = (one: Filter) => {
    if (one.kind === 'and') return one.of.every(add)
    if (one.kind !== 'compare' || one.operator !== 'eq' || one.value === null) return false
    entry[one.path.part ?? 'value'] = one.path.part === 'primary' ? readFlag(one.value) : one.value
    return true
  }
  return add(filter) ? entry : null
}

/** Adds entries to a list. One of a type that it has changes that entry. */
function merge(current: ScimValue[], added: ScimValue[]) {
  const list = [...current]
  const known = new Map<string, ScimParts>()
  // The first of several entries that are the same is the one that changes.
  for (const entry of current.toReversed()) {
    const key = isParts(entry) ? keyOf(entry) : null
    if (key !== null && isParts(entry)) known.set(key, entry)
  }
  for (const entry of added) {
    const key = isParts(entry) ? keyOf(entry) : null
    const same = key === null ? undefined : known.get(key)
    if (same) {
      Object.assign(same, entry)
      continue
    }
    list.push(entry)
    if (key !== null && isParts(entry)) known.set(key, entry)
  }
  return keepPrimary(bound(list), added[0])
}

/** What two entries have in common that are one: their type, or their value if they have no type. */
function keyOf({ type, value }: ScimParts) {
  if (isScalar(type)) return `type ${foldName(String(type))}`
  const isKnown = type === undefined && (value === undefined || isScalar(value))
  return isKnown ? `${typeof value} ${String(value)}` : null
}

function bound(entries: ScimValue[]) {
  if (entries.length <= MAX_ENTRIES) return entries
  throw new ScimFault('invalidValue', `A list must have at most ${MAX_ENTRIES} entries`)
}

/** Leaves one primary entry: the one that was set last, or else the first. */
function keepPrimary(entries: ScimValue[], last?: ScimValue) {
  const primary = entries.filter((entry) => isParts(entry) && entry['primary'] === true)
  const kept = last !== undefined && primary.includes(last) ? last : primary[0]
  for (const entry of primary) if (entry !== kept && isParts(entry)) entry['primary'] = false
  return entries
}

/** Removes what a path names: of a list, the entries that its filter finds, or that have the value that was sent. */
function remove(user: ScimUser, { urn, name: sent, part: partName, filter }: TargetPath, value?: unknown): void {
  const extension = urn === null ? undefined : (findName(user, urn) ?? urn)
  if (sent === null) return void (extension !== undefined && delete user[extension])
  const container = extension === undefined ? user : user[extension]
  const name = isParts(container) && findName(container, sent)
  if (!isParts(container) || name === undefined || name === false) return
  const current = container[name]!
  const wanted = readWantedValues(value)
  const left = [current].flat().filter((entry) => {
    if (filter && !matchesEntry(filter, entry)) return true
    if (partName === null) return !isWanted(entry, wanted)
    if (!isParts(entry)) return true
    const part = findName(entry, partName)
    if (part !== undefined && isWanted(entry[part]!, wanted)) delete entry[part]
    return !isList(current) || Object.keys(entry).some((one) => !DESCRIBING.has(one))
  })
  if (isList(current)) container[name] = left
  else if (left.length === 0) delete container[name]
}

/** What an entry without a value need not keep. */
const DESCRIBING = new Set(['type', 'primary', 'display'])

/** The values that are to be removed, in the form in which they are compared; null for any, as if nothing was sent. */
function readWantedValues(sent: unknown): Set<string> | null {
  if (isNothing(sent)) return null
  const values = [sent].flat().map((one: unknown) => (isParts(one) ? one['value'] : one))
  return values.includes(undefined) ? null : new Set(values.filter(isScalar).map(foldValue))
}

function isWanted(current: ScimValue, wanted: ReadonlySet<string> | null) {
  const own = isParts(current) ? current['value'] : current
  return wanted === null || (isScalar(own) && wanted.has(foldValue(own)))
}
