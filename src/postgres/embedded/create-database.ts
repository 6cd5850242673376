import { escapeIdentifier, escapeLiteral, type Client } from 'pg'
import type { DatabaseRecord } from './database-record.ts'

/** The application's database. */
export const DATABASE_NAME = 'employee_ledger'
/** Owns the database and everything in it; runs the migrations. */
export const OWNER_NAME = 'ledger_owner'
/** The role of the service. It may connect, and do what migrations grant it. */
export const SERVICE_NAME = 'ledger_service'

const UNFINISHED_NAME = `${DATABASE_NAME}_new`

/** Creates the roles and the database on the first start. Run as superuser, by one process at a time. */
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

// Created under a temporary name and renamed when complete, so that a kill in between leaves nothing that looks
// complete.
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
