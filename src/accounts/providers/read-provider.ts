import { fromUuid, toUuid } from '#domain/ids'
import type { ProviderSettings, ProviderUse } from '#domain/provider-settings'
import type { Queryable } from '#postgres/query-client'
import type { LedgerTables, Row } from '#ledger/tables'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'
import type { SecretBox } from '../secrets/secret-box.ts'

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

/** Makes the private key of `private_key_jwt`, as the text of a JWK (RFC 7517) with its thumbprint (RFC 7638) as id. */
export async function generateProviderKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = await exportJWK(privateKey)
  return JSON.stringify({ ...key, kid: await calculateJwkThumbprint(key), alg: 'ES256', use: 'sig' })
}

/** Returns the JWK Set (RFC 7517) with the public key of `private_key_jwt`; null if the service has a client secret. */
export function readPublicKeys(secrets: SecretBox, provider: StoredProvider): { keys: object[] } | null {
  if (provider.settings.client_auth !== 'private_key_jwt') return null
  return { keys: [readPublicKey(secrets.decrypt(provider.secret, placeOfSecret(provider.id)))] }
}

/** Returns the public part of a key of `generateProviderKey`. */
function readPublicKey(secret: string): object {
  const { d: _, ...key } = JSON.parse(secret) as JWK
  return key
}

const MAX_LISTED = 100
const MAX_UNLINKED = 50

export interface Administrator {
  id: string
  name: string
  email: string
}

/** Lists who can be the break-glass administrator: administrators with a password, oldest first, at most 100. */
export async function listBreakGlass(client: Queryable, companyId: string): Promise<Administrator[]> {
  const { rows } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users
     where company_id = $1 and role = 'admin' and removed_at is null and password_hash is not null
     order by user_id limit ${MAX_LISTED}`,
    [toUuid(companyId)],
  )
  return rows.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email }))
}

/** The users of a company who have no account at its identity provider yet. */
export interface Unlinked {
  users: number
  unlinked: number
  /** The first of them by name. */
  first: Administrator[]
}

/** Counts the users of a company, and those who have no account at its identity provider yet; lists the first 50. */
export async function readUnlinkedUsers(client: Queryable, companyId: string): Promise<Unlinked> {
  const { rows } = await client.query<{ users: number; unlinked: number }>(
    `select count(*)::integer as users, (count(*) filter (where issuer is null))::integer as unlinked
     from users where company_id = $1 and removed_at is null`,
    [toUuid(companyId)],
  )
  const { rows: first } = await client.query<Row<'users', 'user_id' | 'name' | 'email'>>(
    `select user_id, name, email from users where company_id = $1 and removed_at is null and issuer is null
     order by name, user_id limit ${MAX_UNLINKED}`,
    [toUuid(companyId)],
  )
  return { ...rows[0]!, first: first.map(({ user_id: id, name, email }) => ({ id: fromUuid('usr', id), name, email })) }
}
