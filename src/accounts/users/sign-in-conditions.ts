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
