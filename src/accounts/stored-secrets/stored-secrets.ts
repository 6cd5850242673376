import { sql } from 'kysely'
import type { LedgerDb } from '#ledger/tables'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import { fromUuid } from '#domain/ids'
import { placeOfEvidenceKey } from '#ledger/evidence/stored-files'
import { placeOfEmail } from '#accounts/mail/outbox'
import { placeOfSecret } from '#accounts/providers/providers'
import { placeOfIdToken } from '#accounts/sign-in/sign-in-through-provider'
import { placeOfWebhookSecret } from '#accounts/webhooks/change-webhook'

const AT_ONCE = 500
/** Another pass is needed only for secrets that the service changed meanwhile. */
const MAX_PASSES = 5

/** What the keys can do with the stored secrets, without those that have ended. */
interface StoredSecrets {
  secrets: number
  /** How many can be read, but are under an older key. */
  older: number
  /** How many cannot be read. */
  unreadable: number
  /** Names one that cannot be read. */
  example: string | null
}

/** Tries to read every stored secret. Changes nothing. */
export async function checkStoredSecrets(db: LedgerDb, box: SecretBox): Promise<StoredSecrets> {
  const report: StoredSecrets = { secrets: 0, older: 0, unreadable: 0, example: null }
  for await (const { sealed, place, has_ended: hasEnded } of readSealed(db)) {
    if (hasEnded) continue
    report.secrets += 1
    if (open(box, sealed, place) === null) {
      report.unreadable += 1
      report.example ??= place
    } else if (!box.isCurrent(sealed)) report.older += 1
  }
  return report
}

/**
 * Encrypts all stored secrets under the first key, except those that cannot be read; deletes those that have ended. Skips
 * a secret that was changed since it was read, so it is safe to run beside the service, in several processes, and again
 * after an interruption. Returns the number of secrets that it encrypted again.
 */
export async function reencryptSecrets(db: LedgerDb, box: SecretBox): Promise<number> {
  let total = 0
  for (let [passes, missed] = [0, 1]; missed > 0 && passes < MAX_PASSES; passes += 1) {
    missed = 0
    for await (const row of readSealed(db)) {
      if (box.isCurrent(row.sealed)) continue
      const secret = row.has_ended ? null : open(box, row.sealed, row.place)
      if (secret === null && !row.has_ended) continue
      const isReplaced = await replaceSealed(db, row, secret === null ? null : box.encrypt(secret, row.place))
      if (!isReplaced) missed += 1
      else if (secret !== null) total += 1
    }
  }
  return total
}

interface SealedRow {
  company_id: string
  key: unknown
  owner: string
  sealed: Buffer
  has_ended: boolean
}

/** A stored secret, and where it is. */
interface Sealed extends SealedRow {
  of: SealedColumn
  place: string
}

/** All stored secrets, read page by page. */
async function* readSealed(db: LedgerDb): AsyncGenerator<Sealed> {
  for (const of of SEALED_COLUMNS) {
    const [key, column] = [sql.ref(of.key), sql.ref(of.column)]
    for (let last: SealedRow | undefined; ;) {
      const { rows } = await sql<SealedRow>`
        select company_id, ${key} as key, ${sql.ref(of.owner ?? of.key)} as owner, ${column} as sealed,
          coalesce(${sql.raw(of.hasEnded ?? 'false')}, false) as has_ended
        from ${sql.table(of.table)} where ${column} is not null
          ${last ? sql`and (company_id, ${key}) > (${last.company_id}, ${last.key})` : sql``}
        order by company_id, ${key} limit ${AT_ONCE}`.execute(db)
      for (const row of rows) yield { ...row, of, place: of.placeOf(row.owner) }
      if (rows.length < AT_ONCE) break
      last = rows.at(-1)
    }
  }
}

/** The secret; null if it cannot be read. */
function open(box: SecretBox, sealed: Buffer, place: string) {
  try {
    return box.decrypt(sealed, place)
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}

/** Replaces or deletes a secret. Returns false if it has changed meanwhile. */
async function replaceSealed(db: LedgerDb, row: Sealed, sealed: Buffer | null) {
  const { of, company_id: companyId, key } = row
  const { numAffectedRows } = await sql`
    update ${sql.table(of.table)} set ${sql.ref(of.column)} = ${sealed}
    where company_id = ${companyId} and ${sql.ref(of.key)} = ${key}
      and ${sql.ref(of.column)} = ${row.sealed}`.execute(db)
  return numAffectedRows === 1n
}

/** A column with secrets that are sealed for a place. All names are SQL. */
interface SealedColumn {
  table: string
  column: string
  /** Finds a row, together with `company_id`. */
  key: string
  /** Says of a row whether nothing reads its secret any more, so that it can be deleted. Default: never. */
  hasEnded?: string
  /** The UUID that the place names. Default: the key. */
  owner?: string
  /** Names the row, as when the secret was sealed. */
  placeOf(owner: string): string
}

const ofWebhook = {
  table: 'webhooks',
  key: 'webhook_id',
  placeOf: (id: string) => placeOfWebhookSecret(fromUuid('whk', id)),
}

/** Every column of the database that holds sealed secrets. A rotation moves a secret from an earlier one to a later one. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'emails', column: 'content', key: 'email_id', placeOf: placeOfEmail },
  { ...ofWebhook, column: 'secret' },
  { ...ofWebhook, column: 'previous_secret', hasEnded: 'previous_expires_at <= statement_timestamp()' },
  {
    table: 'identity_providers',
    column: 'secret',
    key: 'provider_id',
    placeOf: (id) => placeOfSecret(fromUuid('idp', id)),
  },
  {
    table: 'sessions',
    column: 'id_token',
    key: 'session_hash',
    owner: 'user_id',
    hasEnded: 'expires_at <= statement_timestamp()',
    placeOf: (id) => placeOfIdToken(fromUuid('usr', id)),
  },
  {
    table: 'evidence_files',
    column: 'sealed_key',
    key: 'request_id',
    hasEnded: 'expires_at <= statement_timestamp()',
    placeOf: placeOfEvidenceKey,
  },
]
