import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { clusterVersion, type DataFolder, type DatabaseRecord } from './data-folder.ts'
import { giveTo, runAs } from './database-os-user.ts'
import { addRemedy, type PostgresBinaries } from './postgres-server.ts'
import { StartupError } from '#postgres/startup-error'
import { discardUnfinished, finishFolder, unfinishedPath } from '#files/unfinished'
import { escapeIdentifier, escapeLiteral, type Client } from 'pg'

/** The superuser of the cluster, which creates the roles and the database. */
export const SUPERUSER_NAME = 'postgres'

// Written to the cluster's postgresql.conf, where operators may tune them.
const FIRST_SETTINGS = {
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  // Error details quote row values: personal data, which no erasure could remove from a log.
  log_error_verbosity: 'terse',
}

/** The rights that PostgreSQL allows on its folder, and those that it refuses. */
const ALLOWED = 0o750
const NOT_ALLOWED = 0o027

/** Creates the cluster on the first start. Throws StartupError for a cluster that these binaries cannot run. */
export async function ensureCluster(folder: DataFolder, binaries: PostgresBinaries, durable: boolean) {
  const { clusterDir } = folder
  if ((await clusterVersion(clusterDir)) === undefined) await createCluster(folder, binaries, durable)
  const version = await clusterVersion(clusterDir)
  if (version === binaries.majorVersion) return mendRights(folder)
  if (version === undefined) throw new StartupError(`${clusterDir} contains something other than a database`)
  throw new StartupError(
    `${clusterDir} was made by PostgreSQL ${version}, but this program runs PostgreSQL ` +
      `${binaries.majorVersion}: move the data over with pg_dump, or set DATABASE_URL`,
  )
}

/** PostgreSQL refuses files of another user, and a folder that others may enter: a copy by root can be both. */
async function mendRights({ clusterDir, user }: DataFolder) {
  const [{ uid, mode }, version] = await Promise.all([stat(clusterDir), stat(join(clusterDir, 'PG_VERSION'))])
  if (user.ids && (uid !== user.ids.uid || version.uid !== user.ids.uid)) {
    const owner = `${user.ids.uid}:${user.ids.gid}`
    const { ok, lines } = await runAs({ name: 'root' }, 'chown', ['-Rh', owner, clusterDir])
    if (!ok)
      throw new StartupError(
        `${clusterDir} belongs to another user, and cannot be given to ${user.name}: ${lines.at(-1)}`,
      )
  }
  if ((mode & NOT_ALLOWED) !== 0) await chmod(clusterDir, mode & ALLOWED)
}

async function createCluster(folder: DataFolder, binaries: PostgresBinaries, durable: boolean) {
  const { clusterDir, user } = folder
  const unfinished = unfinishedPath(clusterDir)
  const passwordFile = unfinishedPath(join(dirname(clusterDir), 'superuser-password'))
  try {
    await mkdir(unfinished, { mode: 0o700 })
    await giveTo(user, unfinished)
    await writeFile(passwordFile, folder.record.superuserPassword, { mode: 0o600, flag: 'wx' })
    await giveTo(user, passwordFile)
    const result = await runAs(user, binaries.initdb, initdbArguments(unfinished, passwordFile, durable))
    if (!result.ok)
      throw new StartupError(`cannot create a database in ${clusterDir}: ${addRemedy(initdbFault(result.lines))}`)
    await finishFolder(unfinished, clusterDir)
  } finally {
    await discardUnfinished(passwordFile)
    await discardUnfinished(unfinished)
  }
}

// PostgreSQL's builtin C.UTF-8 does not depend on the machine's locales and sorts the same everywhere.
function initdbArguments(clusterDir: string, passwordFile: string, durable: boolean) {
  return [
    `--pgdata=${clusterDir}`,
    `--username=${SUPERUSER_NAME}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...Object.entries(FIRST_SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
    ...(durable ? [] : ['--no-sync']),
  ]
}

// initdb reports its cleanup last; the error comes before.
function initdbFault(lines: string[]) {
  const fault = lines.findLast((line) => /\b(error|fatal|could not)\b/i.test(line))
  return fault ?? lines.at(-1) ?? 'initdb gave no reason'
}

/** The application's database. */
export const DATABASE_NAME = 'employee_ledger'
/** Owns the database and everything in it; runs the migrations. */
export const OWNER_NAME = 'ledger_owner'
/** The role of the service. It may connect, and do what migrations grant it. */
export const SERVICE_NAME = 'ledger_service'

const UNFINISHED_NAME = `${DATABASE_NAME}_new`

/** Creates the roles and the database on the first start. Run as superuser, by one process at a time. */
export async function ensureDatabase(client: Client, record: DatabaseRecord) {
  if (await databaseExists(client)) return
  await ensureRole(client, OWNER_NAME, record.ownerPassword)
  await ensureRole(client, SERVICE_NAME, record.servicePassword)
  await createDatabase(client)
}

async function databaseExists(client: Client) {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME])
  return rowCount === 1
}

async function ensureRole(client: Client, name: string, password: string) {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name])
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER'
  const rights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE'
  await client.query(`${verb} ROLE ${escapeIdentifier(name)} ${rights} PASSWORD ${escapeLiteral(password)}`)
}

// Created under a temporary name and renamed when complete, so that a kill in between leaves nothing that looks
// complete.
async function createDatabase(client: Client) {
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
