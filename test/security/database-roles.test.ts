import t from 'tap'
import { employee, startService } from '../support/service.ts'
import { attemptSql } from '../support/postgres/run-sql.ts'
import { NAMES } from '../support/postgres/test-server.ts'

/*
 * Least privilege in the database: everything the role of the service may do, and what it may not.
 * `test/ledger/append/append-only.test.ts` tries to change events.
 */

const service = await startService(t)
await service.call('POST', '/v1/employees', { body: employee() })
const INSUFFICIENT_PRIVILEGE = '42501'

const MAY: Record<string, string> = {
  upload_originals: 'DELETE INSERT SELECT UPDATE',
  upload_parts: 'DELETE INSERT SELECT UPDATE',
  upload_pieces: 'DELETE INSERT SELECT UPDATE',
  upload_mappings: 'DELETE INSERT SELECT UPDATE',
  uploads: 'DELETE INSERT SELECT UPDATE',
  api_key_usage: 'INSERT SELECT UPDATE',
  turned_away_calls: 'DELETE INSERT SELECT UPDATE',
  api_keys: 'INSERT SELECT UPDATE',
  checkpoints: 'INSERT SELECT UPDATE',
  companies: 'INSERT SELECT UPDATE',
  employee_directory: 'DELETE INSERT SELECT UPDATE',
  actor_clients: 'DELETE INSERT SELECT UPDATE',
  attention_checks: 'INSERT SELECT UPDATE',
  attention_snoozes: 'DELETE INSERT SELECT',
  raised_attention: 'DELETE INSERT SELECT',
  session_events: 'DELETE INSERT SELECT UPDATE',
  last_sign_ins: 'INSERT SELECT UPDATE',
  failed_sign_ins: 'DELETE INSERT SELECT UPDATE',
  emails: 'DELETE INSERT SELECT UPDATE',
  event_traces: 'DELETE INSERT SELECT',
  events: 'INSERT SELECT',
  heads: 'INSERT SELECT UPDATE',
  idempotency_keys: 'INSERT SELECT UPDATE',
  long_calls: 'DELETE INSERT SELECT',
  kysely_migration: 'SELECT',
  merkle_subtrees: 'DELETE INSERT SELECT',
  ledger_verifications: 'INSERT SELECT UPDATE',
  evidence_files: 'DELETE INSERT SELECT UPDATE',
  evidence_chunks: 'DELETE INSERT SELECT',
  projection_versions: 'INSERT SELECT',
  sessions: 'DELETE INSERT SELECT UPDATE',
  logout_tokens: 'DELETE INSERT SELECT',
  setup: 'SELECT',
  user_tokens: 'DELETE INSERT SELECT UPDATE',
  users: 'INSERT SELECT UPDATE',
  webhook_deliveries: 'DELETE INSERT SELECT UPDATE',
  identity_providers: 'DELETE INSERT SELECT UPDATE',
  passkeys: 'DELETE INSERT SELECT UPDATE',
  failed_calls: 'DELETE INSERT SELECT',
  corrections: 'INSERT SELECT',
  undoings: 'INSERT SELECT',
  rejected_bodies: 'DELETE INSERT SELECT',
  unchanged_records: 'INSERT SELECT',
  recovery_codes: 'DELETE INSERT SELECT',
  witness_progress: 'DELETE INSERT SELECT UPDATE',
  failing_work: 'DELETE INSERT SELECT UPDATE',
  cosigned_checkpoints: 'DELETE INSERT SELECT UPDATE',
  webhook_progress: 'DELETE INSERT SELECT UPDATE',
  webhooks: 'DELETE INSERT SELECT UPDATE',
}

await t.test("on the ledger's tables the service has exactly these rights", async (t) => {
  const { rows } = await service.pool.query<{ name: string; rights: string }>(
    `select table_name as name, string_agg(privilege_type, ' ' order by privilege_type) as rights
     from information_schema.role_table_grants where table_schema = 'public' and grantee in (current_user, 'PUBLIC') group by 1 order by 1`,
  )
  t.strictSame(Object.fromEntries(rows.map(({ name, rights }) => [name, rights])), MAY)
})

await t.test('the role of the service owns nothing and can do nothing but connect', async (t) => {
  const { rows } = await service.pool.query(
    `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
       (select count(*)::integer from pg_auth_members m where m.member = r.oid) as memberships,
       (select count(*)::integer from pg_class c where c.relowner = r.oid) as tables
     from pg_roles r where rolname = current_user`,
  )
  t.strictSame(rows, [
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
      tables: 0,
    },
  ])
})

const FORBIDDEN = [
  'delete from heads',
  'delete from companies',
  "update setup set fingerprint = 'x'",
  'drop table companies',
  'drop table events',
  'alter table events add column x integer',
  'alter table events disable trigger all',
  'create table mine (a integer)',
  'create schema mine',
  "create function mine() returns integer language sql as 'select 1'",
  'create or replace function erase_events(uuid, bigint) returns integer language sql as $$ select 1 $$',
  'create role mine',
  'create database mine',
  `set role ${NAMES.owner}`,
  'set session_replication_role = replica',
  'select * from pg_authid',
  'select * from pg_shadow',
  "select pg_read_file('pg_hba.conf')",
  "copy companies to program 'true'",
  "copy companies to '/tmp/companies'",
]

for (const statement of FORBIDDEN) {
  await t.test(`the service may not run: ${statement}`, async (t) => {
    t.equal(await attemptSql(service.urls.serviceUrl, statement), INSUFFICIENT_PRIVILEGE)
  })
}

await t.test("the service can't read other databases of the server", async (t) => {
  for (const name of ['postgres', 'template1']) {
    const url = Object.assign(new URL(service.urls.serviceUrl), { pathname: `/${name}` }).href
    t.not(await attemptSql(url, 'select 1'), 'done', name)
  }
})
