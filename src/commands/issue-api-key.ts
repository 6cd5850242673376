import { hash, randomBytes } from 'node:crypto'
import type { RefreshPeriod } from '../domain/company.ts'
import { windowStart } from '../domain/company.ts'
import { toUuid } from '../domain/ids.ts'
import { API_KEY_PREFIX, formatSecret } from '../domain/secrets.ts'
import { appendCompanyEvents, OPERATOR } from '../ledger/append-company-events.ts'
import type { CompanyServices } from './register-company.ts'

export interface NewApiKey {
  companyId: string
  name: string
  quotaLimit: number
  refreshPeriod: RefreshPeriod
}

/** A new key with its secret, which is shown once and of which only a hash is kept. */
export interface IssuedApiKey {
  api_id: string
  api_key: string
  name: string
  quota_limit: number
  refresh_period: RefreshPeriod
}

/** Issues an API key of a company. */
export async function issueApiKey({ pool, newId }: CompanyServices, key: NewApiKey): Promise<IssuedApiKey> {
  const { companyId, name, quotaLimit, refreshPeriod } = key
  const apiId = newId('key')
  const secret = formatSecret(API_KEY_PREFIX, randomBytes(32))
  await appendCompanyEvents(pool, { companyId, actor: OPERATOR }, async (client, now) => {
    const ids = [toUuid(companyId), toUuid(apiId)]
    await client.query('insert into api_key_directory (company_id, api_id) values ($1, $2)', ids)
    await client.query(
      `insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked,
         quota_limit, refresh_period, created_at)
       values ($1, $2, 1, $3, $4, true, false, $5, $6, $7)`,
      [...ids, name, hash('sha256', secret, 'buffer'), quotaLimit, refreshPeriod, now],
    )
    await client.query(
      'insert into api_key_usage (company_id, api_id, window_start, requests_made) values ($1, $2, $3, 0)',
      [...ids, new Date(windowStart(refreshPeriod, Date.parse(now)))],
    )
    const data = { name, quota_limit: quotaLimit, refresh_period: refreshPeriod }
    return [{ type: 'ApiKeyIssued', stream: apiId, version: 1, index: null, data }]
  })
  return { api_id: apiId, api_key: secret, name, quota_limit: quotaLimit, refresh_period: refreshPeriod }
}
