import { sql } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import { hasErasure } from '../read/export-pages.ts'
import { readHead, readNow } from '../read/read-head.ts'
import type { LedgerDb, LedgerTables } from '../tables.ts'
import { changeInPieces, deleteInPieces } from '#postgres/delete-in-pieces'
import type { EvidenceSubject } from './evidence-subject.ts'

/*
 * Evidence files that a job makes: the last one of each company, encrypted, for a day. An erasure in the company deletes
 * the row, and the key in it, in its transaction.
 */

/** Bytes that a company's file may have. */
export const MAX_BYTES = 2 * 1024 ** 3
const HOURS_KEPT = 24
/** A file that nobody has worked on for so long is given up: no worker runs, or its attempts have all been killed. */
const DEAD_AFTER_MINUTES = { waiting: 10, making: 1 }
/** Seconds for which a process has a file to itself. It renews the lease while it makes the file. */
const LEASE_SECONDS = 15
export const LEASE_RENEWED_MS = 5_000
/** Attempts at a file: it may be what kills the processes that make it. */
const MAX_ATTEMPTS = 3
const COMPANIES_LISTED = 1_000

type Row = LedgerTables['evidence_files']

/** A company's file: requested, being made, made, or failed. */
export interface StoredFile {
  requestId: string
  fileId: string
  subject: EvidenceSubject
  requestedBy: string
  state: Row['state'] | 'stopped'
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

/** Requests a file in place of the company's last one. Returns false if one is being made. */
export async function requestFile(
  db: LedgerDb,
  companyId: string,
  request: { requestId: string; subject: EvidenceSubject; requestedBy: string; sealedKey: Buffer },
): Promise<boolean> {
  const { requestId, subject, requestedBy, sealedKey } = request
  const now = await readNow(db)
  const row = {
    request_id: requestId,
    file_id: requestId,
    subject: JSON.stringify(subject),
    requested_by: requestedBy,
    requested_at: now,
    seen_at: now,
    expires_at: addMinutes(now, HOURS_KEPT * 60),
    sealed_key: sealedKey,
    leased_until: null,
    attempts: 0,
    state: 'waiting' as const,
    problem: null,
    size: 0,
    events: 0,
    events_read: 0,
    chunks: 0,
    bytes: 0,
  }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('evidence_files')
    .values({ company_id: toUuid(companyId), ...row })
    .onConflict((conflict) =>
      conflict
        .column('company_id')
        .doUpdateSet(row)
        .where((old) =>
          old.or([
            old('evidence_files.state', 'in', ['done', 'failed']),
            ...(['waiting', 'making'] as const).map((state) =>
              old.and([
                old('evidence_files.state', '=', state),
                old('evidence_files.seen_at', '<', addMinutes(now, -DEAD_AFTER_MINUTES[state])),
              ]),
            ),
          ]),
        ),
    )
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) return false
  await deleteOtherChunks(db, companyId, requestId)
  return true
}

/** Reads the company's file; null if there is none, or if it has expired or data were erased since. */
export async function readStoredFile(db: LedgerDb, companyId: string): Promise<StoredFile | null> {
  const row = await db
    .selectFrom('evidence_files')
    .selectAll()
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirst()
  if (!row) return null
  const { position: head, now } = await readHead(db, companyId)
  if (row.expires_at <= now) return null
  // The process that erased may be of a version that does not delete the row.
  if (row.state === 'done' && (await hasErasure(db, companyId, { after: row.size, upTo: head }))) return null
  return { ...toStoredFile(row), state: isDead(row, now) ? 'stopped' : row.state }
}

function isDead({ state, seen_at: seenAt }: Row, now: string) {
  return (state === 'waiting' || state === 'making') && seenAt < addMinutes(now, -DEAD_AFTER_MINUTES[state])
}

function toStoredFile(row: Row): StoredFile {
  return {
    requestId: row.request_id,
    fileId: row.file_id,
    subject: JSON.parse(row.subject) as EvidenceSubject,
    requestedBy: row.requested_by,
    problem: row.problem,
    events: row.events,
    eventsRead: row.events_read,
    chunks: row.chunks,
    bytes: row.bytes,
    expiresAt: row.expires_at,
    sealedKey: row.sealed_key,
    state: row.state,
  }
}

const IS_DUE = `state in ('waiting', 'making') and attempts < ${MAX_ATTEMPTS} and expires_at > statement_timestamp()
  and (leased_until is null or leased_until <= statement_timestamp())`
const LEASED = `leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds',
  seen_at = statement_timestamp()`

/** Lists companies with a file that is to be made now, those that have waited longest first. */
export async function listCompaniesWithFiles(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ company_id: string }>(
    `select company_id from evidence_files where ${IS_DUE} order by requested_at limit ${COMPANIES_LISTED}`,
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/**
 * Claims the file of a company that is to be made, for an attempt with this id: an earlier attempt can store nothing
 * more. Null if none is left to this process.
 */
export async function claimFile(pool: Pool, companyId: string, fileId: string): Promise<StoredFile | null> {
  const { rows } = await pool.query<Row>(
    `update evidence_files set file_id = $2, attempts = attempts + 1, ${LEASED}
     where company_id = $1 and ${IS_DUE} returning *`,
    [toUuid(companyId), fileId],
  )
  return rows[0] ? toStoredFile(rows[0]) : null
}

/** Renews the lease of an attempt. Returns false if the attempt was given up. */
export async function renewFile(pool: Pool, companyId: string, fileId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update evidence_files set ${LEASED} where company_id = $1 and file_id = $2 and state in ('waiting', 'making')`,
    [toUuid(companyId), fileId],
  )
  return rowCount === 1
}

/** Leaves a file to the next process at once, because this one stops. */
export async function releaseFile(pool: Pool, companyId: string, fileId: string): Promise<void> {
  await pool.query(
    'update evidence_files set leased_until = null, attempts = attempts - 1 where company_id = $1 and file_id = $2',
    [toUuid(companyId), fileId],
  )
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
async function updateFile(db: LedgerDb, companyId: string, fileId: string, change: Partial<Row>) {
  const { numUpdatedRows } = await db
    .updateTable('evidence_files')
    .set({ ...change, seen_at: await readNow(db) })
    .where('company_id', '=', toUuid(companyId))
    .where('file_id', '=', fileId)
    .where('state', 'in', ['waiting', 'making'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function deleteOtherChunks(db: LedgerDb, companyId: string, fileId: string) {
  await db
    .deleteFrom('evidence_chunks')
    .where('company_id', '=', toUuid(companyId))
    .where('file_id', '<>', fileId)
    .execute()
}

function addMinutes(instant: string, minutes: number) {
  return new Date(Date.parse(instant) + minutes * 60_000).toISOString()
}
