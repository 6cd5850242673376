import { readAttribute, uniqueForm, type UniqueName } from '../attributes.ts'
import { noteOf } from '../call-sources.ts'
import type { EmployeeDirectory } from '../calls/call-decision.ts'
import { NewIds, type KeptNames, type Locator, type ReadRecord, UnreadRecord } from '../calls/call-records.ts'
import type { FittedCommand } from '../calls/decide-fitted.ts'
import { NOBODY, NO_TOUCHES, type Naming } from '../calls/uniqueness.ts'
import type { Employee } from '../employees/employee.ts'
import type { Preconditions } from '../employees/entity-tag.ts'
import { isId } from '../ids.ts'
import type { Pieces } from '../pieces.ts'
import { RecordErrors } from '../record-faults.ts'
import { hideSecrets, isSecretName } from '../secret-members.ts'
import { applyOperations } from './apply-operations.ts'
import { readPatchBody, readUserBody, type Operations, type ScimOperation } from './read-operations.ts'
import { listManagerNames, readUser } from './read-user.ts'
import { toUserValues } from './render-user.ts'
import { ScimFault } from './scim-fault.ts'
import { findMember, findName, isParts, isScalar, newParts } from './user-values.ts'

const NOBODY_THERE: Pick<EmployeeDirectory, 'byId' | 'byEmail' | 'byExternalId' | 'byUserName'> = {
  byId: () => undefined,
  byEmail: () => undefined,
  byExternalId: () => undefined,
  byUserName: () => undefined,
}

/** What a SCIM request is about beside its body. */
interface ScimRequest {
  /** The id in the path; null of a creation. */
  id: string | null
  preconditions: Preconditions
  newId(prefix: 'emp'): string
}

/** Reads a creation (POST) or a replacement (PUT), which sets what it names and keeps the rest. */
export function readWholeUser(body: unknown, request: ScimRequest): Pieces<FittedCommand> {
  return buildCommand(readUserBody(body), cleanBody(body), request)
}

/** Reads a patch. */
export function* readPatch(body: unknown, request: ScimRequest): Pieces<FittedCommand> {
  return yield* buildCommand(yield* readPatchBody(body), cleanBody(body), request)
}

/** The deletion of a user: the employee is deactivated, and hidden from then on. */
export function readDeletion(request: ScimRequest & { id: string }): FittedCommand {
  const record: ReadRecord = { ...newRecord(null, {}), patch: { status: 'inactive', deprovisioned_at: 'now' } }
  const command = commandOf(record, request, NOBODY)
  return {
    ...command,
    status: 204,
    *fit() {
      yield
      return { record, notes: [] }
    },
  }
}

function newRecord(sent: unknown, names: KeptNames): ReadRecord {
  const errors = new RecordErrors()
  const [locator, statedId] = [null, null]
  return { index: 0, list: null, sent, locator, patch: {}, localPhones: [], managers: [], statedId, errors, names }
}

function* buildCommand({ operations, unread }: Operations, sent: unknown, request: ScimRequest): Pieces<FittedCommand> {
  const named = collectNames(operations)
  // Of several, the first.
  const kept = Object.fromEntries(named.names.toReversed().map(({ field, value }) => [field, value]))
  const empty = newRecord(sent, kept)
  const user = newParts()
  // What it does to nobody is what it sets at most, apart from what a filter finds.
  yield* applyOperations(user, operations, 'nobody')
  const state = { before: undefined, directory: NOBODY_THERE, country: null }
  const { record: alone } = readUser(user, state, empty)
  const localPhones = named.phones.map((text) => ({ name: 'phone' as const, text }))
  const managers = named.managers.map((locator) => ({ field: 'manager_id' as const, locator }))
  const record = { ...alone, localPhones, managers }
  const told = unread === 0 ? [] : [noteOf('an attribute', 'not_kept')]
  return {
    ...commandOf(record, request, namingOf(named.names)),
    *fit(before: Employee | undefined, directory: EmployeeDirectory, country: string | null) {
      const changed = before ? toUserValues(before) : newParts()
      // A creation that brings somebody back activates them unless it says otherwise.
      if (before && request.id === null) changed['active'] = true
      try {
        yield* applyOperations(changed, operations)
      } catch (error) {
        // What a filter finds, and how long a list becomes, depend on the user.
        if (error instanceof ScimFault) return { refusal: error.problem }
        throw error
      }
      const fitted = readUser(changed, { before, directory, country }, empty)
      const { record: own, notes } = fitted
      // Whoever leaves must not stay active for another value that is wrong.
      const isLeaving = request.id !== null && own.patch.status === 'inactive'
      const patch = request.id === null ? { ...own.patch, deprovisioned_at: null } : own.patch
      return { record: { ...own, patch, ...(isLeaving && { leavesOut: true }) }, notes: [...told, ...notes] }
    },
  }
}

