import {
  type KeyExcess,
  type KeyLimits,
  type Limited,
  type RefreshPeriod,
  KEY_SCOPES,
  type KeyScope,
  isSameExpectation,
  type ExpectedCalls,
} from './api-key.ts'
import { problem, type Problem, fieldError, invalidFields, type RecordError } from '#domain/errors'
import type { KeyQuota, NewEvent, KeyAccess } from '#domain/events'
import { allowExcess, isSameLimits, LIMITED, NO_LIMITS } from './key-limits.ts'
import { ATTRIBUTE_NAMES, type AttributeName } from '#domain/attributes'
import { readNetwork } from '#domain/networks'

/** The state of an API key that follows from its events. Excludes its secrets. */
export interface KeyLife extends Access {
  id: string
  version: number
  name: string
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  isEnabled: boolean
  isRevoked: boolean
  /** When its calls are expected; null if nobody is to be told when they don't come. */
  expectedCalls: ExpectedCalls | null
  limits: KeyLimits
  /** What an administrator last allowed beyond the limits; null if nothing. */
  excess: KeyExcess | null
}

export type KeyEvent = Extract<NewEvent, { type: `ApiKey${string}` }>
export type IssuedEvent = Extract<KeyEvent, { type: 'ApiKeyIssued' }>

/** The fields of a key that an edit changes; absent fields stay as they are. */
interface KeyEdit extends WantedAccess {
  name?: string | undefined
  quotaLimit?: number | undefined
  refreshPeriod?: RefreshPeriod | undefined
  expectedCalls?: ExpectedCalls | null | undefined
  limits?: WantedLimits | undefined
}

/** The limits that a key is to have. Absent members stay as they are. */
type WantedLimits = { [Name in Limited]?: KeyLimits[Name] | undefined }

/** A change of a key. */
export type KeyChange =
  | ({ change: 'edit' } & KeyEdit)
  | { change: 'rotate'; overlapSeconds: number }
  | ({ change: 'allow' } & Pick<KeyExcess, Limited>)
  | { change: 'disable' }
  | { change: 'enable' }
  | { change: 'revoke' }

/** The longest time that a rotated key's old secret may keep working, in seconds. */
export const MAX_OVERLAP_SECONDS = 604_800
export const DEFAULT_OVERLAP_SECONDS = 86_400
export const MAX_QUOTA = 2_147_483_647

export type Decided<Event> = { events: Event[]; problem?: undefined } | { events?: undefined; problem: Problem }

/** A key to issue. What is absent of its access is not narrowed. */
export interface KeyToIssue extends Pick<KeyLife, 'id' | 'name' | 'quotaLimit' | 'refreshPeriod'>, WantedAccess {
  limits?: WantedLimits | undefined
}

/** Issues a key: the first events of its stream. `now` is RFC 3339 UTC. */
export function decideIssue(key: KeyToIssue, now: string): Decided<KeyEvent> {
  const { access, problem } = readAccess(key, FULL_ACCESS, now)
  if (problem) return { problem }
  const data = { name: key.name, ...quotaOf(key), ...accessData(access) }
  const issued: IssuedEvent = { type: 'ApiKeyIssued', stream: key.id, version: 1, index: null, data }
  const { events = [] } = decideEdit(createKey(issued), { limits: key.limits }, now)
  return { events: [issued, ...events] }
}

/** Decides a change of a key. `now` is RFC 3339 UTC. Returns no events if nothing changes. */
export function decideKeyChange(key: KeyLife, change: KeyChange, now: string): Decided<KeyEvent> {
  if (key.isRevoked) {
    if (change.change === 'revoke') return { events: [] }
    return { problem: problem('key_revoked', 'The API key has been revoked permanently; issue a new one') }
  }
  const place = { stream: key.id, version: key.version + 1, index: null }
  switch (change.change) {
    case 'edit':
      return decideEdit(key, change, now)
    case 'rotate':
      return { events: [{ ...place, type: 'ApiKeyRotated', data: rotationOf(change.overlapSeconds, now) }] }
    case 'allow':
      return decideExcess(place, change, now)
    case 'disable':
      return { events: key.isEnabled ? [{ ...place, type: 'ApiKeyDisabled', data: {} }] : [] }
    case 'enable':
      return { events: key.isEnabled ? [] : [{ ...place, type: 'ApiKeyEnabled', data: {} }] }
    case 'revoke':
      return { events: [{ ...place, type: 'ApiKeyRevoked', data: {} }] }
  }
}

