import { findSoleScope, type Role, type TokenScopes } from './roles.ts'
import { problem, fieldError, invalidFields } from '#domain/errors'
import { buildErasingEvents } from '#domain/erasure'
import type { NewEvent } from '#domain/events'
import { DAY_MS } from '#domain/local-times'
import type { Decided } from './key-lifecycle.ts'

/** The state of a company's user that follows from the events. Excludes secrets. */
export interface UserLife {
  id: string
  version: number
  email: string
  name: string
  role: Role
  hasPassword: boolean
  isRemoved: boolean
  /** The account at an identity provider with which the user signs in; null if there is none. */
  identity: Identity | null
}

/** An account at an identity provider: the issuer of its ID tokens, and their `sub`. */
export interface Identity {
  issuer: string
  subject: string
}

export type UserEvent = Extract<NewEvent, { type: `User${string}` }>

/** A change of a user. */
export type UserChange =
  /** Without a role, nothing changes. */
  | { change: 'role'; role: Role | undefined }
  /** Also unlinks the account at the identity provider. */
  | { change: 'reset'; linkExpiresAt: string }
  | { change: 'set_password' }
  | { change: 'remove' }
  /** `positions`: the user's events with personal data that is not erased yet. */
  | { change: 'erase'; positions: number[] }
  | { change: 'issue_token'; tokenId: string; name: string; expiresAt: string; scopes: TokenScopes }
  | { change: 'revoke_token'; tokenId: string }
  /** Replaces a link to an account of another issuer. */
  | { change: 'link'; identity: Identity }
  | { change: 'unlink' }
  | PasskeyChange

/** What a change of a user depends on beside the user. */
export interface UserFacts {
  /** Whether the company has another administrator who can sign in. Whoever was only invited can't. */
  hasOtherAdmin: boolean
  /** Whether this is the administrator who may use a password although the identity provider is required. */
  isBreakGlass: boolean
}

/** The lifetime of a one-time link, in days. */
export const LINK_LIFE_DAYS = 7
export const MIN_PASSWORD_CHARACTERS = 12
export const MAX_PASSWORD_CHARACTERS = 1_000
export const MAX_TOKEN_DAYS = 366
export const DEFAULT_TOKEN_DAYS = 90

/** Adds days to a time. RFC 3339 UTC, in and out. */
export function addDays(now: string, days: number): string {
  return new Date(Date.parse(now) + days * DAY_MS).toISOString()
}

/** Invites a user: the first event of the user's stream. */
export function decideInvitation({
  id,
  email,
  name,
  role,
}: Pick<UserLife, 'id' | 'email' | 'name' | 'role'>): UserEvent {
  return { type: 'UserInvited', stream: id, version: 1, index: null, data: { email, name, role } }
}

/** Decides a change of a user. Returns no events if nothing changes. */
export function decideUserChange(user: UserLife, change: UserChange, facts: UserFacts): Decided<UserEvent> {
  if (change.change === 'erase') return decideErasure(user, change.positions)
  if (user.isRemoved) {
    if (change.change === 'remove' || change.change === 'revoke_token') return { events: [] }
    return { problem: problem('user_removed', 'The user has been removed; invite the person again') }
  }
  if (facts.isBreakGlass && losesBreakGlass(change)) return { problem: BREAK_GLASS }
  if (losesAdmin(user, change) && !facts.hasOtherAdmin) return { problem: LAST_ADMIN }
  const place = { stream: user.id, version: user.version + 1, index: null }
  switch (change.change) {
    case 'role': {
      const { role = user.role } = change
      if (role === user.role) return { events: [] }
      return { events: [{ ...place, type: 'UserRoleChanged', data: { from: user.role, to: role } }] }
    }
    case 'reset': {
      const reset = { ...place, type: 'UserPasswordReset', data: { link_expires_at: change.linkExpiresAt } } as const
      if (user.identity === null) return { events: [reset] }
      return { events: [reset, { ...place, version: place.version + 1, type: 'UserIdentityUnlinked', data: {} }] }
    }
    case 'set_password':
      return { events: [{ ...place, type: 'UserPasswordSet', data: {} }] }
    case 'remove':
      return { events: [{ ...place, type: 'UserRemoved', data: {} }] }
    case 'issue_token': {
      const { tokenId, name, expiresAt, scopes } = change
      const scope = findSoleScope(scopes)
      if (user.role !== 'admin' && scopes !== null && scope === null) return { problem: SCOPES_OF_ADMINISTRATORS }
      const token = { token_id: tokenId, name, expires_at: expiresAt }
      const narrowed = scopes === null ? {} : scope === null ? { scopes: [...scopes] } : { scope }
      return { events: [{ ...place, type: 'UserTokenIssued', data: { ...token, ...narrowed } }] }
    }
    case 'revoke_token':
      return { events: [{ ...place, type: 'UserTokenRevoked', data: { token_id: change.tokenId } }] }
    case 'link': {
      if (isSameIdentity(user.identity, change.identity)) return { events: [] }
      return { events: [{ ...place, type: 'UserIdentityLinked', data: { ...change.identity } }] }
    }
    case 'unlink':
      return { events: user.identity === null ? [] : [{ ...place, type: 'UserIdentityUnlinked', data: {} }] }
    case 'add_passkey':
    case 'remove_passkey':
    case 'issue_recovery_codes':
    case 'use_recovery_code':
      return decidePasskeyChange(place, change)
  }
}

