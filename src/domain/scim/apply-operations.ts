import { matchesEntry } from './evaluate-filter.ts'
import type { Filter, TargetPath } from './parse-path.ts'
import type { ScimOperation } from './read-operations.ts'
import { findAttribute, isSameName } from './schemas.ts'
import { ScimFault } from './scim-fault.ts'
import { findName, isList, isNothing, isParts, isScalar, newParts } from './user-values.ts'
import type { ScimParts, ScimUser, ScimValue } from './user-values.ts'

/** An employee keeps fewer values: a list with more entries is a mistake, or meant to take long. */
const MAX_ENTRIES = 50

/**
 * Applies operations to a user, in order, and changes it (RFC 7644 section 3.5.2). `add` and `replace` are one for single
 * values, because providers mix them up. Values that are neither scalars nor of known structure stay as they are.
 */
export function* applyOperations(user: ScimUser, operations: readonly ScimOperation[]): Generator<void, void, void> {
  for (const [at, operation] of operations.entries()) {
    if (at % 16 === 15) yield
    apply(user, operation)
  }
}

function apply(user: ScimUser, { op, target, value }: ScimOperation): void {
  if (op === 'remove') return remove(user, target, value)
  if (isNothing(value)) return remove(user, target, undefined)
  const container = containerOf(user, target)
  const name = nameIn(container, target)
  if (target.filter) return setMatching(container, name, target, value)
  const current = container[name]
  const isMany = findAttribute(target.urn, name)?.attribute.isMany === true || isList(current)
  if (target.part !== null) return setPart(container, name, { ...target, part: target.part }, value, isMany)
  if (isMany || (Array.isArray(value) && !isSingle(target))) {
    const entries = [value].flat().map((entry: unknown) => toEntry(entry, target))
    container[name] = op === 'add' && isList(current) ? merge(current, entries) : keepPrimary(bound(entries))
    return
  }
  const single = unwrap(Array.isArray(value) ? (value as unknown[])[0] : value, target)
  if (!isParts(single)) {
    container[name] = isManager(target) ? newParts({ value: toValue(single) }) : toValue(single)
    return
  }
  const parts = isParts(current) ? current : newParts()
  setParts(parts, single, target)
  if (Object.keys(parts).length > 0) container[name] = parts
}

function containerOf(user: ScimUser, { urn }: TargetPath): ScimParts {
  if (urn === null) return user
  const name = findName(user, urn) ?? urn
  const known = user[name]
  if (isParts(known)) return known
  const made = newParts()
  user[name] = made
  return made
}

function nameIn(container: ScimParts, { name }: TargetPath): string {
  return findName(container, name!) ?? name!
}

function isSingle({ urn, name }: TargetPath): boolean {
  const known = findAttribute(urn, name ?? '')
  return known !== undefined && known.attribute.isMany !== true
}

function isManager({ urn, name }: TargetPath): boolean {
  return findAttribute(urn, name ?? '')?.name === 'manager'
}

/** The value of an attribute without parts, which Entra may send as an entry of a list. */
function unwrap(value: unknown, { urn, name }: TargetPath): unknown {
  const known = findAttribute(urn, name ?? '')?.attribute
  return known && !known.parts && isParts(value) && 'value' in value ? value.value : value
}

/** A value that is not looked into stays, to be refused or noted where the user is read. */
function toValue(value: unknown): ScimValue {
  return value as ScimValue
}

function toEntry(value: unknown, target: TargetPath): ScimValue {
  if (!isParts(value)) return newParts({ value: toValue(value) })
  const entry = newParts()
  setParts(entry, value, target)
  return entry
}

/** Sets the parts that a complex value has; the others stay. */
function setParts(parts: ScimParts, value: Record<string, unknown>, target: TargetPath): void {
  const known = findAttribute(target.urn, target.name ?? '')?.attribute.parts ?? []
  for (const sent of Object.keys(value)) {
    const spelled = known.find(({ name }) => isSameName(name, sent))?.name ?? sent
    const name = findName(parts, spelled) ?? spelled
    const part = value[sent]
    if (isNothing(part)) delete parts[name]
    else parts[name] = name === 'primary' ? readFlag(part) : toValue(part)
  }
}

function readFlag(value: unknown): ScimValue {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return text === 'true' || text === 'false' ? text === 'true' : toValue(value)
}

function setPart(
  container: ScimParts,
  name: string,
  target: TargetPath & { part: string },
  value: unknown,
  isMany: boolean,
): void {
  const current = container[name]
  const change = { [target.part]: value }
  if (!isMany) {
    const parts = isParts(current) ? current : newParts()
    setParts(parts, change, target)
    container[name] = parts
    return
  }
  const entries = isList(current) && current.length > 0 ? current : [newParts()]
  for (const entry of entries) if (isParts(entry)) setParts(entry, change, target)
  container[name] = keepPrimary(entries)
}

