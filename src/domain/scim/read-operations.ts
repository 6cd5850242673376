import { isSecretName } from '../secret-members.ts'
import { parsePath, PathError, type TargetPath } from './parse-path.ts'
import { findAttribute, isSchemaUrn, spellUrn } from './schemas.ts'
import { ScimFault } from './scim-fault.ts'
import { assertMembers, findMember, isNothing, isParts } from './user-values.ts'

/** A change of a user, as a client sent it and with its path read. */
export interface ScimOperation {
  op: 'add' | 'replace' | 'remove'
  target: TargetPath
  /** Any JSON. */
  value: unknown
}

/** What the attributes that a client may send back, and those that nobody may read, are named. */
const PASSED_OVER = new Set(['id', 'meta', 'schemas', 'groups', 'password'])

/** What a request asks for, and the members of it that are no attributes. */
export interface Operations {
  operations: ScimOperation[]
  unread: number
}

/** Reads a whole user (POST and PUT), which sets what it names: each of its members is an operation. */
export function readUserBody(body: unknown) {
  if (!isParts(body)) throw new ScimFault('invalidSyntax', 'The body must be an object: a user')
  const read: Operations = { operations: [], unread: 0 }
  addMembers(read, 'replace', body)
  return read
}

/** Reads the operations of a patch (RFC 7644 section 3.5.2), whose names and kinds may be in any case. */
export function* readPatchBody(body: unknown): Generator<void, Operations, void> {
  const list = isParts(body) ? findMember<unknown>(body, 'Operations') : undefined
  if (!Array.isArray(list)) throw new ScimFault('invalidSyntax', 'The body must be an object with a list of Operations')
  const read: Operations = { operations: [], unread: 0 }
  for (const [at, sent] of (list as unknown[]).entries()) {
    if (at % 16 === 15) yield
    if (!isParts(sent)) throw new ScimFault('invalidSyntax', `Operations[${at}] must be an object`)
    addOperation(read, sent, `Operations[${at}]`)
  }
  return read
}

function addOperation(read: Operations, sent: Record<string, unknown>, place: string) {
  const [op, path, value] = ['op', 'path', 'value'].map((name) => findMember(sent, name))
  const kind = typeof op === 'string' ? op.toLowerCase() : ''
  if (kind !== 'add' && kind !== 'replace' && kind !== 'remove')
    throw new ScimFault('invalidSyntax', `${place}.op must be add, replace, or remove`)
  if (kind === 'add' && value === undefined)
    throw new ScimFault('invalidValue', `${place} must have a value that says what to add`)
  if (path === undefined || path === null || path === '') {
    if (kind === 'remove') throw new ScimFault('noTarget', `${place} must have a path that says what to remove`)
    const members: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (!isParts(members)) throw new ScimFault('invalidValue', `${place}.value must be an object, or name a path`)
    return addMembers(read, kind, members)
  }
  if (typeof path !== 'string') throw new ScimFault('invalidPath', `${place}.path must be a text`)
  const target = readTarget(path, place)
  if (target.urn === null && (target.name === 'id' || target.name === 'meta'))
    throw new ScimFault('mutability', `${target.name} is set by the service`)
  if (isPassedOver(target)) return
  if (target.name === null && kind !== 'remove') {
    if (!isParts(value)) throw new ScimFault('invalidValue', `${place}.value must be an object`)
    return addMembers(read, kind, value, target.urn)
  }
  read.operations.push({ op: kind, target, value })
}

function readTarget(path: string, place: string): TargetPath {
  try {
    return parsePath(path)
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new ScimFault('invalidPath', `${place}.path can't be read: ${error.message}`)
  }
}

/** Adds an operation for each member of an object, whose names are paths. `urn` is the extension that it is of. */
function addMembers(
  read: Operations,
  op: 'add' | 'replace',
  members: Record<string, unknown>,
  urn: string | null = null,
) {
  const names = Object.keys(members)
  assertMembers(names.length)
  for (const name of names) {
    const value = members[name]
    if (urn === null && isParts(value) && isExtension(name)) {
      addMembers(read, op, value, spellUrn(name))
      continue
    }
    const target = targetOf(name, urn)
    if (!target) read.unread += 1
    // In a whole user, or a part of one, an activity without a value is one that isn't told.
    else if (!isPassedOver(target) && !(isActivity(target) && isNothing(value)))
      read.operations.push({ op, target, value })
  }
}

/** Whether a member with parts is an extension, and no attribute of one. A schema's URN needs no version. */
function isExtension(name: string) {
  return isSchemaUrn(name) || (/^urn:/i.test(name) && !isSchemaUrn(name.slice(0, name.lastIndexOf(':'))))
}

function targetOf(name: string, urn: string | null): TargetPath | null {
  try {
    const target = parsePath(name)
    if (target.name === null) return null
    if (urn === null) return target
    const known = findAttribute(urn, target.name)
    return target.urn === null ? { ...target, urn, name: known?.name ?? target.name } : null
  } catch (error) {
    if (error instanceof PathError) return null
    throw error
  }
}

function isActivity({ urn, name }: TargetPath) {
  return urn === null && name === 'active'
}

function isPassedOver({ urn, name, part }: TargetPath) {
  const isOwn = urn === null && name !== null && PASSED_OVER.has(name)
  return isOwn || [name, part].some((one) => one !== null && isSecretName(one))
}
