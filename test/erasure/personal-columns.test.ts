import t from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import { schemaOf } from '../../projections/projection.ts'
import { EMPLOYEE_ROWS } from '../../src/personal-data/employee-places.ts'
import type { RowPlace } from '../../src/personal-data/places.ts'
import { USER_ROWS } from '../../src/personal-data/user-places.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

/*
 * Where every column of the database stands in reports about people and in their erasures. `src/personal-data` says it
 * of the columns that it reports and erases; this table says it of all others.
 */

/** Why a report or an erasure leaves a column out, or how else it is reported and erased. */
const WHY = {
  id: 'an id, position, version or digest, which tells of nobody once the values beside it are erased',
  company: 'about the company and what belongs to it: its keys, providers and webhooks, with the words chosen for them',
  work: 'how far the program is with its own work',
  figure: 'a time, state, count or size, which reports leave out or show, and which tells of nobody by itself',
  secret: 'a secret or a hash of one: no report shows it, and it goes with the row or when the user is removed',
  shown: 'a report shows it, and it stays: how the account was used, under an id',
  proof: 'proves the events, and stays: it tells nothing without the salt, which is erased',
  events: 'reported and erased with the events, by their positions',
  fold: 'folded from events, which are reported; the fold of the erasing event clears it',
  answer: 'repeats values that are reported from events, and is erased with them',
  file: 'of a stored file: `stored_files` reports and erases what names the person, and the rest goes within days',
  evidence: 'reported from events; an erasure deletes all evidence files of the company, and with them their key',
  address: 'the address of a program of a key, kept for ADDRESSES_KEPT_DAYS',
} as const

type Standing = Partial<Record<keyof typeof WHY, string>>

/** The columns that the places do not both report and erase, apart from `company_id`. */
const OTHER_COLUMNS: Record<string, Standing> = {
  actor_clients: { id: 'client_id actor_id' },
  api_key_usage: { id: 'api_id', company: 'window_start requests_made last_used people_use last_window' },
  api_keys: {
    id: 'api_id version',
    company: `name is_enabled is_revoked scopes expires_at allowed_networks quota_limit refresh_period created_at
      previous_expires_at rotated_at last_four expected_calls expected_since limits excess writable_fields`,
    secret: 'secret_hash previous_secret_hash former_secrets',
  },
  attention_checks: { work: 'checked_at' },
  attention_snoozes: { id: 'name actor' },
  calls_by_hour: {
    id: 'key_id',
    figure: 'hour operation status calls total updated deactivated failed no_updates',
  },
  checkpoints: { work: 'projection version position attempts next_try_at parked_at error generation' },
  companies: { company: 'name created_at time_zone hash_key country' },
  corrections: { id: 'corrected_id position call_id records' },
  cosigned_checkpoints: { proof: 'size note' },
  emails: {
    id: 'email_id user_id',
    shown: 'kind state attempts created_at ended_at',
    work: 'due_at give_up_at lease_id leased_until',
  },
  employee_directory: { id: 'record_digest record_version' },
  employees: {
    fold: 'employee_id created_at updated_at deactivated_at deprovisioned_at version search_text attributes',
  },
  entries: {
    id: 'position call_id key_id request_id first_position',
    company: 'key_name',
    figure: `status operation source requested_at duration_ms http_status error_code error_detail total updated
      deactivated failed no_updates outcomes notes`,
  },
  event_traces: { id: 'position traceparent', figure: 'recorded_at' },
  events: {
    id: 'position stream_id call_id stream_version record_index schema_version type actor client_id',
    figure: 'recorded_at',
    proof: 'leaf_hash data_hash',
    events: 'salt data',
  },
  evidence_chunks: { evidence: 'file_id number content' },
  evidence_files: {
    id: 'request_id file_id requested_by',
    evidence: 'subject sealed_key',
    work: `requested_at seen_at expires_at state problem size events events_read chunks bytes leased_until attempts`,
  },
  failed_calls: { id: 'part', figure: 'bytes' },
  failed_sign_ins: { id: 'user_id', shown: 'hour password passkey recovery_code last_at', work: 'is_recorded' },
  failing_work: { work: 'work subject since seen_at error' },
  failures_by_hour: {
    id: 'key_id last_position last_call_id',
    figure: 'hour error_code calls records refused first_at',
  },
  former_names: { fold: 'name_hash employee_id' },
  heads: { proof: 'position frontier', figure: 'recorded_at' },
  hours: { figure: 'hour first_position last_position' },
  idempotency_keys: {
    id: 'api_id key_hash call_id position',
    figure: 'status answered_at may_name_anyone',
    answer: 'salt fingerprint headers body',
  },
  identity_providers: {
    id: 'provider_id version break_glass',
    company: 'name issuer client_id client_auth creates_users role_claim roles use created_at failing_since fault',
    secret: 'secret',
  },
  kysely_migration: { work: 'name timestamp' },
  kysely_migration_lock: { work: 'id is_locked' },
  last_sign_ins: { id: 'user_id', shown: 'signed_in_at method' },
  ledger_verifications: { id: 'run_id started_by', work: 'started_at seen_at position size verdict' },
  logout_tokens: { secret: 'token_hash', work: 'expires_at' },
  long_calls: { id: 'call_id api_id key_hash', work: 'began_at' },
  merkle_subtrees: { proof: 'level number hash' },
  passkeys: { id: 'user_id', secret: 'credential_id public_key counter' },
  people_by_hour: { figure: 'hour created deactivated reactivated' },
  projection_versions: { work: 'projection version completed_at' },
  raised_attention: { id: 'name', company: 'item' },
  recovery_codes: { id: 'user_id', secret: 'code_hash' },
  refusals_by_hour: { id: 'key_id people', figure: 'hour code field kind records first_at last_at' },
  refused_errors: { fold: 'code field kind requested_at position key_id person' },
  rejected_bodies: { figure: 'sent_bytes truncated error_at error_line error_column' },
  rejected_names: { fold: 'name_hash entry_position position employee_id' },
  session_events: { id: 'event_id user_id actor', shown: 'type data happened_at' },
  sessions: { id: 'user_id', secret: 'session_hash' },
  setup: { work: 'id', secret: 'fingerprint sign_in_key' },
  turned_away_calls: { id: 'api_id', figure: 'hour reason calls last_at', address: 'address' },
  unchanged_records: { id: 'bucket last_position first_position people offsets' },
  undoings: { id: 'undone_id position call_id is_whole' },
  upload_mappings: { file: 'header_hash mapping used_at' },
  upload_originals: {
    id: 'user_id log_id',
    file: 'operation answers question notes content key',
  },
  upload_parts: {
    id: 'upload_id user_id undoes',
    file: 'first_row rows erased content counts left_out outcome missing_of',
  },
  upload_pieces: { file: 'upload_id piece content expires_at' },
  uploads: {
    id: 'user_id corrects request_id undoes',
    file: 'operation header mapping parts bytes all_or_none',
    work: 'lease_id leased_until',
  },
  user_tokens: { id: 'user_id', secret: 'token_hash' },
  users: {
    id: 'user_id version told_position',
    secret: 'password_hash link_hash reset_hash',
    shown: 'role created_at removed_at link_expires_at reset_expires_at has_proved_email wants_alerts told_at',
  },
  webhook_deliveries: {
    id: 'webhook_id delivery_id position',
    figure: 'type sent_at duration_ms is_delivered http_status error',
  },
  webhook_progress: {
    work: `webhook_id position ahead attempts failing_since due_at error is_slow lease_id leased_until`,
  },
  webhooks: {
    id: 'webhook_id version revision',
    company: `url description types include_data concurrency status disabled_reason disabled_at created_at
      previous_expires_at rotated_at`,
    secret: 'secret previous_secret',
  },
  witness_progress: { work: 'witness size due_at attempts failing_since fault error' },
}

