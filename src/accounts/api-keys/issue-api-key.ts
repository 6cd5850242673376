import type { KeyAccess, KeyQuota } from '../../domain/events.ts'
import { accessData } from '../../domain/accounts/key-access.ts'
import {
  createKey,
  decideIssue,
  evolveKey,
  type IssuedEvent,
  type KeyLife,
  type KeyToIssue,
} from '../../domain/accounts/key-lifecycle.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { OPERATOR } from '../../ledger/append/append-company-events.ts'
import { insertApiKey } from './api-key-rows.ts'
import { countApiKeys, findApiKey, type SeenKey } from './read-api-keys.ts'
import { assertSeen, changeCompany, unwrapDecision, type Acting, type CompanyServices } from '../change-company.ts'
import { digestSecret, generateSecret } from '../users/new-secret.ts'

/** A key to issue. Without an actor, the command line issues it. */
interface NewApiKey extends Omit<KeyToIssue, 'id'>, Partial<Omit<Acting, 'companyId'>> {
  companyId: string
  /** The number of keys the company had when the form was shown; absent to skip the check. */
  seen?: number
}

/** A new key with its secret. The secret is shown once; only a hash is stored. */
export interface IssuedApiKey extends KeyQuota, KeyAccess {
  api_id: string
  api_key: string
  name: string
}

/** A key with a new secret. */
export interface KeyWithSecret extends SeenKey {
  secret: string
  position: number | null
}

const CREATED_MEANWHILE =
  'A key has been created since you opened this form. If it is this one, rotate it to get a new secret; if not, submit again'

/** Issues an API key of a company. */
export async function issueApiKey(services: CompanyServices, newKey: NewApiKey): Promise<IssuedApiKey> {
  const { key, secret } = await issueApiKeyRecord(services, newKey)
  const { id, name, quotaLimit, refreshPeriod } = key
  const quota = { quota_limit: quotaLimit, refresh_period: refreshPeriod }
  return { api_id: id, api_key: secret, name, ...quota, ...accessData(key) }
}

/** Issues an API key and returns everything that an administrator may see. Throws RefusedByStateError. */
export async function issueApiKeyRecord(services: CompanyServices, newKey: NewApiKey): Promise<KeyWithSecret> {
  const { companyId, actor = OPERATOR, seen } = newKey
  const id = services.newId('key')
  const secret = generateSecret(prefixOfSecret('key', companyId))
  const issued = await changeCompany(services, { ...newKey, actor }, 'admin', async (tx) => {
    assertSeen(seen, await countApiKeys(tx.connection, companyId), CREATED_MEANWHILE)
    const events = unwrapDecision(decideIssue({ ...newKey, id }, tx.now))
    const [issued, ...others] = events
    const key = others.reduce<KeyLife>(evolveKey, createKey(issued as IssuedEvent))
    await insertApiKey(tx, key, digestSecret(secret))
    return { events, result: (await findApiKey(tx.db, companyId, id))! }
  })
  return { ...issued, secret }
}
