import { ATTRIBUTE_NAMES, type AttributeName } from '../attributes.ts'
import { KEY_SCOPES, type KeyScope } from './api-key.ts'
import { type Problem, type RecordError, fieldError, invalidFields } from '../errors.ts'
import type { KeyAccess } from '../events.ts'
import { readNetwork } from '../networks.ts'

/** What a key may do, when it ends (RFC 3339 UTC), and from where it may be used. Null is never, and anywhere. */
export interface Access {
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
export function readAccess(requested: WantedAccess, current: Access, now: string): AccessReading {
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

function readExpiry(
  requested: string | null,
  current: string | null,
  now: string,
  errors: RecordError[],
): string | null {
  if (requested === null) return null
  const atMs = Date.parse(requested)
  // The date-time format allows values that neither PostgreSQL nor Date accepts.
  const isTime = atMs <= LAST_INSTANT_MS
  const expiresAt = isTime ? new Date(atMs).toISOString() : requested
  if (isTime && (expiresAt === current || atMs > Date.parse(now))) return expiresAt
  errors.push(fieldError('/expires_at', 'invalid_value', 'expires_at must be in the future, and before the year 10000'))
  return null
}

function readNetworks(requested: readonly string[] | null, errors: RecordError[]): string[] | null {
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
export function isSameAccess(one: Access, other: Access): boolean {
  return JSON.stringify(accessData(one)) === JSON.stringify(accessData(other))
}

/** The access of a key as its events have it. */
export function accessData({ scopes, expiresAt, allowedNetworks, writableFields }: Access): KeyAccess {
  const fields = writableFields === null ? {} : { writable_fields: writableFields }
  return { scopes, expires_at: expiresAt, allowed_networks: allowedNetworks, ...fields }
}

/** The access of a key from the data of an event. */
export function accessOf({ scopes, expires_at, allowed_networks, writable_fields: fields }: KeyAccess): Access {
  return { scopes, expiresAt: expires_at, allowedNetworks: allowed_networks, writableFields: fields ?? null }
}
