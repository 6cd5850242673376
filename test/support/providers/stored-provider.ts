import { randomBytes } from 'node:crypto'
import { type StoredProvider, placeOfSecret } from '../../../src/accounts/providers/providers.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import type { ProviderSettings } from '../../../src/domain/provider-settings.ts'
import type { ProviderFault } from '../../../src/accounts/oidc/provider-client.ts'
import { createSecretBox } from '../../../src/accounts/secrets/secret-box.ts'

/** The box in which the secrets of these providers are sealed. */
export const BOX = createSecretBox([randomBytes(32)])
export const CLIENT = { clientId: 'ledger', secret: 'a secret of the client: +&%=' }
export const CALLBACK = 'https://ledger.example/sign-in/acme/callback'

/** A provider as the database holds it. */
export function storedProvider(
  settings: Pick<ProviderSettings, 'issuer'> & Partial<ProviderSettings>,
  { secret = CLIENT.secret, companyId = newId('com') }: { secret?: string; companyId?: string } = {},
): StoredProvider {
  const id = newId('idp')
  return {
    companyId,
    id,
    version: 1,
    settings: {
      name: 'Test provider',
      client_id: CLIENT.clientId,
      client_auth: 'client_secret',
      creates_users: false,
      role_claim: null,
      roles: [],
      ...settings,
    },
    use: { use: 'optional', break_glass: null },
    secret: BOX.encrypt(secret, placeOfSecret(id)),
    createdAt: '2026-01-01T00:00:00.000Z',
    fault: null,
  }
}

/** What `rejects` expects of a ProviderError. */
export function refusal(fault: ProviderFault, message = /./): { name: string; fault: string; message: RegExp } {
  return { name: 'ProviderError', fault, message }
}
