import type { Decided } from '../accounts/key-lifecycle.ts'
import { findChangedSettings } from '../changed-settings.ts'
import { problem, fieldError, invalidFields } from '../errors.ts'
import type { NewEvent } from '../events.ts'
import type { ClientAuth, ProviderSettings, ProviderUse } from '../provider-settings.ts'

/** The state of a company's identity provider that follows from its events. Excludes its secret. */
export interface ProviderLife {
  id: string
  version: number
  settings: ProviderSettings
  use: ProviderUse
}

type ProviderEvent = Extract<NewEvent, { type: `IdentityProvider${string}` }>

/** A change of a provider. How the service authenticates changes only together with its secret. */
export type ProviderChange =
  | { change: 'edit'; settings: Omit<ProviderSettings, 'client_auth'> }
  | { change: 'replace_secret'; clientAuth: ClientAuth }
  | { change: 'use'; use: ProviderUse }
  | { change: 'remove' }

/** What a change of the use depends on. */
export interface ProviderFacts {
  /** Whether the break-glass administrator who is asked for is an administrator with a password. */
  canBreakGlass: boolean
  /** Whether an administrator is linked with an account at the issuer, which proves that signing in there works. */
  hasLinkedAdmin: boolean
  /** Whether an administrator can sign in without the provider. */
  hasAdminWithout: boolean
}

/** Adds a provider, which is off at first: the first event of its stream. */
export function decideProvider(id: string, settings: ProviderSettings): ProviderEvent {
  return { type: 'IdentityProviderAdded', stream: id, version: 1, index: null, data: settings }
}

/** Decides a change of a provider. Returns no events if nothing changes. */
export function decideProviderChange(
  provider: ProviderLife,
  change: ProviderChange,
  facts: ProviderFacts,
): Decided<ProviderEvent> {
  const place = { stream: provider.id, version: provider.version + 1, index: null }
  switch (change.change) {
    case 'edit': {
      const data = findChangedSettings(provider.settings, change.settings)
      if (data === null) return { events: [] }
      const isOther = data.to.issuer !== undefined || data.to.client_id !== undefined
      if (isOther && provider.use.use !== 'off') return { problem: TURN_OFF_TO_CHANGE }
      return { events: [{ ...place, type: 'IdentityProviderChanged', data }] }
    }
    case 'replace_secret': {
      const data = findChangedSettings(provider.settings, { client_auth: change.clientAuth })
      const replaced = { ...place, type: 'IdentityProviderSecretReplaced', data: {} } as const
      if (data === null) return { events: [replaced] }
      const changed = { ...place, type: 'IdentityProviderChanged', data } as const
      return { events: [changed, { ...replaced, version: changed.version + 1 }] }
    }
    case 'use':
      return decideUse(provider, change.use, facts)
    case 'remove':
      if (provider.use.use === 'required') return { problem: TURN_OFF_TO_REMOVE }
      if (provider.use.use === 'optional' && !facts.hasAdminWithout) return { problem: NOBODY_ELSE }
      return { events: [{ ...place, type: 'IdentityProviderRemoved', data: {} }] }
  }
}

function decideUse(provider: ProviderLife, requested: ProviderUse, facts: ProviderFacts): Decided<ProviderEvent> {
  const from = provider.use
  const to = requested.use === 'required' ? requested : { use: requested.use, break_glass: null }
  if (to.use === from.use && to.break_glass === from.break_glass) return { events: [] }
  if (to.use === 'required') {
    if (!facts.canBreakGlass) return { problem: NO_BREAK_GLASS }
    if (from.use !== 'required' && !facts.hasLinkedAdmin) return { problem: UNPROVEN }
  }
  if (to.use === 'off' && !facts.hasAdminWithout) return { problem: NOBODY_ELSE }
  const place = { stream: provider.id, version: provider.version + 1, index: null }
  return { events: [{ ...place, type: 'IdentityProviderUseChanged', data: { from, to } }] }
}

const TURN_OFF_TO_CHANGE = problem(
  'provider_in_use',
  'The issuer and the client ID can only be changed while the provider is off; turn it off first, then test the ' +
    'new ones',
)
const TURN_OFF_TO_REMOVE = problem('provider_in_use', 'The provider is required; turn it off before you remove it')
const UNPROVEN = problem(
  'provider_unproven',
  'No administrator is linked to an account at this issuer yet; make it optional, sign in through it once, then ' +
    'require it',
)
const NOBODY_ELSE = problem(
  'last_admin',
  'No administrator could sign in without the provider; let an administrator set a password first',
)
const NO_BREAK_GLASS = invalidFields([
  fieldError('/break_glass', 'invalid_value', 'break_glass must be an administrator who has a password'),
])

/** Applies an event to a provider. */
export function evolveProvider(provider: ProviderLife, event: ProviderEvent): ProviderLife {
  const next = { ...provider, version: event.version }
  switch (event.type) {
    case 'IdentityProviderAdded':
      return { ...next, settings: event.data, use: { use: 'off', break_glass: null } }
    case 'IdentityProviderChanged':
      return { ...next, settings: { ...provider.settings, ...event.data.to } }
    case 'IdentityProviderSecretReplaced':
      return next
    case 'IdentityProviderUseChanged':
      return { ...next, use: event.data.to }
    case 'IdentityProviderRemoved':
      return { ...next, use: { use: 'off', break_glass: null } }
  }
}
