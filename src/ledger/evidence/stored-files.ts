import { sql, type UpdateObject } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { hasErasure } from '../read/export-pages.ts'
import { readHead } from '../read/read-head.ts'
import type { LedgerDb, LedgerTables } from '../tables.ts'
import { changeInPieces, deleteInPieces } from '../../postgres/delete-in-pieces.ts'
import { openDatabase } from '../../postgres/kysely.ts'
import type { EvidenceSubject } from './evidence-subject.ts'

/*
 * Evidence files that a job makes: the last one of each company, encrypted, for a day. An erasure in the company deletes
 * the row, and the key in it, in its transaction.
 */

/** Bytes that a company's file may have. */
export const MAX_BYTES = 2 * 1024 ** 3
const HOURS_KEPT = 24
/** Seconds for which a process has a file to itself. It renews the lease while it makes the file. */
const LEASE_SECONDS = 15
export const LEASE_RENEWED_MS = 5_000
/** Attempts at a file: it may be what kills the processes that make it. */
const MAX_ATTEMPTS = 3
const COMPANIES_LISTED = 1_000

/** A company's file: requested, being made, made, or failed. */
export interface StoredFile {
  requestId: string
  fileId: string
  subject: EvidenceSubject
  requestedBy: string
  state: LedgerTables['evidence_files']['state'] | 'stopped'
  /** Why it could not be made. */
  problem: string | null
  /** The number of events in it, and of those that have been read. Both are 0 while it waits. */
  events: number
  eventsRead: number
  chunks: number
  bytes: number
  /** RFC 3339 UTC. */
  expiresAt: string
  sealedKey: Buffer | null
}

/** Where a file's key is sealed. */
export function placeOfEvidenceKey(requestId: string): string {
  return `key of evidence file ${requestId}`
}

/** Of a file that no worker has begun, or whose attempts have all been killed. Nobody makes it any more. */
const IS_DEAD = sql<boolean>`(state = 'waiting' and coalesce(leased_until, requested_at) < statement_timestamp() - interval '10 minutes'
  or state = 'making' and leased_until < statement_timestamp() - interval '45 seconds')`

/** Requests a file in place of the company's last one. Returns false if one is being made. */
export async function requestFile(
  db: LedgerDb,
  companyId: string,
  request: { requestId: string; subject: EvidenceSubject; requestedBy: string; sealedKey: Buffer },
): Promise<boolean> {
  const { requestId, subject, requestedBy, sealedKey } = request
  await db
    .deleteFrom('evidence_files')
    .where('company_id', '=', toUuid(companyId))
    .where((file) => file.or([file('state', 'in', ['done', 'failed']), IS_DEAD]))
    .execute()
  const { numAffectedRows } = await sql`
    insert into evidence_files (company_id, request_id, file_id, subject, requested_by, requested_at, expires_at, state,
      sealed_key)
    values (${toUuid(companyId)}, ${requestId}, ${requestId}, ${JSON.stringify(subject)}, ${requestedBy},
      statement_timestamp(), statement_timestamp() + ${`${HOURS_KEPT} hours`}::interval, 'waiting', ${sealedKey})
    on conflict do nothing`.execute(db)
  if (numAffectedRows !== 1n) return false
  await deleteOtherChunks(db, companyId, requestId)
  return true
}

/** Reads the company's file; null if there is none, or if it has expired or data were erased since. */
export async function readStoredFile(db: LedgerDb, companyId: string): Promise<StoredFile | null> {
  const row = await db
    .selectFrom('evidence_files')
    .select([...FILE, 'size', IS_DEAD.as('isDead')])
    .where('company_id', '=', toUuid(companyId))
    .where('expires_at', '>', sql<string>`statement_timestamp()`)
    .executeTakeFirst()
  if (!row) return null
  const { size, isDead, ...file } = row
  const { position: head } = await readHead(db, companyId)
  // The process that erased may be of a version that does not delete the row.
  if (file.state === 'done' && (await hasErasure(db, companyId, { after: size, upTo: head }))) return null
  return { ...withSubject(file), ...(isDead ? { state: 'stopped' } : {}) }
}

const FILE = [
  ...(['request_id as requestId', 'file_id as fileId', 'subject', 'requested_by as requestedBy', 'state'] as const),
  ...(['problem', 'events', 'events_read as eventsRead', 'chunks', 'bytes'] as const),
  ...(['expires_at as expiresAt', 'sealed_key as sealedKey'] as const),
]

function withSubject<File extends { subject: string }>(file: File): File & { subject: EvidenceSubject } {
  return { ...file, subject: JSON.parse(file.subject) as EvidenceSubject }
}

const IS_DUE = sql<boolean>`state in ('waiting', 'making') and attempts < ${sql.lit(MAX_ATTEMPTS)}
  and expires_at > statement_timestamp() and (leased_until is null or leased_until <= statement_timestamp())`
const LEASED = sql<string>`statement_timestamp() + ${sql.lit(`${LEASE_SECONDS} seconds`)}::interval`

