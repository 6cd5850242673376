import type { Identity, UserFacts } from '#domain/accounts/user-lifecycle'
import type { ProviderSettings, ProviderUse } from '#domain/provider-settings'
import { ROLES, type Role } from '#domain/accounts/roles'

/** Why someone who proved an account at the identity provider is not let in. Pages say what to do about each. */
export type SignInRefusal =
  /** The provider is only being tested. */
  | 'provider_off'
  /** No user has this account or email, and users are not created. */
  | 'not_a_user'
  /** Neither the account is known, nor did the provider send an email. */
  | 'email_missing'
  /** The account is not known, and the provider does not say that the email is verified. */
  | 'email_unverified'
  /** The account is not known, and the verified email is not in the form in which a user would have it. */
  | 'email_inexact'
  /** The email is that of a user who signs in with another account of the same provider. */
  | 'linked_elsewhere'
  /** An administrator removed this user. */
  | 'user_removed'
  /** Another user signs in with this account. */
  | 'account_taken'
  /** The one-time link that proved the user was used or replaced, or has expired. */
  | 'link_invalid'

/** Who came back from the provider. */
export interface ReturningPerson extends Identity {
  /** The email that the person has proved to own, as users have it (`readProvenEmail`); null if none is proved. */
  email: string | null
  /** The email as sent. */
  claimedEmail: string | null
  /** Whether the provider says that the email as sent is verified. */
  isEmailVerified: boolean
}

export interface LinkableUser {
  id: string
  identity: Identity | null
}

/** The users of the company whom the person may be. */
export interface MatchingUsers {
  /** The user who is linked to the account. */
  byAccount: LinkableUser | null
  /** The user with the verified email. */
  byEmail: LinkableUser | null
  /** Whether a removed user had the account or the verified email. */
  wasRemoved: boolean
}

type SignInDecision =
  | { outcome: 'sign_in'; userId: string }
  | { outcome: 'link'; userId: string }
  | { outcome: 'create'; email: string }
  | { outcome: 'refuse'; refusal: SignInRefusal }

/**
 * Decides as whom a person of the company's provider signs in. The account decides; a verified email does once, for a user
 * who is not linked yet. A link to another issuer, such as a former provider, does not count.
 */
export function decideSignIn(
  person: ReturningPerson,
  { byAccount, byEmail, wasRemoved }: MatchingUsers,
  { creates_users: createsUsers, use }: Pick<ProviderSettings, 'creates_users'> & Pick<ProviderUse, 'use'>,
): SignInDecision {
  if (use === 'off') return refuse('provider_off')
  if (byAccount) return { outcome: 'sign_in', userId: byAccount.id }
  if (byEmail && person.email !== null) {
    return isLinkedAt(byEmail, person.issuer) ? refuse('linked_elsewhere') : { outcome: 'link', userId: byEmail.id }
  }
  // Whoever was removed does not come back without an administrator.
  if (wasRemoved) return refuse('user_removed')
  if (person.email === null) return refuse(explainMissingProof(person))
  return createsUsers ? { outcome: 'create', email: person.email } : refuse('not_a_user')
}

function explainMissingProof({ claimedEmail, isEmailVerified }: ReturningPerson): SignInRefusal {
  if (claimedEmail === null) return 'email_missing'
  return isEmailVerified ? 'email_inexact' : 'email_unverified'
}

/**
 * Decides whether a user is linked to the account that the same person proved. `isProven`: whether the person is still
 * known to be the user, by a session or a one-time link.
 */
export function decideLink(
  person: Identity,
  user: LinkableUser,
  { byAccount, use, isProven }: Pick<MatchingUsers, 'byAccount'> & Pick<ProviderUse, 'use'> & { isProven: boolean },
): SignInDecision {
  if (use === 'off') return refuse('provider_off')
  if (byAccount) return byAccount.id === user.id ? { outcome: 'sign_in', userId: user.id } : refuse('account_taken')
  if (!isProven) return refuse('link_invalid')
  return isLinkedAt(user, person.issuer) ? refuse('linked_elsewhere') : { outcome: 'link', userId: user.id }
}

function isLinkedAt({ identity }: LinkableUser, issuer: string) {
  return identity !== null && identity.issuer === issuer
}

function refuse(refusal: SignInRefusal): SignInDecision {
  return { outcome: 'refuse', refusal }
}

/** The role that the values of the claim give: the one with the most rights, or `member`. Null if no claim decides. */
export function findRoleOfClaims(
  { role_claim: claim, roles }: Pick<ProviderSettings, 'role_claim' | 'roles'>,
  values: readonly string[],
): Role | null {
  if (claim === null) return null
  const given = new Set(roles.filter(({ value }) => values.includes(value)).map(({ role }) => role))
  return ROLES.find((role) => given.has(role)) ?? 'member'
}

/**
 * The role of a user after signing in. The administrator for emergencies and the last one who can sign in keep theirs, so
 * that a mistake at the provider locks nobody out.
 */
export function decideRole(current: Role, ofClaims: Role | null, facts: UserFacts): Role {
  if (ofClaims === null) return current
  if (current === 'admin' && (facts.isBreakGlass || !facts.hasOtherAdmin)) return current
  return ofClaims
}
