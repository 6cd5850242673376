import { access, constants, stat, statfs } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { fromUuid, isId, toUuid } from '../domain/ids.ts'
import type { NoteFiles } from '../ledger/audit/note-files.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const GIB = 1024 ** 3
const WARN_FREE = { bytes: 5 * GIB, share: 0.1 }
const FAIL_FREE_BYTES = GIB / 4
const OTHERS = 0o077
/** The companies that have changed last are looked at. */
const COMPANIES = 20
/** Companies with notes that are looked at, and how many of them together. */
const NOTED_COMPANIES = 20_000
const COMPANIES_AT_ONCE = 100

/** Whether only the owner can read the file of the signing key. */
export async function checkKeyFile(file: string): Promise<Finding> {
  const found = await stat(file).catch(() => null)
  if (!found)
    return warn(
      'signing key',
      `there is none in ${file}: no checkpoints are signed, and a rollback cannot be noticed`,
      'make one and set SIGNING_KEY_FILE (docs/deployment.md, “On your own PostgreSQL”)',
    )
  if ((found.mode & OTHERS) === 0) return ok('signing key', `${file} is its owner's alone`)
  return warn(
    'signing key',
    `${file} can be read or written by others than its owner (mode ${(found.mode & 0o777).toString(8)})`,
    `chmod 600 ${file}`,
  )
}

/** Whether what has changed is in checkpoints outside the database, and is what they say. */
export async function checkCheckpoints(
  db: Kysely<LedgerTables>,
  files: NoteFiles,
  intervalMs: number,
): Promise<Finding> {
  const rolledBack = await findRolledBack(db, files)
  if (rolledBack !== null) return fail('checkpoints', rolledBack, 'see docs/operations.md, “After a restore”')
  const { rows } = await sql<{ company_id: string; position: number; is_old: boolean }>`
    select company_id, position, recorded_at < clock_timestamp() - make_interval(secs => ${60 + (2 * intervalMs) / 1_000}) as is_old
    from heads order by recorded_at desc limit ${COMPANIES}`.execute(db)
  const missing: string[] = []
  for (const { company_id: uuid, position, is_old: isOld } of rows) {
    const companyId = fromUuid('com', uuid)
    const size = (await files.last(companyId))?.size ?? 0
    if (isOld && size < position) missing.push(companyId)
  }
  if (missing.length === 0) return ok('checkpoints', 'what was recorded is signed outside the database')
  return warn(
    'checkpoints',
    `${missing.length} of the ${rows.length} companies that changed last, ${missing[0]} among them, have no current checkpoint outside`,
    'see that a worker with SIGNING_KEY_FILE and CHECKPOINT_DIR runs, and look into its log',
  )
}

/**
 * What tells of a database that was rolled back; null when nothing does. Companies with notes are looked at, whether the
 * database knows them (still) or not. Notes are read before heads: one that is written meanwhile is no sign of a rollback.
 */
async function findRolledBack(db: Kysely<LedgerTables>, files: NoteFiles): Promise<string | null> {
  const known = (await files.companies()).filter((name) => isId('com', name)).slice(0, NOTED_COMPANIES)
  for (let at = 0; at < known.length; at += COMPANIES_AT_ONCE) {
    const some = known.slice(at, at + COMPANIES_AT_ONCE)
    const sizes = await Promise.all(some.map(async (companyId) => (await files.last(companyId))?.size ?? 0))
    const heads = await db
      .selectFrom('heads')
      .select(['company_id', 'position'])
      .where('company_id', 'in', some.map(toUuid))
      .execute()
    const positions = new Map(heads.map(({ company_id: uuid, position }) => [fromUuid('com', uuid), position]))
    const behind = some.findIndex((companyId, index) => sizes[index]! > (positions.get(companyId) ?? 0))
    if (behind < 0) continue
    const [companyId, size] = [some[behind]!, sizes[behind]!]
    return `the ledger of ${companyId} ends at ${positions.get(companyId) ?? 0}, its last checkpoint outside at ${size}: the database was rolled back`
  }
  return null
}

/** Whether the checkpoints would survive the loss of the database. `databaseFolder` is null when that is not known. */
export async function checkCheckpointLocation(folder: string, databaseFolder: string | null): Promise<Finding> {
  const check = 'checkpoint place'
  const place = await stat(folder).catch(() => null)
  if (!place)
    return warn(
      check,
      `${folder} does not exist: there is no checkpoint outside the database`,
      'set CHECKPOINT_DIR to a folder on another disk, and start a worker',
    )
  if (databaseFolder === null)
    return ok(check, `${folder}; whether that is another disk than that of the database, only you can tell`)
  const database = await stat(databaseFolder).catch(() => null)
  if (database?.dev !== place.dev) return ok(check, `${folder}, on another disk than the database`)
  return warn(
    check,
    `${folder} is on the disk of the database: who rolls back the one rolls back the other`,
    'set CHECKPOINT_DIR to a folder on another machine or disk, or copy it away',
  )
}

/** Whether a folder can be written to. */
export async function checkFolder(folder: string): Promise<Finding> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  const mayWrite = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (isFolder && mayWrite) return ok('data folder', folder)
  return fail('data folder', `${folder} is not a folder that can be written to`, 'set DATA_DIR to one')
}

/** How much room is left on the disk of a folder. `stops` is what a full one stops. */
export async function checkDisk(folder: string, stops: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return diskFinding(folder, { free: bavail * bsize, total: blocks * bsize }, stops)
}

/** What so many bytes of room mean. */
export function diskFinding(folder: string, { free, total }: { free: number; total: number }, stops: string): Finding {
  const found = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB free at ${folder}`
  if (free < FAIL_FREE_BYTES) return fail('disk', found, `make room now: a full disk stops ${stops}`)
  if (free < WARN_FREE.bytes && free < WARN_FREE.share * total) return warn('disk', found, 'make room')
  return ok('disk', found)
}