/** Lists companies with a file that is to be made now, those that have waited longest first. */
export async function listCompaniesWithFiles(pool: Pool): Promise<string[]> {
  const { rows } = await sql<{ company_id: string }>`
    select company_id from evidence_files where ${IS_DUE} order by requested_at limit ${COMPANIES_LISTED}`.execute(
    openDatabase(pool),
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/**
 * Claims the file of a company that is to be made, for an attempt with this id: an earlier attempt can store nothing
 * more. Null if none is left to this process.
 */
export async function claimFile(db: LedgerDb, companyId: string, fileId: string): Promise<StoredFile | null> {
  const file = await db
    .updateTable('evidence_files')
    .set({ file_id: fileId, attempts: sql<number>`attempts + 1`, leased_until: LEASED })
    .where('company_id', '=', toUuid(companyId))
    .where(IS_DUE)
    .returning(FILE)
    .executeTakeFirst()
  return file ? withSubject(file) : null
}

/** Renews the lease of an attempt. Returns false if the attempt was given up. */
export function renewFile(db: LedgerDb, companyId: string, fileId: string): Promise<boolean> {
  return updateFile(db, companyId, fileId, { leased_until: LEASED })
}

/** Leaves a file to the next process at once, because this one stops. */
export async function releaseFile(db: LedgerDb, companyId: string, fileId: string): Promise<void> {
  const released = { leased_until: sql<string>`statement_timestamp()`, attempts: sql<number>`attempts - 1` }
  await updateFile(db, companyId, fileId, released)
}

/** Begins to store a file that an attempt has claimed. Returns false if the attempt was given up. */
export async function beginFile(
  db: LedgerDb,
  companyId: string,
  fileId: string,
  { size, events }: { size: number; events: number },
): Promise<boolean> {
  const change = { state: 'making', size, events, events_read: 0, chunks: 0, bytes: 0 } as const
  const begun = await updateFile(db, companyId, fileId, change)
  if (begun) await deleteOtherChunks(db, companyId, fileId)
  return begun
}

/** Stores the next chunk of a file. Returns false if this attempt was given up, or an erasure has deleted the file. */
export async function storeChunk(
  db: LedgerDb,
  companyId: string,
  fileId: string,
  chunk: { number: number; content: Buffer; bytes: number; eventsRead: number },
): Promise<boolean> {
  const { number, content, bytes, eventsRead } = chunk
  return db.transaction().execute(async (transaction) => {
    const progress = { events_read: eventsRead, chunks: number + 1, bytes }
    // Holds the row, so that an erasure waits.
    if (!(await updateFile(transaction, companyId, fileId, progress))) return false
    await transaction
      .insertInto('evidence_chunks')
      .values({ company_id: toUuid(companyId), file_id: fileId, number, content })
      .execute()
    return true
  })
}

/** Ends a file: it is complete, or could not be made. Returns false if this attempt was given up. */
export async function endFile(
  db: LedgerDb,
  companyId: string,
  fileId: string,
  end: { state: 'done' } | { state: 'failed'; problem: string },
): Promise<boolean> {
  return updateFile(db, companyId, fileId, end)
}

/** Reads a chunk of a complete file; null if the file is gone. */
export async function readChunk(
  db: LedgerDb,
  companyId: string,
  fileId: string,
  number: number,
): Promise<Buffer | null> {
  const row = await db
    .selectFrom('evidence_files as file')
    .innerJoin('evidence_chunks as chunk', (join) =>
      join.onRef('chunk.company_id', '=', 'file.company_id').onRef('chunk.file_id', '=', 'file.file_id'),
    )
    .select('chunk.content')
    .where('file.company_id', '=', toUuid(companyId))
    .where('file.file_id', '=', fileId)
    .where('chunk.number', '=', number)
    .executeTakeFirst()
  return row?.content ?? null
}

/** Deletes files that were kept long enough, and chunks that no file has any more. Returns how many rows. */
export async function expireFiles(pool: Pool): Promise<number> {
  const isOver = sql`expires_at <= statement_timestamp()`
  const files = await deleteInPieces(pool, 'evidence_files', ['company_id'], isOver)
  const chunks = await changeInPieces(
    pool,
    (limit) => sql`delete from evidence_chunks c using (
        select chunk.company_id, chunk.file_id, chunk.number from evidence_chunks chunk
        left join evidence_files file on file.company_id = chunk.company_id and file.file_id = chunk.file_id
        where file.company_id is null ${limit}
      ) as old
      where c.company_id = old.company_id and c.file_id = old.file_id and c.number = old.number`,
  )
  return files + chunks
}

/** Changes a file that is not finished. Returns false if there is none. */
async function updateFile(
  db: LedgerDb,
  companyId: string,
  fileId: string,
  change: UpdateObject<LedgerTables, 'evidence_files'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('evidence_files')
    .set(change)
    .where('company_id', '=', toUuid(companyId))
    .where('file_id', '=', fileId)
    .where('state', 'in', ['waiting', 'making'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function deleteOtherChunks(db: LedgerDb, companyId: string, fileId: string): Promise<void> {
  await db
    .deleteFrom('evidence_chunks')
    .where('company_id', '=', toUuid(companyId))
    .where('file_id', '<>', fileId)
    .execute()
}
