import { fromUuid } from '#domain/ids'
import { placeOfEvidenceKey } from '#ledger/evidence/stored-files'
import { placeOfEmail } from '../mail/outbox.ts'
import { placeOfSecret } from '../providers/read-provider.ts'
import { placeOfIdToken } from '../sign-in/sign-in-through-provider.ts'
import { placeOfWebhookSecret } from '../webhooks/webhook-rows.ts'

/** A column with secrets that are sealed for a place. All names are SQL. */
export interface SealedColumn {
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
export const SEALED_COLUMNS: readonly SealedColumn[] = [
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
