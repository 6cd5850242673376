import { escapeIdentifier, escapeLiteral, type Client } from 'pg'
import type { DatabaseRecord } from './database-record.ts'

/** The application's database. */
export const DATABASE_NAME = 'employee_ledger'
/** Owns the database, its schema and what is in it; runs the migrations. */
export const OWNER_NAME = 'ledger_owner'
/** What the service connects as: it may connect, and what migrations grant it. */
export const SERVICE_NAME = 'ledger_service'

const UNFINISHED_NAME = `${DATABASE_NAME}_new`

/** Makes the roles and the database on the first start, as superuser, one process at a time. */
export async function ensureDatabase(client: Client, record: DatabaseRecord): Promise<void> {
  if (await databaseExists(client)) return
  await ensureRole(client, OWNER_NAME, record.ownerPassword)
  await ensureRole(client, SERVICE_NAME, record.servicePassword)
  await createDatabase(client)
}

async function databaseExists(client: Client): Promise<boolean> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME])
  return rowCount === 1
}

async function ensureRole(client: Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name])
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER'
  const rights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE'
  await client.query(`${verb} ROLE ${escapeIdentifier(name)} ${rights} PASSWORD ${escapeLiteral(password)}`)
}

// Made under another name and renamed when it is complete: a kill in the middle leaves nothing that looks whole.
async function createDatabase(client: Client): Promise<void> {
  const statements = [
    `DROP DATABASE IF EXISTS ${UNFINISHED_NAME}`,
    `CREATE DATABASE ${UNFINISHED_NAME} OWNER ${OWNER_NAME} TEMPLATE template0`,
    `REVOKE ALL ON DATABASE ${UNFINISHED_NAME} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${UNFINISHED_NAME} TO ${SERVICE_NAME}`,
    `REVOKE CONNECT ON DATABASE postgres FROM PUBLIC`,
    `REVOKE CONNECT ON DATABASE template1 FROM PUBLIC`,
    `ALTER DATABASE ${UNFINISHED_NAME} RENAME TO ${DATABASE_NAME}`,
  ]
  for (const statement of statements) await client.query(statement)
}
