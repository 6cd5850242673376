import type { RefreshPeriod } from '../../domain/company.ts'
import { evolveKey, decideIssue } from '../../domain/accounts/key-lifecycle.ts'
import { API_KEY_PREFIX } from '../../domain/accounts/secrets.ts'
import { OPERATOR } from '../../ledger/append/append-company-events.ts'
import { insertApiKey } from './api-key-rows.ts'
import type { ApiKeyRecord } from './read-api-keys.ts'
import { countApiKeys } from './read-api-keys.ts'
import type { CompanyServices } from '../users/change-company.ts'
import { assertSeen, changeCompany } from '../users/change-company.ts'
import { hashSecret, generateSecret } from '../users/new-secret.ts'

interface NewApiKey {
  companyId: string
  name: string
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  /** The user who issues the key; absent for the command line. */
  actor?: string
  /** W3C `traceparent` of the request; absent if the trace is not sampled. */
  traceparent?: string | null
  /** The number of keys the company had when the form was shown; absent to skip the check. */
  seen?: number
}

/** A new key with its secret. The secret is shown once; only a hash is stored. */
export interface IssuedApiKey {
  api_id: string
  api_key: string
  name: string
  quota_limit: number
  refresh_period: RefreshPeriod
}

/** A key with a new secret. */
export interface KeyWithSecret {
  key: ApiKeyRecord
  /** The time of the change, RFC 3339 UTC. */
  now: string
  secret: string
  position: number | null
}

/** Issues an API key of a company. */
export async function issueApiKey(services: CompanyServices, wanted: NewApiKey): Promise<IssuedApiKey> {
  const { key, secret } = await issueApiKeyRecord(services, wanted)
  const { id, name, quotaLimit, refreshPeriod } = key
  return { api_id: id, api_key: secret, name, quota_limit: quotaLimit, refresh_period: refreshPeriod }
}

/** Issues an API key and returns everything that an administrator may see. Throws RefusedByStateError. */
export async function issueApiKeyRecord(services: CompanyServices, wanted: NewApiKey): Promise<KeyWithSecret> {
  const { companyId, name, quotaLimit, refreshPeriod, actor = OPERATOR, traceparent = null, seen } = wanted
  const id = services.newId('key')
  const secret = generateSecret(API_KEY_PREFIX)
  const appended = await changeCompany(services, { companyId, actor, traceparent }, 'admin', async (client, now) => {
    assertSeen(seen, await countApiKeys(client, companyId))
    const issued = decideIssue({ id, name, quotaLimit, refreshPeriod })
    const unborn = { id, version: 0, name, quotaLimit, refreshPeriod, isEnabled: false, isRevoked: false }
    const key = await insertApiKey(client, companyId, evolveKey(unborn, issued), hashSecret(secret), now)
    return { events: [issued], result: { key, now } }
  })
  return { ...appended.result, secret, position: appended.position }
}
