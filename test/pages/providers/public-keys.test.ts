import { randomBytes } from 'node:crypto'
import t from 'tap'
import { addProvider } from '../../../src/accounts/providers/providers.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { createSecretBox } from '../../../src/accounts/secrets/secret-box.ts'
import { startService } from '../../support/service.ts'

/* The public keys that the service publishes for providers. */

await t.test('keys that cannot be read are unavailable, and no error of the service', async (t) => {
  const service = await startService(t)
  const company = await service.makeCompany('Other key')
  // Sealed with a key that the service does not have.
  await addProvider(
    { pool: service.pool, newId, secrets: createSecretBox([randomBytes(32)]) },
    { companyId: company.id, actor: company.admin.user_id },
    {
      name: 'IdP',
      issuer: 'https://idp.example',
      client_id: 'ledger',
      creates_users: false,
      role_claim: null,
      roles: [],
    },
    { clientAuth: 'private_key_jwt' },
  )
  const response = await fetch(`${service.address}/sign-in/${company.id}/jwks`)
  t.equal(response.status, 503)
  t.equal(response.headers.get('retry-after'), '1')
  t.match(await response.text(), /SECRETS_KEY/)
})
