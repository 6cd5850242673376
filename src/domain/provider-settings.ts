import type { Role } from './accounts/roles.ts'

/** How the service proves to the provider who it is (OpenID Connect Core 1.0, section 9). */
export const CLIENT_AUTHS = ['client_secret', 'private_key_jwt'] as const
export type ClientAuth = (typeof CLIENT_AUTHS)[number]

/** What an administrator sets for the company's identity provider. */
export interface ProviderSettings {
  /** The name on the sign-in page. */
  name: string
  /** The issuer identifier, an https URL (OpenID Connect Discovery 1.0, section 3). */
  issuer: string
  client_id: string
  client_auth: ClientAuth
  /** Whether a person with a verified email who is no user yet becomes one by signing in. */
  creates_users: boolean
  /** The claim whose values decide about the role at each sign-in; null: roles are changed only here. */
  role_claim: string | null
  /** The roles of the values of that claim. Of several, the one with the most rights counts; of none, `member`. */
  roles: readonly { value: string; role: Role }[]
}

/** `off`: for tests only. `optional`: beside passwords. `required`: instead of passwords. */
export const PROVIDER_USES = ['off', 'optional', 'required'] as const

export interface ProviderUse {
  use: (typeof PROVIDER_USES)[number]
  /** The administrator who may use a password although the provider is required; null unless it is. */
  break_glass: string | null
}
