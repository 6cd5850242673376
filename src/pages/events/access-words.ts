import { FULL_ACCESS } from '#domain/accounts/key-lifecycle'
import type { KeyAccess, KeyQuota } from '#domain/events'
import { formatTime } from '#domain/local-times'
import { formatAttributeName } from '#pages/parts/attribute-values'
import { formatScopes } from '#pages/parts/key-words'
import { formatCount, formatNumber } from '#wording/numbers'

/* The quota and the access of a key in words, for sentences about its events. */

/** What is shown of a list in a sentence. */
export const SHOWN_CHANGES = 3

/** Says how many more a list has. */
export function formatMore(count: number) {
  return count > 0 ? ` and ${formatNumber(count)} more` : ''
}

/** Formats a quota: `10,000 calls monthly`. */
export function formatQuota({ quota_limit: limit, refresh_period: period }: KeyQuota) {
  return `${formatCount(limit, 'call')} ${period}`
}

/** What a new key may not do, in words. */
export function narrowings(access: KeyAccess, timeZone: string): string[] {
  const { scopes, expires_at: end, allowed_networks: networks, writable_fields: fields } = access
  return [
    ...(isUsual(scopes) ? [] : [formatScopes(scopes)]),
    ...(end === null ? [] : [`until ${formatTime(end, timeZone)}`]),
    ...(networks === null ? [] : [`from ${formatNetworks(networks)}`]),
    ...(fields === undefined ? [] : [formatFields(fields)]),
  ]
}

/** What changed in the access of a key, in words. */
export function accessChanges(from: KeyAccess, to: KeyAccess, timeZone: string) {
  const words = ({ scopes, expires_at: end, writable_fields: fields }: KeyAccess) => [
    formatScopes(scopes),
    end === null ? 'no expiry' : `expires ${formatTime(end, timeZone)}`,
    fields === undefined ? 'writes all fields' : formatFields(fields),
  ]
  const [before, after] = [words(from), words(to)]
  const changes = after.flatMap((now, at) => (now === before[at] ? [] : [`${before[at]} → ${now}`]))
  return [...changes, ...networkChanges(from.allowed_networks, to.allowed_networks)]
}

function networkChanges(from: KeyAccess['allowed_networks'], to: KeyAccess['allowed_networks']) {
  if (to === null) return from === null ? [] : ['allowed from any address']
  if (from === null) return [`allowed only from ${formatNetworks(to)}`]
  const [added, removed] = [to.filter((one) => !from.includes(one)), from.filter((one) => !to.includes(one))]
  return [
    ...(added.length === 0 ? [] : [`allowed from ${formatNetworks(added)}`]),
    ...(removed.length === 0 ? [] : [`not allowed from ${formatNetworks(removed)}`]),
  ]
}

function isUsual(scopes: KeyAccess['scopes']) {
  return scopes.join(' ') === FULL_ACCESS.scopes.join(' ')
}

function formatFields(fields: readonly string[]) {
  return fields.length === 0 ? 'writes no fields' : `writes only ${fields.map(formatAttributeName).join(', ')}`
}

function formatNetworks(networks: readonly string[]) {
  return `${networks.slice(0, SHOWN_CHANGES).join(', ')}${formatMore(networks.length - SHOWN_CHANGES)}`
}
