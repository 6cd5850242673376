import { sql, type Kysely, type RawBuilder } from 'kysely'
import { PROJECTIONS } from '#projections/index'
import { schemaOf, type Projection } from '#projections/projection'
import { createClient } from '#postgres/pool'
import type { DatabaseUrls } from '#postgres/database-urls'

/**
 * The rights of the service's role, and the tables on which it has them; it has no others. It may insert and read
 * events, but not change them.
 */
const TABLES = {
  select: ['setup', 'kysely_migration'],
  'select, insert': ['events', 'projection_versions', 'corrections', 'undoings', 'unchanged_records'],
  'select, insert, update': [
    'companies',
    'heads',
    'api_keys',
    'api_key_usage',
    'idempotency_keys',
    'users',
    'last_sign_ins',
    'checkpoints',
    'ledger_verifications',
    'attention_checks',
  ],
  'select, insert, delete': [
    'long_calls',
    'merkle_subtrees',
    'evidence_chunks',
    'event_traces',
    'rejected_bodies',
    'failed_calls',
    'raised_attention',
    'attention_snoozes',
    'logout_tokens',
    'recovery_codes',
  ],
  'select, insert, update, delete': [
    'employee_directory',
    'turned_away_calls',
    'user_tokens',
    'sessions',
    'session_events',
    'failed_sign_ins',
    'evidence_files',
    'actor_clients',
    'webhooks',
    'webhook_progress',
    'webhook_deliveries',
    'witness_progress',
    'failing_work',
    'cosigned_checkpoints',
    'identity_providers',
    'passkeys',
    'emails',
    'uploads',
    'upload_originals',
    'upload_pieces',
    'upload_mappings',
    'upload_parts',
  ],
}

/** The rights of the service's role per table. */
export const RIGHTS = Object.fromEntries(
  Object.entries(TABLES).flatMap(([rights, tables]) => tables.map((table) => [table, rights] as const)),
)

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
