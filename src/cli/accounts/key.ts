import { newId } from '#ledger/new-id'
import { accessData } from '#domain/accounts/key-lifecycle'
import { usualQuota, type KeyScope, requestsInWindow, type RefreshPeriod } from '#domain/accounts/api-key'
import type { AttributeName } from '#domain/attributes'
import {
  findKeyStatus,
  hasPreviousSecret,
  listApiKeys,
  type SeenKey,
  changeApiKey,
  rotateApiKey,
  issueApiKey,
} from '#accounts/api-keys/api-keys'
import { withStore } from '../terminal/with-store.ts'
import { listNewest, changeAsOperator, type CompanyOptions } from './operator.ts'

interface KeyOptions extends CompanyOptions {
  key: string
}

interface QuotaOptions {
  quotaLimit: number
  refreshPeriod: RefreshPeriod
}

interface AccessOptions {
  scope?: KeyScope[]
  expiresAt?: string
  network?: string[]
  writableField?: (AttributeName | 'all')[]
}

/** `key issue`: issues an API key for a company. */
export async function issueKey({
  company: companyId,
  ...options
}: CompanyOptions & Omit<QuotaOptions, 'quotaLimit'> & Partial<QuotaOptions> & AccessOptions & { name: string }) {
  const { name, quotaLimit = usualQuota(options.scope), refreshPeriod } = options
  const key = { companyId, name, quotaLimit, refreshPeriod, ...readAccessOptions(options) }
  return withStore(({ store: { pool } }) => issueApiKey({ pool, newId }, key))
}

/** `key list`: lists the API keys of a company and how much of their quota is used. */
export async function listKeys({ company }: CompanyOptions) {
  const keys = await withStore(({ store: { db } }) =>
    listNewest('keys', (limit) => listApiKeys(db, company, { limit })),
  )
  return keys.map(describeKey)
}

/** `key edit`: changes the name, the quota or the access of an API key. */
export async function editKey({
  company,
  key,
  ...options
}: KeyOptions & Partial<QuotaOptions> & AccessOptions & { name?: string }) {
  const { name, quotaLimit, refreshPeriod } = options
  const change = { change: 'edit', name, quotaLimit, refreshPeriod, ...readAccessOptions(options) } as const
  return describeKey(await changeAsOperator(company, changeApiKey, key, change))
}

function readAccessOptions({ scope, expiresAt, network, writableField: fields }: AccessOptions) {
  const writableFields = fields?.includes('all') ? null : fields?.filter((name) => name !== 'all')
  const access = { scopes: scope, allowedNetworks: network, writableFields }
  return { ...access, expiresAt: expiresAt === 'never' ? null : expiresAt }
}

/** `key disable`. */
export const disableKey = (options: KeyOptions) => changeKey(options, 'disable')

/** `key enable`. */
export const enableKey = (options: KeyOptions) => changeKey(options, 'enable')

/** `key revoke`. */
export const revokeKey = (options: KeyOptions) => changeKey(options, 'revoke')

async function changeKey({ company, key }: KeyOptions, change: 'disable' | 'enable' | 'revoke') {
  return describeKey(await changeAsOperator(company, changeApiKey, key, { change }))
}

/** `key rotate`: issues a new secret; the old one keeps working for `overlap` seconds. */
export async function rotateKey({ company, key, overlap }: KeyOptions & { overlap: number }) {
  const rotated = await changeAsOperator(company, rotateApiKey, key, overlap)
  return { ...describeKey(rotated), api_key: rotated.secret }
}

function describeKey(seen: SeenKey) {
  const { key, now } = seen
  const { usage, refreshPeriod } = key
  const isOverlapping = hasPreviousSecret(seen)
  return {
    api_id: key.id,
    name: key.name,
    secret_last_four: key.lastFour,
    status: findKeyStatus(seen),
    ...accessData(key),
    quota_limit: key.quotaLimit,
    refresh_period: refreshPeriod,
    requests_made: requestsInWindow(usage, refreshPeriod, Date.parse(now)),
    last_used: usage.lastUsedMs === null ? null : new Date(usage.lastUsedMs).toISOString(),
    created_at: key.createdAt,
    old_secret_works_until: isOverlapping ? key.previousExpiresAt : null,
    old_secret_last_four: isOverlapping ? key.previousLastFour : null,
  }
}