function decideEdit(key: KeyLife, edit: KeyEdit, now: string): Decided<KeyEvent> {
  const { access, problem } = readAccess(edit, key, now)
  if (problem) return { problem }
  const events: KeyEvent[] = []
  const place = () => ({ stream: key.id, version: key.version + events.length + 1, index: null })
  const { name = key.name, quotaLimit = key.quotaLimit, refreshPeriod = key.refreshPeriod } = edit
  if (name !== key.name) events.push({ ...place(), type: 'ApiKeyRenamed', data: { from: key.name, to: name } })
  if (quotaLimit !== key.quotaLimit || refreshPeriod !== key.refreshPeriod) {
    const data = { from: quotaOf(key), to: quotaOf({ quotaLimit, refreshPeriod }) }
    events.push({ ...place(), type: 'ApiKeyQuotaChanged', data })
  }
  if (!isSameAccess(access, key)) {
    const data = { from: accessData(key), to: accessData(access) }
    events.push({ ...place(), type: 'ApiKeyAccessChanged', data })
  }
  const { expectedCalls = key.expectedCalls } = edit
  if (!isSameExpectation(expectedCalls, key.expectedCalls)) {
    const data = { from: key.expectedCalls, to: expectedCalls }
    events.push({ ...place(), type: 'ApiKeyExpectedCallsChanged', data })
  }
  const limits = { ...key.limits, ...withoutUndefined(edit.limits ?? {}) }
  if (!isSameLimits(limits, key.limits))
    events.push({ ...place(), type: 'ApiKeyLimitsChanged', data: { from: key.limits, to: limits } })
  return { events }
}

function withoutUndefined(wanted: WantedLimits): Partial<KeyLimits> {
  return Object.fromEntries(Object.entries(wanted).filter(([, limit]) => limit !== undefined))
}

/** Allows a number of people beyond the limits, for a day. It replaces what was allowed before. */
function decideExcess(
  place: Pick<KeyEvent, 'stream' | 'version'>,
  numbers: Pick<KeyExcess, Limited>,
  now: string,
): Decided<KeyEvent> {
  if (LIMITED.some((name) => numbers[name] !== null))
    return { events: [{ ...place, index: null, type: 'ApiKeyExcessAllowed', data: allowExcess(numbers, now) }] }
  const message = `${LIMITED.join(' or ')} is required`
  return { problem: invalidFields([fieldError(`/${LIMITED[0]}`, 'required', message)]) }
}

/** What the event of a rotation says: for how long the old secret works, and until when; null if it ends at once. */
export function rotationOf(overlapSeconds: number, now: string) {
  const expiresAt = overlapSeconds === 0 ? null : new Date(Date.parse(now) + overlapSeconds * 1000).toISOString()
  return { overlap_seconds: overlapSeconds, previous_expires_at: expiresAt }
}

function quotaOf({ quotaLimit, refreshPeriod }: Pick<KeyLife, 'quotaLimit' | 'refreshPeriod'>): KeyQuota {
  return { quota_limit: quotaLimit, refresh_period: refreshPeriod }
}

/** The key that begins with an event. */
export function createKey({ stream: id, version, data }: IssuedEvent): KeyLife {
  const { name, quota_limit: quotaLimit, refresh_period: refreshPeriod } = data
  const initial = { isEnabled: true, isRevoked: false, expectedCalls: null, limits: NO_LIMITS, excess: null }
  return { id, version, name, quotaLimit, refreshPeriod, ...accessOf(data), ...initial }
}

/** Applies an event to a key. */
export function evolveKey(key: KeyLife, event: KeyEvent): KeyLife {
  const next = { ...key, version: event.version }
  switch (event.type) {
    case 'ApiKeyIssued':
      return createKey(event)
    case 'ApiKeyRenamed':
      return { ...next, name: event.data.to }
    case 'ApiKeyQuotaChanged':
      return { ...next, quotaLimit: event.data.to.quota_limit, refreshPeriod: event.data.to.refresh_period }
    case 'ApiKeyAccessChanged':
      return { ...next, ...accessOf(event.data.to) }
    case 'ApiKeyExpectedCallsChanged':
      return { ...next, expectedCalls: event.data.to }
    case 'ApiKeyLimitsChanged':
      return { ...next, limits: event.data.to }
    case 'ApiKeyExcessAllowed':
      return { ...next, excess: event.data }
    case 'ApiKeyRotated':
      return next
    case 'ApiKeyDisabled':
      return { ...next, isEnabled: false }
    case 'ApiKeyEnabled':
      return { ...next, isEnabled: true }
    case 'ApiKeyRevoked':
      return { ...next, isRevoked: true }
  }
}

