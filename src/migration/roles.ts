import { sql, type Kysely, type RawBuilder } from 'kysely'
import { PROJECTIONS } from '#projections/index'
import { schemaOf, type Projection } from '#projections/projection'
import { createClient } from '#postgres/pool'
import type { DatabaseUrls } from '#postgres/database-urls'

/** The rights of the service's role per table; it has no others. It may insert and read events, but not change them. */
export const RIGHTS: Record<string, string> = {
  setup: 'select',
  kysely_migration: 'select',
  events: 'select, insert',
  companies: 'select, insert, update',
  heads: 'select, insert, update',
  employee_directory: 'select, insert, update, delete',
  api_keys: 'select, insert, update',
  api_key_usage: 'select, insert, update',
  turned_away_calls: 'select, insert, update, delete',
  idempotency_keys: 'select, insert, update',
  long_calls: 'select, insert, delete',
  users: 'select, insert, update',
  user_tokens: 'select, insert, update, delete',
  sessions: 'select, insert, update, delete',
  session_events: 'select, insert, update, delete',
  last_sign_ins: 'select, insert, update',
  failed_sign_ins: 'select, insert, update, delete',
  checkpoints: 'select, insert, update',
  merkle_subtrees: 'select, insert, delete',
  ledger_verifications: 'select, insert, update',
  evidence_files: 'select, insert, update, delete',
  evidence_chunks: 'select, insert, delete',
  projection_versions: 'select, insert',
  event_traces: 'select, insert, delete',
  actor_clients: 'select, insert, update, delete',
  rejected_bodies: 'select, insert, delete',
  failed_calls: 'select, insert, delete',
  corrections: 'select, insert',
  undoings: 'select, insert',
  unchanged_records: 'select, insert',
  raised_attention: 'select, insert, delete',
  attention_checks: 'select, insert, update',
  attention_snoozes: 'select, insert, delete',
  webhooks: 'select, insert, update, delete',
  webhook_progress: 'select, insert, update, delete',
  webhook_deliveries: 'select, insert, update, delete',
  witness_progress: 'select, insert, update, delete',
  failing_work: 'select, insert, update, delete',
  cosigned_checkpoints: 'select, insert, update, delete',
  logout_tokens: 'select, insert, delete',
  identity_providers: 'select, insert, update, delete',
  passkeys: 'select, insert, update, delete',
  recovery_codes: 'select, insert, delete',
  emails: 'select, insert, update, delete',
  uploads: 'select, insert, update, delete',
  upload_originals: 'select, insert, update, delete',
  upload_pieces: 'select, insert, update, delete',
  upload_mappings: 'select, insert, update, delete',
  upload_parts: 'select, insert, update, delete',
}

/** Grants the service's role its rights. Does nothing if owner and service are the same role. */
export async function grantToService(db: Kysely<unknown>, urls: DatabaseUrls, projections = PROJECTIONS) {
  const service = await serviceRole(urls)
  if (!service) return
  // All or nothing, so that a process that starts meanwhile can tell whether they were granted.
  await db.transaction().execute((transaction) => grantAll(transaction, service, projections))
}

async function grantAll(db: Kysely<unknown>, service: RawBuilder<unknown>, projections: readonly Projection[]) {
  for (const [table, rights] of Object.entries(RIGHTS)) {
    await sql`grant ${sql.raw(rights)} on ${sql.id('public', table)} to ${service}`.execute(db)
  }
  // The only way to change events: erases the data of those that a recorded erasure names.
  await sql`grant execute on function public.erase_events(uuid, bigint) to ${service}`.execute(db)
  for (const schema of [...projections.map(schemaOf), 'pgboss']) await grantOnSchema(db, schema, service)
  await sql`grant execute on all functions in schema pgboss to ${service}`.execute(db)
  await sql`grant usage on all sequences in schema pgboss to ${service}`.execute(db)
}

/** Grants the service's role its rights on the tables of a schema. */
export async function grantOnSchema(db: Kysely<unknown>, schema: string, service: RawBuilder<unknown>) {
  await sql`grant usage on schema ${sql.id(schema)} to ${service}`.execute(db)
  await sql`grant select, insert, update, delete on all tables in schema ${sql.id(schema)} to ${service}`.execute(db)
}

/** The service's role, quoted for SQL; null if owner and service are the same role. */
export async function serviceRole(urls: DatabaseUrls) {
  const role = await readRole(urls.serviceUrl)
  return role === (await readRole(urls.ownerUrl)) ? null : sql.id(role)
}

/** The role of a connection. */
export const readRole = (url: string) => readValue(url, 'select current_user as value')

/** Runs a statement that returns one text, `value`, on a connection of its own. */
export async function readValue(url: string, statement: string) {
  const client = createClient({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ value: string }>(statement)
    return rows[0]!.value
  } finally {
    await client.end()
  }
}
