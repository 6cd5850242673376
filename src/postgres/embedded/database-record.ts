import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createDurably, readIfExists } from '#files/durable-file'
import { isErrno } from '#files/errno'
import { errorReason, StartupError } from '../startup-error.ts'

const RECORD_NAME = 'database.json'
const PASSWORD_BYTES = 24

/** The content of the data folder's `database.json`: the place of the cluster, and the passwords of its roles. */
export interface DatabaseRecord {
  /** Relative to the data folder, or absolute if the cluster is elsewhere. */
  cluster: string
  superuserPassword: string
  ownerPassword: string
  servicePassword: string
}

/** The path of a data folder's record. */
export function recordPath(dataDir: string): string {
  return join(dataDir, RECORD_NAME)
}

/** Reads the record; undefined if there is none yet. */
export async function readRecord(dataDir: string): Promise<DatabaseRecord | undefined> {
  const path = recordPath(dataDir)
  try {
    const text = await readIfExists(path)
    return text === null ? undefined : parseRecord(text)
  } catch (error) {
    if (isErrno(error, 'EACCES')) throw new StartupError(`${path} belongs to another user who ran this program before`)
    throw new StartupError(`${path} cannot be read: ${errorReason(error)}`)
  }
}

/** Writes the first record, with new passwords. If two processes do this at once, both use the first record. */
export async function createRecord(dataDir: string, cluster: string): Promise<DatabaseRecord> {
  const path = recordPath(dataDir)
  await createDurably(path, `${JSON.stringify(newRecord(cluster), null, 2)}\n`)
  const record = await readRecord(dataDir)
  if (record === undefined) throw new StartupError(`${path} was removed while the program was starting`)
  return record
}

function parseRecord(text: string): DatabaseRecord {
  const record = JSON.parse(text) as DatabaseRecord
  for (const field of ['cluster', 'superuserPassword', 'ownerPassword', 'servicePassword'] as const) {
    if (typeof record[field] !== 'string' || record[field] === '') throw new Error(`${field} is missing`)
  }
  return record
}

function newRecord(cluster: string): DatabaseRecord {
  return {
    cluster,
    superuserPassword: newPassword(),
    ownerPassword: newPassword(),
    servicePassword: newPassword(),
  }
}

// base64url needs no escaping in URLs.
function newPassword(): string {
  return randomBytes(PASSWORD_BYTES).toString('base64url')
}
