import { checkStoredSecrets } from '#accounts/stored-secrets/stored-secrets'
import type { LedgerDb } from '#ledger/tables'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { fail, ok, warn, type Finding } from './finding.ts'

/** Checks that all stored secrets can be read, and are under the newest key. */
export async function checkSecrets(db: LedgerDb, box: SecretBox): Promise<Finding> {
  const check = 'stored secrets'
  const { secrets, older, unreadable, example } = await checkStoredSecrets(db, box)
  if (secrets === 0) return ok(check, 'there are none')
  if (unreadable > 0)
    return fail(
      check,
      box.hasKey
        ? `${unreadable} of ${secrets} cannot be read, for example: ${example}`
        : `there is no key, so ${unreadable} cannot be read`,
      'restore the key, or replace these secrets (docs/operations.md, “Keys”)',
    )
  if (older > 0)
    return warn(
      check,
      `${older} of ${secrets} are under an older key`,
      'restart all processes, then run `secrets reencrypt` (docs/operations.md, “Keys”)',
    )
  return ok(check, `${secrets} under the newest key`)
}
