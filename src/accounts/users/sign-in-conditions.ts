/*
 * Conditions of SQL that decide how users may sign in. They take the SQL of a company and of a user. Pass the company as
 * a parameter where the condition is below an OR, or where rows are locked: Citus infers no company there.
 */

/** The company requires its identity provider of this user: any other way of signing in is refused. */
export function requiresProvider(company: string, user: string): string {
  return `exists (select from identity_providers where identity_providers.company_id = ${company}
    and identity_providers.use = 'required' and identity_providers.break_glass <> ${user})`
}

/** The user has a passkey. */
export function hasPasskey(company: string, user: string): string {
  return `exists (select from passkeys where passkeys.company_id = ${company} and passkeys.user_id = ${user})`
}

/**
 * The user of the row `u` may set a new password through a link that is sent by email: there is a password, and the
 * company requires its identity provider of nobody.
 */
export function mayResetPassword(company: string): string {
  return `u.password_hash is not null and not exists (select from identity_providers
    where identity_providers.company_id = ${company} and identity_providers.use = 'required')`
}