/** Sets the entries that a filter finds; if it finds none, makes the one that it describes. */
function setMatching(container: ScimParts, name: string, target: TargetPath, value: unknown): void {
  const current = container[name]
  const entries = isList(current) ? current : []
  let found = entries.filter((entry) => matchesEntry(target.filter!, entry))
  if (found.length === 0) {
    const made = describedBy(target.filter!)
    found = [made]
    entries.push(made)
  }
  const part = target.part ?? (isParts(value) ? null : 'value')
  for (const entry of found)
    if (isParts(entry)) setParts(entry, part === null ? (value as ScimParts) : { [part]: value }, target)
  container[name] = keepPrimary(bound(entries), found[0])
}

/** The entry that a filter describes by what its parts equal. */
function describedBy(filter: Filter): ScimParts {
  const entry = newParts()
  const add = (one: Filter): void => {
    if (one.kind === 'and') one.of.forEach(add)
    else if (one.kind === 'compare' && one.operator === 'eq' && one.value !== null)
      entry[one.path.part ?? 'value'] = one.path.part === 'primary' ? readFlag(one.value) : one.value
    else throw new ScimFault('noTarget', 'No entry matches the filter of the path')
  }
  add(filter)
  return entry
}

/** Adds entries to a list. One of a type that it has changes that entry. */
function merge(current: ScimValue[], added: ScimValue[]): ScimValue[] {
  const list = [...current]
  for (const entry of added) {
    const same = list.find((one) => isParts(one) && isParts(entry) && isSameEntry(one, entry))
    if (isParts(same) && isParts(entry)) Object.assign(same, entry)
    else list.push(entry)
  }
  return keepPrimary(bound(list), added[0])
}

function isSameEntry(one: ScimParts, other: ScimParts): boolean {
  const [type, otherType] = [one, other].map((entry) => entry['type'])
  if (isScalar(type) && isScalar(otherType)) return isSameName(String(type), String(otherType))
  return type === otherType && one['value'] === other['value']
}

function bound(entries: ScimValue[]): ScimValue[] {
  if (entries.length <= MAX_ENTRIES) return entries
  throw new ScimFault('invalidValue', `A list must have at most ${MAX_ENTRIES} entries`)
}

/** Leaves one primary entry: the one that was set last, or else the first. */
function keepPrimary(entries: ScimValue[], last?: ScimValue): ScimValue[] {
  const primary = entries.filter((entry) => isParts(entry) && entry['primary'] === true)
  const kept = last !== undefined && primary.includes(last) ? last : primary[0]
  for (const entry of primary) if (entry !== kept && isParts(entry)) entry['primary'] = false
  return entries
}

/** Removes what a path names: of a list, the entries that its filter finds, or that have the value that was sent. */
function remove(user: ScimUser, target: TargetPath, value: unknown): void {
  if (target.name === null) {
    if (target.urn !== null) delete user[findName(user, target.urn) ?? target.urn]
    return
  }
  const container = target.urn === null ? user : user[findName(user, target.urn) ?? target.urn]
  if (!isParts(container)) return
  const name = nameIn(container, target)
  const current = container[name]
  if (current === undefined) return
  if (isList(current)) {
    const isMeant = (entry: ScimValue) => !target.filter || matchesEntry(target.filter, entry)
    const { part } = target
    if (part !== null) {
      for (const entry of current.filter(isMeant)) if (isParts(entry)) removePart(entry, part, value)
      container[name] = current.filter(
        (entry) => !isParts(entry) || Object.keys(entry).some((one) => !DESCRIBING.has(one)),
      )
    } else container[name] = current.filter((entry) => !isMeant(entry) || !hasValue(entry, value))
  } else if (target.part !== null) {
    if (isParts(current)) removePart(current, target.part, value)
  } else if (hasValue(current, value)) delete container[name]
}

/** What an entry without a value need not keep. */
const DESCRIBING = new Set(['type', 'primary', 'display'])

function removePart(parts: ScimParts, part: string, value: unknown): void {
  const name = findName(parts, part) ?? part
  if (parts[name] !== undefined && hasValue(parts[name], value)) delete parts[name]
}

/** Whether a value is one of those that are to be removed; nothing that was sent means any. */
function hasValue(current: ScimValue, sent: unknown): boolean {
  if (isNothing(sent)) return true
  return [sent].flat().some((one: unknown) => {
    const wanted = isParts(one) ? one['value'] : one
    const own = isParts(current) ? current['value'] : current
    if (wanted === undefined) return true
    return isScalar(own) && isScalar(wanted) && isSameName(String(own), String(wanted))
  })
}