/** Only removed users can be erased. Returns no events without positions: everything is already erased. */
function decideErasure(user: UserLife, positions: number[]): Decided<UserEvent> {
  if (!user.isRemoved)
    return { problem: problem('user_not_removed', 'Only a removed user can be erased; remove the user first') }
  return { events: buildErasingEvents('UserErased', user.id, user.version + 1, positions) }
}

/** Whether two accounts are the same. */
function isSameIdentity(one: Identity | null, other: Identity) {
  return one !== null && one.issuer === other.issuer && one.subject === other.subject
}

const LAST_ADMIN = problem(
  'last_admin',
  'No administrator who can sign in would be left; make another user an administrator first',
)

const SCOPES_OF_ADMINISTRATORS = problem('admin_only', 'Only administrators can have a token with these scopes')

const BREAK_GLASS = problem(
  'break_glass_user',
  'This is the break-glass administrator; name another one, or stop requiring the identity provider',
)

/** Whether a change takes the emergency access from whoever has it. */
function losesBreakGlass(change: UserChange) {
  return change.change === 'reset' || endsAdmin(change)
}

/** Whether a change costs the company an administrator. */
function losesAdmin(user: UserLife, change: UserChange) {
  if (user.role !== 'admin') return false
  if (change.change === 'unlink') return user.identity !== null && !user.hasPassword
  return endsAdmin(change)
}

/** Whether an administrator is none after a change. */
function endsAdmin(change: UserChange) {
  return change.change === 'remove' || (change.change === 'role' && (change.role ?? 'admin') !== 'admin')
}

/** Applies an event to a user. */
export function evolveUser(user: UserLife, event: UserEvent): UserLife {
  const next = { ...user, version: event.version }
  switch (event.type) {
    case 'UserInvited':
      return { ...next, ...event.data, hasPassword: false, isRemoved: false, identity: null }
    case 'UserRoleChanged':
      return { ...next, role: event.data.to }
    case 'UserPasswordReset':
      return { ...next, hasPassword: false }
    case 'UserPasswordSet':
      return { ...next, hasPassword: true }
    case 'UserRemoved':
      return { ...next, isRemoved: true, hasPassword: false }
    case 'UserErased':
      return { ...next, email: '', name: '', identity: null }
    case 'UserIdentityLinked':
      return { ...next, identity: { ...event.data } }
    case 'UserIdentityUnlinked':
      return { ...next, identity: null }
    case 'UserAlertsChanged':
    case 'UserTokenIssued':
    case 'UserTokenRevoked':
    case 'UserPasskeyAdded':
    case 'UserPasskeyRemoved':
    case 'UserRecoveryCodesIssued':
    case 'UserRecoveryCodeUsed':
    case 'UserSignedIn':
    case 'UserSignedOut':
    case 'UserSessionsEnded':
    case 'UserSignInFailed':
      return next
  }
}

/** The most passkeys of a user. */
export const MAX_PASSKEYS = 10
export const MAX_PASSKEY_NAME_CHARACTERS = 60
/** How many recovery codes a user gets at once. */
export const RECOVERY_CODES = 10

/** A change of a user's passkeys or recovery codes. */
type PasskeyChange =
  /** `held`: how many passkeys the user has. */
  | { change: 'add_passkey'; passkeyId: string; name: string; held: number }
  /** `isLastWayIn`: the user could not sign in without this passkey. */
  | { change: 'remove_passkey'; passkeyId: string; isLastWayIn: boolean }
  | { change: 'issue_recovery_codes' }
  /** `remaining`: how many codes are left after this one. */
  | { change: 'use_recovery_code'; remaining: number }

type PasskeyEvent = Extract<NewEvent, { type: `UserPasskey${string}` | `UserRecoveryCode${string}` }>

/** Decides a change of the passkeys of a user who is not removed. `place`: where the event goes. */
function decidePasskeyChange(
  place: Pick<PasskeyEvent, 'stream' | 'version' | 'index'>,
  change: PasskeyChange,
): Decided<PasskeyEvent> {
  switch (change.change) {
    case 'add_passkey': {
      const { passkeyId, name, held } = change
      if (held >= MAX_PASSKEYS) return { problem: TOO_MANY }
      return { events: [{ ...place, type: 'UserPasskeyAdded', data: { passkey_id: passkeyId, name } }] }
    }
    case 'remove_passkey':
      if (change.isLastWayIn) return { problem: ONLY_WAY_IN }
      return { events: [{ ...place, type: 'UserPasskeyRemoved', data: { passkey_id: change.passkeyId } }] }
    case 'issue_recovery_codes':
      return { events: [{ ...place, type: 'UserRecoveryCodesIssued', data: { count: RECOVERY_CODES } }] }
    case 'use_recovery_code':
      return { events: [{ ...place, type: 'UserRecoveryCodeUsed', data: { remaining: change.remaining } }] }
  }
}

const ONLY_WAY_IN = problem('only_way_in', 'Without this passkey you could not sign in; add another one first')

const TOO_MANY = invalidFields([
  fieldError('', 'invalid_value', `You have ${MAX_PASSKEYS} passkeys, the most allowed. Remove one first`),
])
