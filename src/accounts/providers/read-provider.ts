import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { ProviderSettings, ProviderUse } from '../../domain/provider-settings.ts'
import type { Queryable } from '../../postgres/query-client.ts'
import type { LedgerTables } from '../../ledger/tables.ts'

/** A company's identity provider, as it is stored. */
export interface StoredProvider {
  companyId: string
  id: string
  version: number
  settings: ProviderSettings
  use: ProviderUse
  /** The client secret, or the private key as a JWK; sealed for `placeOfSecret`. */
  secret: Buffer
  /** RFC 3339 UTC. */
  createdAt: string
  /** Why nobody can sign in through it (a `ProviderFault`); null if nothing is known. */
  fault: string | null
}

/** Names the row whose secret is sealed. */
export function placeOfSecret(providerId: string): string {
  return `identity provider ${providerId}`
}

type ProviderRow = Omit<LedgerTables['identity_providers'], 'company_id' | 'failing_since'>

/** Reads a company's identity provider; null if it has none. */
export async function readProvider(client: Queryable, companyId: string): Promise<StoredProvider | null> {
  const { rows } = await client.query<ProviderRow>(
    `select provider_id, version, name, issuer, client_id, client_auth, creates_users, role_claim, roles, use,
       break_glass, secret, created_at, fault from identity_providers where company_id = $1`,
    [toUuid(companyId)],
  )
  const [row] = rows
  if (!row) return null
  const { provider_id: id, version, use, break_glass: breakGlass, secret, created_at: createdAt, fault } = row
  const { name, issuer, client_id, client_auth, creates_users, role_claim } = row
  // The database orders the names in an object, and settings are compared as texts.
  const roles = row.roles.map(({ value, role }) => ({ value, role }))
  return {
    companyId,
    id: fromUuid('idp', id),
    version,
    settings: { name, issuer, client_id, client_auth, creates_users, role_claim, roles },
    secret,
    createdAt,
    fault,
    use: { use, break_glass: breakGlass === null ? null : fromUuid('usr', breakGlass) },
  }
}