/** What a key may do, when it ends (RFC 3339 UTC), and from where it may be used. Null is never, and anywhere. */
interface Access {
  scopes: readonly KeyScope[]
  expiresAt: string | null
  allowedNetworks: readonly string[] | null
  /** The fields of employees that it may write; null is all. */
  writableFields: readonly AttributeName[] | null
}

/** The access that a key is to have. Absent members stay as they are. */
export type WantedAccess = { [Member in keyof Access]?: Access[Member] | undefined }

export const FULL_ACCESS: Access = {
  scopes: ['employees:read', 'employees:write'],
  expiresAt: null,
  allowedNetworks: null,
  writableFields: null,
}
export const MAX_NETWORKS = 32

const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

type AccessReading = { access: Access; problem?: undefined } | { access?: undefined; problem: Problem }

/**
 * Reads the access that a key is to have, and brings it into its usual form: scopes and networks in order, networks in
 * CIDR notation and each once, no networks as null. An expiry must be later than `now` (RFC 3339 UTC), unless it is the
 * current one.
 */
function readAccess(requested: WantedAccess, current: Access, now: string): AccessReading {
  const errors: RecordError[] = []
  const { scopes = current.scopes } = requested
  const access = {
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    expiresAt:
      requested.expiresAt === undefined
        ? current.expiresAt
        : readExpiry(requested.expiresAt, current.expiresAt, now, errors),
    allowedNetworks:
      requested.allowedNetworks === undefined
        ? current.allowedNetworks
        : readNetworks(requested.allowedNetworks, errors),
    writableFields:
      requested.writableFields === undefined ? current.writableFields : readFields(requested.writableFields),
  }
  return errors.length > 0 ? { problem: invalidFields(errors) } : { access }
}

/** In the order of attributes, and null if all of them are named. */
function readFields(requested: readonly AttributeName[] | null): readonly AttributeName[] | null {
  if (requested === null) return null
  const fields = ATTRIBUTE_NAMES.filter((name) => requested.includes(name))
  return fields.length === ATTRIBUTE_NAMES.length ? null : fields
}

function readExpiry(requested: string | null, current: string | null, now: string, errors: RecordError[]) {
  if (requested === null) return null
  const atMs = Date.parse(requested)
  // The date-time format allows values that neither PostgreSQL nor Date accepts.
  const isTime = atMs <= LAST_INSTANT_MS
  const expiresAt = isTime ? new Date(atMs).toISOString() : requested
  if (isTime && (expiresAt === current || atMs > Date.parse(now))) return expiresAt
  errors.push(fieldError('/expires_at', 'invalid_value', 'expires_at must be in the future, and before the year 10000'))
  return null
}

function readNetworks(requested: readonly string[] | null, errors: RecordError[]) {
  if (requested !== null && requested.length > MAX_NETWORKS) {
    const message = `allowed_networks must have at most ${MAX_NETWORKS} items`
    errors.push(fieldError('/allowed_networks', 'too_long', message))
    return null
  }
  const networks = new Set<string>()
  for (const [at, text] of (requested ?? []).entries()) {
    const { network, error } = readNetwork(text)
    if (network === undefined)
      errors.push(fieldError(`/allowed_networks/${at}`, 'invalid_format', `allowed_networks/${at} ${error}`))
    else networks.add(network)
  }
  return networks.size === 0 ? null : [...networks].toSorted()
}

/** Whether two accesses in their usual form are the same. */
function isSameAccess(one: Access, other: Access) {
  return JSON.stringify(accessData(one)) === JSON.stringify(accessData(other))
}

/** The access of a key as its events have it. */
export function accessData({ scopes, expiresAt, allowedNetworks, writableFields }: Access): KeyAccess {
  const fields = writableFields === null ? {} : { writable_fields: writableFields }
  return { scopes, expires_at: expiresAt, allowed_networks: allowedNetworks, ...fields }
}

/** The access of a key from the data of an event. */
function accessOf({ scopes, expires_at, allowed_networks, writable_fields: fields }: KeyAccess): Access {
  return { scopes, expiresAt: expires_at, allowedNetworks: allowed_networks, writableFields: fields ?? null }
}