function commandOf(
  record: ReadRecord,
  { id, preconditions, newId }: ScimRequest,
  claimed: Naming,
): Omit<FittedCommand, 'fit'> {
  const names = id === null ? findersOf(record) : []
  const located = { ...NOBODY, employeeIds: id !== null && isId('emp', id) ? [id] : [] }
  const directoryId = id === null ? (record.patch.directory_external_id ?? null) : null
  return {
    operation: id === null ? 'create' : 'update_one',
    count: 1,
    touches: {
      ...NO_TOUCHES,
      located: { ...located, directoryIds: directoryId === null ? [] : [directoryId] },
      managers: namingOf(record.managers.flatMap(({ locator }) => locator ?? [])),
      claimed,
    },
    records: [{ ...record, locator: id === null ? (names[0] ?? null) : { field: 'id', value: id } }],
    finds: { names, directoryId },
    newIds: new NewIds(newId),
    ...(id === null ? {} : { offending: { locator: { id }, record: record.sent } }),
    preconditions,
  }
}

/** Whom a creation means if they are inactive. */
function findersOf({ patch }: ReadRecord): Locator[] {
  return (['user_name', 'email'] as const).flatMap((field): Locator[] => {
    const value = uniqueForm(field, patch[field])
    return typeof value === 'string' ? [{ field, value }] : []
  })
}

/** A name that somebody may have. */
interface Name {
  field: Locator['field'] | keyof KeptNames
  value: string
}

function namingOf(names: readonly Name[]): Naming {
  const by = (field: Name['field']) => [...new Set(names.flatMap((one) => (one.field === field ? one.value : [])))]
  return {
    ...NOBODY,
    employeeIds: by('id'),
    emails: by('email'),
    externalIds: by('external_id'),
    userNames: by('user_name'),
  }
}

/** By what clients name, which may be the name of anything that an object inherits. */
const NAMED_BY: ReadonlyMap<string, UniqueName> = new Map([
  ['userName', 'user_name'],
  ['emails', 'email'],
  ['hrId', 'external_id'],
])

/** Every value in operations that names somebody, wherever a filter puts it. */
function collectNames(operations: readonly ScimOperation[]) {
  const named = { names: [] as Name[], managers: [] as Locator[], phones: [] as string[] }
  for (const { target, value } of operations)
    for (const text of listTexts(value)) {
      const field = NAMED_BY.get(target.name ?? '')
      const read = field && readAttribute(field, text).value
      if (field && typeof read === 'string') named.names.push({ field, value: uniqueForm(field, read) })
      if (target.name === 'externalId') named.names.push({ field: 'directory_external_id', value: text })
      if (target.name === 'manager') for (const name of listManagerNames(text)) named.managers.push(name)
      if (target.name === 'phoneNumbers') named.phones.push(text)
    }
  return named
}

/** The texts in a value and in its parts. */
function listTexts(value: unknown): string[] {
  if (isScalar(value)) return [String(value)]
  if (Array.isArray(value)) return value.flatMap(listTexts)
  return isParts(value) ? Object.values(value).flatMap((part) => (isScalar(part) ? [String(part)] : [])) : []
}

/** A body as the log may keep it: without passwords, whatever names it has for them. One that was not parsed is not kept. */
export function cleanBody(body: unknown): unknown {
  if (body instanceof UnreadRecord) return null
  const list = isParts(body) ? findMember<unknown>(body, 'Operations') : undefined
  if (!isParts(body) || !Array.isArray(list)) return hideSecrets(body)
  const operations = (list as unknown[]).flatMap((sent) => {
    if (!isParts(sent)) return [sent]
    const path = findMember<unknown>(sent, 'path')
    return typeof path === 'string' && path.split(/[^\p{L}\p{N}_-]+/u).some(isSecretName) ? [] : [sent]
  })
  return hideSecrets({ ...body, [findName(body, 'Operations')!]: operations })
}
