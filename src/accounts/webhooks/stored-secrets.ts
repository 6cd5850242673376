import { sql } from 'kysely'
import { fromUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { UnreadableSecretError } from '../../secrets/secret-box.ts'
import { openSecret, sealSecret } from './webhook-rows.ts'

const AT_ONCE = 500
/** Another pass is needed only for secrets that the service changed meanwhile. */
const MOST_PASSES = 5

/** What the keys can do with the stored secrets. Each webhook counts once. */
export interface StoredSecrets {
  webhooks: number
  /** How many can be read, but have a secret under an older key. */
  older: number
  /** How many have a secret that cannot be read. */
  unreadable: number
  /** The id of one that cannot be read. */
  example: string | null
}

/** Tries to read every stored secret. Changes nothing. */
export async function checkStoredSecrets(db: LedgerDb, secrets: SecretBox): Promise<StoredSecrets> {
  const found: StoredSecrets = { webhooks: 0, older: 0, unreadable: 0, example: null }
  for await (const row of readSecretsRows(db)) {
    found.webhooks += 1
    if (openSecrets(secrets, row) === null) {
      found.unreadable += 1
      found.example ??= fromUuid('whk', row.webhook_id)
    } else if (!isCurrent(secrets, row)) found.older += 1
  }
  return found
}

/**
 * Encrypts all stored secrets under the first key, except those that cannot be read. Replaces a row only if it is as it
 * was read, so this may run beside the service, several times at once, and again after it was interrupted. Returns the
 * number of webhooks whose secrets it encrypted again.
 */
export async function reencryptSecrets(db: LedgerDb, secrets: SecretBox): Promise<number> {
  let total = 0
  for (let [passes, missed] = [0, 1]; missed > 0 && passes < MOST_PASSES; passes += 1) {
    missed = 0
    for await (const row of readSecretsRows(db)) {
      const opened = isCurrent(secrets, row) ? null : openSecrets(secrets, row)
      if (opened === null) continue
      if (await replaceSecrets(db, row, secrets, opened)) total += 1
      else missed += 1
    }
  }
  return total
}

interface SecretsRow {
  company_id: string
  webhook_id: string
  secret: Buffer
  previous_secret: Buffer | null
  /** Whether messages are still signed with the previous secret. */
  has_overlap: boolean
}

/** The secrets of all webhooks, read page by page. */
async function* readSecretsRows(db: LedgerDb): AsyncGenerator<SecretsRow> {
  for (let last: SecretsRow | undefined; ;) {
    const { rows } = await sql<SecretsRow>`
      select company_id, webhook_id, secret, previous_secret,
        coalesce(previous_expires_at > statement_timestamp(), false) as has_overlap
      from webhooks
      ${last ? sql`where (company_id, webhook_id) > (${last.company_id}, ${last.webhook_id})` : sql``}
      order by company_id, webhook_id limit ${AT_ONCE}`.execute(db)
    yield* rows
    if (rows.length < AT_ONCE) return
    last = rows.at(-1)
  }
}

interface OpenedSecrets {
  secret: string
  previous: string | null
}

/** The secrets that sign messages; null if one of them cannot be read. */
function openSecrets(secrets: SecretBox, row: SecretsRow): OpenedSecrets | null {
  const id = fromUuid('whk', row.webhook_id)
  const previous = row.has_overlap ? row.previous_secret : null
  try {
    return {
      secret: openSecret(secrets, row.secret, id),
      previous: previous === null ? null : openSecret(secrets, previous, id),
    }
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}

function isCurrent(secrets: SecretBox, { secret, previous_secret: previous }: SecretsRow): boolean {
  return secrets.isCurrent(secret) && (previous === null || secrets.isCurrent(previous))
}

/** Replaces the secrets of a row, without one that has ended. Returns false if the row has changed meanwhile. */
async function replaceSecrets(db: LedgerDb, row: SecretsRow, secrets: SecretBox, opened: OpenedSecrets) {
  const id = fromUuid('whk', row.webhook_id)
  const previous = opened.previous === null ? null : sealSecret(secrets, opened.previous, id)
  const { numAffectedRows } = await sql`
    update webhooks set secret = ${sealSecret(secrets, opened.secret, id)}, previous_secret = ${previous}
    where company_id = ${row.company_id} and webhook_id = ${row.webhook_id}
      and secret = ${row.secret} and previous_secret is not distinct from ${row.previous_secret}`.execute(db)
  return numAffectedRows === 1n
}