const PLACES: RowPlace<never>[] = [...Object.values(EMPLOYEE_ROWS), ...Object.values(USER_ROWS)]

/** Whether the places report a column, and erase it. */
function isReportedAndErased(table: string, column: string) {
  const described = PLACES.flatMap(({ describes }) => (describes?.table === table ? [describes] : []))
  const isNamed = new RegExp(String.raw`\b${column}\b`)
  const isReported = described.some(({ shows }) => Object.values(shows).some((shown) => isNamed.test(shown)))
  const isErased = described.some(({ sets }) => sets === 'delete' || Object.hasOwn(sets, column))
  return isReported && isErased
}

const { serviceUrl } = await createTestDatabase(t)
const pool = openPool({ url: serviceUrl, name: 'test', max: 1 })
t.teardown(() => pool.end())

/** The columns of all tables of the program. Jobs of pg-boss hold ids of companies alone. */
async function readColumns(): Promise<Map<string, string[]>> {
  const schemas = ['public', ...PROJECTIONS.map(schemaOf)]
  const { rows } = await pool.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = any ($1::text[]::regnamespace[]) and c.relkind in ('r', 'p') and a.attnum > 0
       and not a.attisdropped group by 1`,
    [schemas],
  )
  return new Map(rows.map(({ table, columns }) => [table, columns.filter((name) => name !== 'company_id')]))
}

await t.test('every column is reported and erased with the person whom it is about, or listed here', async (t) => {
  const found = [...(await readColumns())].flatMap(([table, columns]) =>
    columns.filter((column) => !isReportedAndErased(table, column)).map((column) => `${table}.${column}`),
  )
  const listed = Object.entries(OTHER_COLUMNS).flatMap(([table, standing]) =>
    Object.values(standing)
      .flatMap((names) => names.split(/\s+/))
      .map((column) => `${table}.${column}`),
  )
  const unlisted = found.filter((column) => !listed.includes(column))
  t.strictSame(unlisted, [], 'add them to a place in src/personal-data, or to OTHER_COLUMNS with a reason')
  t.strictSame(listed.toSorted(), found.toSorted(), 'and no column is listed twice, or in vain')
})
