import { access, constants, stat, statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import { divide } from '#domain/pieces'
import { fromUuid, isId, toUuid } from '#domain/ids'
import { createContinuityCheck, RefusedToSignError, type CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { NoteFileError } from '#ledger/audit/note-files'
import { EMPTY_FRONTIER, unpackFrontier } from '#ledger/integrity/merkle'
import type { LedgerDb } from '#ledger/tables'
import { errorReason } from '#postgres/startup-error'
import { fail, ok, warn, type Finding } from './finding.ts'
import { checkStoredSecrets } from '#accounts/stored-secrets/stored-secrets'
import type { SecretBox } from '#accounts/secrets/secret-box'

const GIB = 1024 ** 3
const WARN_FREE = { bytes: 5 * GIB, share: 0.1 }
const FAIL_FREE_BYTES = GIB / 4
/** Group and others may do nothing; of a file of root, the group may read it. */
const FORBIDDEN = { ofUser: 0o077, ofRoot: 0o037 }
/** How many of the most recently changed companies are checked. */
const COMPANIES = 20
/** How many companies with notes are checked, and how many per query. */
const NOTED_COMPANIES = 20_000
const COMPANIES_AT_ONCE = 100

/** What is found where the file of a key does not exist. */
const WITHOUT = {
  'signing key': (absent: string) =>
    warn(
      'signing key',
      `${absent}; checkpoints are not signed, so a rollback cannot be detected`,
      'create a key and set SIGNING_KEY_FILE (docs/deployment.md, “On your own PostgreSQL”)',
    ),
  'secrets key': (absent: string) =>
    ok('secrets key', `${absent}; webhooks, identity providers, passkeys, email, and large evidence files need it`),
}

/** Checks that a key can be used, and that no other user can read its file; without a file, it is a setting. */
export async function checkKey(
  check: keyof typeof WITHOUT,
  open: () => Promise<unknown>,
  file: string | null,
): Promise<Finding> {
  try {
    await open()
  } catch (error) {
    return fail(check, errorReason(error), 'restore the key (docs/operations.md, “Keys”)')
  }
  if (file === null) return ok(check, 'from its setting')
  const stats = await stat(file).catch(() => null)
  return stats ? modeFinding(check, file, stats) : WITHOUT[check](`${file} does not exist`)
}

/**
 * The finding about the owner and the mode of a key's file. Whoever mounts a key for a process without privileges, as
 * Kubernetes does, gives it to root and lets the group of the process read it.
 */
export function modeFinding(check: string, file: string, { uid, mode }: { uid: number; mode: number }): Finding {
  const forbidden = uid === 0 ? FORBIDDEN.ofRoot : FORBIDDEN.ofUser
  if ((mode & forbidden) === 0) return ok(check, `no other user can read ${file}`)
  return warn(check, `other users can read or write ${file} (mode ${(mode & 0o777).toString(8)})`, `chmod 600 ${file}`)
}

/** Checks that recent changes are covered by checkpoints outside the database, and that every ledger continues its own. */
export async function checkCheckpoints(db: LedgerDb, signer: CheckpointSigner, intervalMs: number): Promise<Finding> {
  try {
    await assertAllContinue(db, signer)
  } catch (error) {
    if (error instanceof NoteFileError)
      return fail('checkpoints', error.message, 'restore the key that signed it (docs/operations.md, “Keys”)')
    if (error instanceof RefusedToSignError)
      return fail('checkpoints', error.message, 'see docs/operations.md, “After a restore”')
    throw error
  }
  const heads = await db
    .selectFrom('heads')
    .select(['company_id', 'position'])
    .orderBy('recorded_at', 'desc')
    .limit(COMPANIES)
    .execute()
  const missing: string[] = []
  for (const { company_id: uuid, position } of heads) {
    const companyId = fromUuid('com', uuid)
    const size = (await signer.files.last(companyId))?.size ?? 0
    // The last event of a busy company is always recent.
    if (size < position && (await isOlderThan(db, 60 + (2 * intervalMs) / 1_000, uuid, size + 1)))
      missing.push(companyId)
  }
  if (missing.length === 0) return ok('checkpoints', 'checkpoints outside the database are current')
  return warn(
    'checkpoints',
    `${missing.length} of the ${heads.length} most recently changed companies have no current checkpoint outside ` +
      `the database, for example ${missing[0]}`,
    'check that a worker with SIGNING_KEY_FILE and CHECKPOINT_DIR is running, and read its log',
  )
}

/** Whether an event was recorded more than `seconds` ago, by the database's clock. */
async function isOlderThan(db: LedgerDb, seconds: number, companyUuid: string, position: number) {
  const event = await db
    .selectFrom('events')
    .select('position')
    .where('company_id', '=', companyUuid)
    .where('position', '=', position)
    .where('recorded_at', '<', sql<string>`clock_timestamp() - make_interval(secs => ${seconds})`)
    .executeTakeFirst()
  return event !== undefined
}

const isRefusal = (error: unknown) => error instanceof RefusedToSignError || error instanceof NoteFileError

/**
 * Throws the refusal to sign a ledger that does not continue its last checkpoint outside the database, or a checkpoint
 * that the keys have not signed. Includes companies that the database no longer has.
 */
async function assertAllContinue(db: LedgerDb, { files, readLast }: CheckpointSigner) {
  const assertContinues = createContinuityCheck()
  const noted = (await files.companies()).filter((name) => isId('com', name)).slice(0, NOTED_COMPANIES)
  for (const companies of divide(noted, COMPANIES_AT_ONCE)) {
    // Before heads, so that a note written meanwhile is not taken for evidence.
    const notes = await Promise.all(companies.map(readLast))
    const rows = await db
      .selectFrom('heads')
      .select(['company_id', 'position', 'frontier'])
      .where('company_id', 'in', companies.map(toUuid))
      .execute()
    const heads = new Map(rows.map((row) => [fromUuid('com', row.company_id), row]))
    for (const [index, companyId] of companies.entries()) {
      const last = notes[index]
      if (!last) continue
      try {
        const row = heads.get(companyId)
        const head = row ? unpackFrontier(row.position, row.frontier) : EMPTY_FRONTIER
        await assertContinues(db, companyId, last, head)
      } catch (error) {
        throw isRefusal(error) ? error : new Error(`${companyId}: ${errorReason(error)}`, { cause: error })
      }
    }
  }
}

/** Checks that the checkpoints would survive the loss of the database. `databaseFolder` is null when unknown. */
export async function checkCheckpointLocation(folder: string, databaseFolder: string | null): Promise<Finding> {
  const check = 'checkpoint location'
  const place = await stat(folder).catch(() => null)
  if (!place)
    return warn(
      check,
      `${folder} does not exist; there are no checkpoints outside the database`,
      'set CHECKPOINT_DIR to a folder on another disk, and start a worker',
    )
  if (databaseFolder === null) return ok(check, `${folder}; make sure that it is not on the disk of the database`)
  const database = await stat(databaseFolder).catch(() => null)
  if (database?.dev !== place.dev) return ok(check, `${folder} is not on the disk of the database`)
  return warn(
    check,
    `${folder} is on the disk of the database; a rollback of the disk affects both`,
    'set CHECKPOINT_DIR to a folder on another disk or machine, or copy the folder there regularly',
  )
}

/** Checks that a folder is writable. */
export async function checkFolder(folder: string): Promise<Finding> {
  try {
    // The slash refuses what is no folder.
    await access(`${folder}/`, constants.W_OK | constants.X_OK)
    return ok('data folder', folder)
  } catch {
    return fail('data folder', `${folder} is not a writable folder`, 'set DATA_DIR to a writable folder')
  }
}

/** Checks the free space on the disk of a folder. `stops` names what a full disk would stop. */
export async function checkDisk(folder: string, stops: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return diskFinding(folder, { free: bavail * bsize, total: blocks * bsize }, stops)
}

/** The finding about the free space of a disk, in bytes. */
export function diskFinding(folder: string, { free, total }: { free: number; total: number }, stops: string): Finding {
  const space = `${(free / GIB).toFixed(1)} of ${(total / GIB).toFixed(1)} GiB free at ${folder}`
  if (free < FAIL_FREE_BYTES) return fail('disk', space, `free space now; a full disk stops ${stops}`)
  if (free < WARN_FREE.bytes && free < WARN_FREE.share * total)
    return warn('disk', space, 'free space, or use a larger disk')
  return ok('disk', space)
}

/** Checks that all stored secrets can be read, and are under the newest key. */
export async function checkSecrets(db: LedgerDb, box: SecretBox): Promise<Finding> {
  const check = 'stored secrets'
  const { secrets, older, unreadable, example } = await checkStoredSecrets(db, box)
  if (secrets === 0) return ok(check, 'there are none')
  if (unreadable > 0)
    return fail(
      check,
      box.hasKey
        ? `${unreadable} of ${secrets} cannot be read, for example: ${example}`
        : `there is no key, so ${unreadable} cannot be read`,
      'restore the key, or replace these secrets (docs/operations.md, “Keys”)',
    )
  if (older > 0)
    return warn(
      check,
      `${older} of ${secrets} are under an older key`,
      'restart all processes, then run `secrets reencrypt` (docs/operations.md, “Keys”)',
    )
  return ok(check, `${secrets} under the newest key`)
}
