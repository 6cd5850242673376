import { checkStoredSecrets } from '../accounts/webhooks/stored-secrets.ts'
import type { LedgerDb } from '../ledger/tables.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

/** Checks that the stored secrets of webhooks can be read, and are under the newest key. */
export async function checkSecrets(db: LedgerDb, secrets: SecretBox): Promise<Finding> {
  const check = 'stored secrets'
  const { webhooks, older, unreadable, example } = await checkStoredSecrets(db, secrets)
  if (webhooks === 0) return ok(check, 'there are no webhooks')
  const all = `${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'}`
  if (unreadable > 0)
    return fail(
      check,
      secrets.hasKey
        ? `the secrets of ${unreadable} of ${all} cannot be read, for example of ${example}`
        : `there is no key, so the secrets of ${all} cannot be read`,
      'restore the key, or rotate these secrets (docs/operations.md, “Keys”)',
    )
  if (older > 0)
    return warn(
      check,
      `the secrets of ${older} of ${all} are under an older key`,
      'restart all processes, then run `secrets reencrypt` (docs/operations.md, “Keys”)',
    )
  return ok(check, `the secrets of ${all} are under the newest key`)
}
