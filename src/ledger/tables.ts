import type { KeyExcess, KeyLimits, PeopleUse, KeyScope, RefreshPeriod, ExpectedCalls } from '#domain/accounts/api-key'
import type { Kysely } from 'kysely'
import type { AttentionItem, WitnessFault } from '#domain/attention'
import type { AttributeName } from '#domain/attributes'
import type { BackgroundWork } from '#domain/attention-kinds'
import type { WebhookDisabledReason, WebhookSettings, WebhookStatus } from '#domain/webhook-types'
import type { TurnedAwayReason } from '#domain/accounts/secrets'
import type { Role, SessionMethod, FailingMethod, SignInMethod } from '#domain/accounts/roles'
import type { ProviderSettings, ProviderUse } from '#domain/provider-settings'
import type { EventRow } from './event-row.ts'
import type { MappingRow, OriginalRow, PartRow, PieceRow, UploadRow } from './upload-rows.ts'

/** From where a request came. */
interface FromClient {
  address: string | null
  user_agent: string | null
}

/** The columns of the tables whose rows are a company's, beside the company's id. */
interface CompanyTables {
  companies: {
    name: string
    created_at: string
    time_zone: string
    hash_key: Buffer
    /** ISO 3166-1 alpha-2: local phone numbers are numbers of this country. */
    country: string | null
  }
  heads: { position: number; frontier: Buffer; recorded_at: string }
  events: EventRow
  employee_directory: {
    employee_id: string
    email: string | null
    external_id: string | null
    /** Folded. */
    user_name: string | null
    directory_external_id: string | null
    manager_id: string | null
    /** Of the record that changed nothing about the employee at this version; null if there was none. */
    record_digest: Buffer | null
    record_version: number | null
  }
  api_keys: {
    api_id: string
    version: number
    name: string
    secret_hash: Buffer
    previous_secret_hash: Buffer | null
    previous_expires_at: string | null
    rotated_at: string | null
    is_enabled: boolean
    is_revoked: boolean
    scopes: readonly KeyScope[]
    expires_at: string | null
    allowed_networks: readonly string[] | null
    writable_fields: readonly AttributeName[] | null
    quota_limit: number
    refresh_period: RefreshPeriod
    created_at: string
    expected_calls: ExpectedCalls | null
    expected_since: string | null
    /** The last four characters of its secrets, by their SHA-256 (hexadecimal). Null if none are stored. */
    last_four: Record<string, string | null> | null
    /** Null if it has none. */
    limits: KeyLimits | null
    excess: KeyExcess | null
    /** When its former secrets were replaced (RFC 3339 UTC), by their SHA-256 (hexadecimal). */
    former_secrets: Record<string, string> | null
  }
  api_key_usage: {
    api_id: string
    window_start: string
    requests_made: number
    last_used: string | null
    /** The window of its last use. Unlike the use itself, it has an index, because few calls change it. */
    last_window: string | null
    people_use: PeopleUse | null
  }
  turned_away_calls: {
    api_id: string
    hour: string
    reason: TurnedAwayReason
    calls: number
    last_at: string
    address: string | null
  }
  users: {
    user_id: string
    version: number
    email: string
    name: string
    role: Role
    password_hash: string | null
    link_hash: Buffer | null
    link_expires_at: string | null
    created_at: string
    removed_at: string | null
    issuer: string | null
    subject: string | null
    reset_hash: Buffer | null
    reset_expires_at: string | null
    has_proved_email: boolean
    wants_alerts: boolean
    told_position: number | null
    told_at: string | null
  }
  user_tokens: {
    token_hash: Buffer
    token_id: string
    user_id: string
    name: string
    expires_at: string
    created_at: string
    last_used: string | null
    revoked_at: string | null
    /** Separated by blanks; null for full access. */
    scope: string | null
    last_four: string | null
  }
  sessions: {
    session_hash: Buffer
    user_id: string
    role: Role
    created_at: string
    last_used: string
    expires_at: string
    user_agent: string
    address: string
    method: SessionMethod
    provider_session: string | null
    id_token: Buffer | null
  }
  logout_tokens: { token_hash: Buffer; expires_at: string }
  session_events: FromClient & {
    event_id: string
    user_id: string
    type: 'UserSignedIn' | 'UserSignedOut' | 'UserSessionsEnded'
    data: Record<string, unknown>
    actor: string
    happened_at: string
  }
  last_sign_ins: FromClient & {
    user_id: string
    signed_in_at: string
    method: SignInMethod
  }
  failed_sign_ins: Record<FailingMethod, number> &
    FromClient & {
      user_id: string
      hour: string
      last_at: string
      is_recorded: boolean
    }
  identity_providers: ProviderSettings &
    ProviderUse & {
      provider_id: string
      version: number
      secret: Buffer
      created_at: string
      failing_since: string | null
      fault: string | null
    }
  passkeys: {
    credential_id: Buffer
    passkey_id: string
    user_id: string
    public_key: Buffer
    counter: number
    transports: string[]
    name: string
    created_at: string
    last_used: string | null
  }
  recovery_codes: { user_id: string; code_hash: Buffer }
  emails: {
    email_id: string
    user_id: string
    kind: string
    state: 'waiting' | 'sending' | 'sent' | 'failed' | 'canceled' | 'unknown'
    content: Buffer | null
    attempts: number
    error: string | null
    created_at: string
    due_at: string
    give_up_at: string
    ended_at: string | null
    lease_id: string | null
    leased_until: string | null
  }
  uploads: UploadRow
  upload_originals: OriginalRow
  upload_pieces: PieceRow
  upload_mappings: MappingRow
  /** The completed calls that correct a failed one, `corrected_id`. */
  corrections: {
    corrected_id: string
    position: number
    call_id: string
    records: number[] | null
  }
  undoings: {
    undone_id: string
    position: number
    call_id: string
    is_whole: boolean
  }
  upload_parts: PartRow
  checkpoints: {
    projection: string
    version: number
    position: number
    attempts: number
    next_try_at: string | null
    parked_at: string | null
    error: string | null
    /** The rebuild that last wrote the rows; null if there was none. */
    generation: string | null
  }
  actor_clients: {
    client_id: number
    actor_id: string
    address: string
    user_agent: string | null
    first_at: string
    last_at: string
  }
  raised_attention: { name: string; item: AttentionItem }
  attention_checks: { checked_at: string }
  attention_snoozes: {
    name: string
    item: AttentionItem
    /** YYYY-MM-DD. */
    until: string
    reason: string
    actor: string
  }
  event_traces: { position: number; traceparent: string; recorded_at: string }
  rejected_bodies: {
    position: number
    recorded_at: string
    body: string
    sent_bytes: number
    truncated: boolean
    error_at: number | null
    error_line: number | null
    error_column: number | null
  }
  failed_calls: {
    position: number
    part: number
    recorded_at: string
    records: string
    bytes: number
  }
  unchanged_records: {
    bucket: number
    last_position: number
    first_position: number
    people: string[]
    offsets: number[]
  }
  merkle_subtrees: { level: number; number: number; hash: Buffer }
  ledger_verifications: {
    run_id: string
    started_by: string
    started_at: string
    seen_at: string
    position: number
    size: number
    verdict: string | null
  }
  evidence_files: {
    request_id: string
    file_id: string
    subject: string
    requested_by: string
    requested_at: string
    seen_at: string
    expires_at: string
    state: 'waiting' | 'making' | 'done' | 'failed'
    problem: string | null
    size: number
    events: number
    events_read: number
    chunks: number
    bytes: number
    sealed_key: Buffer | null
    leased_until: string | null
    attempts: number
  }
  evidence_chunks: { file_id: string; number: number; content: Buffer }
  webhooks: WebhookSettings & {
    webhook_id: string
    version: number
    revision: number
    status: WebhookStatus
    disabled_reason: WebhookDisabledReason | null
    disabled_at: string | null
    secret: Buffer
    previous_secret: Buffer | null
    previous_expires_at: string | null
    rotated_at: string | null
    created_at: string
  }
  webhook_progress: {
    webhook_id: string
    position: number
    /** Bigints in an array arrive as texts. */
    ahead: string[]
    attempts: number
    failing_since: string | null
    due_at: string | null
    error: string | null
    is_slow: boolean
    lease_id: string | null
    leased_until: string | null
  }
  webhook_deliveries: {
    webhook_id: string
    delivery_id: string
    position: number | null
    type: string
    sent_at: string
    duration_ms: number
    is_delivered: boolean
    http_status: number | null
    error: string | null
    answer: string | null
  }
  witness_progress: {
    witness: string
    size: number
    due_at: string
    attempts: number
    failing_since: string | null
    fault: WitnessFault | null
    error: string | null
  }
  failing_work: {
    work: BackgroundWork
    subject: string
    since: string
    seen_at: string
    error: string
  }
  cosigned_checkpoints: { size: number; note: string }
}

/** The ledger's tables, as created by migrations/. Times are RFC 3339 texts. */
export type LedgerTables = {
  [Table in keyof CompanyTables]: CompanyTables[Table] & { company_id: string }
} & {
  /** Projection versions that may be read: their tables have once caught up with the heads. */
  projection_versions: { projection: string; version: number; completed_at: string }
}

/** Some columns of a row of one of the ledger's tables. */
export type Row<Table extends keyof LedgerTables, Column extends keyof LedgerTables[Table]> = Pick<
  LedgerTables[Table],
  Column
>

/** A query builder on the ledger's tables. */
export type LedgerDb = Kysely<LedgerTables>
