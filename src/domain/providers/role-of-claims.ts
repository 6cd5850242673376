import { ROLES, type Role } from '../accounts/roles.ts'
import type { UserFacts } from '../accounts/user-lifecycle.ts'
import type { ProviderSettings } from '../provider-settings.ts'

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
