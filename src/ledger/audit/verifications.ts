import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readHead } from '#ledger/read/read-head'
import type { LedgerDb } from '#ledger/tables'
import { type CheckpointSigner, RefusedToSignError, NoSigningKeyError } from './sign-checkpoint.ts'
import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import { type Verdict, verifyExport } from './verify-export.ts'
import { UnreadableEventError } from '#ledger/integrity/codec'
import { ExportOvertakenError, exportPages, MissingEventError, formatProofLine } from '#ledger/read/export-pages'
import { parseCheckpoints, parseVerifierKey } from './signed-note.ts'
import { NoteFileError } from './note-files.ts'

/** A ledger with more events is only verified offline: the verifier's memory grows with the streams of a ledger. */
export const MAX_EVENTS = 1_000_000
/** Verifications that wait in this process. They run one after the other. */
const MAX_WAITING = 50
const BEAT_MS = 1_000

type Started = 'started' | 'running' | 'busy' | 'too-large'

export interface Verifications {
  /** Starts a verification, unless one is running in any process. */
  start(companyId: string, actor: string): Promise<Started>
  /** Cancels the verification that is running in any process. It stops within a second or so. */
  cancel(companyId: string): Promise<void>
  /** Reads the last verification; null if there was none. */
  read(companyId: string): Promise<VerificationRun | null>
  /** Interrupts all verifications of this process. */
  stop(): Promise<void>
}

interface Options {
  db: LedgerDb
  signer: CheckpointSigner
  onError(error: unknown): void
  maxEvents?: number
}

/**
 * Runs verifications of ledgers in this process, one at a time, in the order in which they were started. Their state is
 * a row per company, so that every process shows and cancels them, and so that a company has one at a time. They do not
 * survive the process: the verifier's memory is not stored, and starting again is safe.
 */
export function createVerifications({ db, signer, onError, maxEvents = MAX_EVENTS }: Options): Verifications {
  const stopping = new AbortController()
  /** The runs of this process by company, until they have ended. */
  const running = new Map<string, { done: Promise<void>; ended: AbortController }>()
  let last: Promise<unknown> = Promise.resolve()

  async function start(companyId: string, actor: string): Promise<Started> {
    if (running.has(companyId)) return 'running'
    if (stopping.signal.aborted || running.size >= MAX_WAITING) return 'busy'
    const { position: size, now } = await readHead(db, companyId)
    if (size > maxEvents) return 'too-large'
    const runId = randomUUID()
    if (!(await claimRun(db, companyId, { runId, actor, size, now }))) return 'running'
    const ended = new AbortController()
    const done = verify(companyId, runId, ended)
      .catch(onError)
      .finally(() => running.delete(companyId))
    running.set(companyId, { done, ended })
    return 'started'
  }

  /** Verifies when it is its turn, and stores progress and verdict. */
  async function verify(companyId: string, runId: string, ended: AbortController) {
    const signal = AbortSignal.any([stopping.signal, ended.signal])
    let position = 0
    const beating = beat(signal, async () => {
      // Canceled, or taken over by a run that did not see this one for a long time.
      if (!(await storeRun(db, companyId, runId, { position }))) ended.abort()
    })
    const before = last
    const work = unlessAborted(before, signal).then(() =>
      verifyStoredLedger(db, companyId, { signer, signal, onProgress: (reached) => (position = reached) }),
    )
    last = Promise.allSettled([before, work])
    try {
      // A statement that is running is not waited for.
      const verdict = await unlessAborted(work, signal).catch((error: unknown): Ended => {
        if (!signal.aborted) onError(error)
        return { verdict: stopping.signal.aborted ? 'interrupted' : 'failed' }
      })
      await storeRun(db, companyId, runId, { position, verdict })
    } finally {
      ended.abort()
      await beating
    }
  }

  /** Runs a task every second until the signal is aborted. */
  async function beat(signal: AbortSignal, task: () => Promise<void>) {
    while (!signal.aborted) {
      await pause(BEAT_MS, undefined, { signal }).catch(() => undefined)
      // If the database cannot be reached, the verification notices it, too.
      if (!signal.aborted) await task().catch(onError)
    }
  }

  return {
    start,
    async cancel(companyId) {
      await cancelRun(db, companyId)
      running.get(companyId)?.ended.abort()
    },
    read: (companyId) => readRun(db, companyId),
    async stop() {
      stopping.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

/** Waits for a promise. Throws as soon as the signal is aborted. */
async function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal) {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** A run that was not seen for so long has died with its process. */
const DEAD_AFTER_MS = 30_000

/** How a run ended that has no verdict on the ledger. */
type Ended = { verdict: 'canceled' | 'interrupted' | 'failed' }

/** The last verification of a company's ledger. */
export interface VerificationRun {
  startedBy: string
  /** RFC 3339 UTC. */
  startedAt: string
  /** The last verified position, and the number of events at the start. */
  position: number
  size: number
  /** Null while it runs. */
  verdict: Verdict | Ended | null
}

/** Registers the company's only run, at the database's time `now`. Returns false if another one is running. */
async function claimRun(
  db: LedgerDb,
  companyId: string,
  { runId, actor, size, now }: { runId: string; actor: string; size: number; now: string },
) {
  const run = { run_id: runId, started_by: actor, started_at: now, seen_at: now, position: 0, size, verdict: null }
  const { numInsertedOrUpdatedRows: claimed } = await db
    .insertInto('ledger_verifications')
    .values({ company_id: toUuid(companyId), ...run })
    .onConflict((conflict) =>
      conflict
        .column('company_id')
        .doUpdateSet(run)
        .where((row) =>
          row.or([
            row('ledger_verifications.verdict', 'is not', null),
            row('ledger_verifications.seen_at', '<', isoBefore(now, DEAD_AFTER_MS)),
          ]),
        ),
    )
    .executeTakeFirst()
  return claimed === 1n
}

/** Stores how far a run is, or its end. Returns false if it has ended already. */
async function storeRun(
  db: LedgerDb,
  companyId: string,
  runId: string,
  { position, verdict }: { position: number; verdict?: Verdict | Ended },
) {
  const { numUpdatedRows } = await db
    .updateTable('ledger_verifications')
    .set({ position, seen_at: sql`statement_timestamp()`, ...(verdict ? { verdict: JSON.stringify(verdict) } : {}) })
    .where('company_id', '=', toUuid(companyId))
    .where('run_id', '=', runId)
    .where('verdict', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Cancels the run of a company, if one is running. */
async function cancelRun(db: LedgerDb, companyId: string) {
  await db
    .updateTable('ledger_verifications')
    .set({ verdict: JSON.stringify({ verdict: 'canceled' } satisfies Ended) })
    .where('company_id', '=', toUuid(companyId))
    .where('verdict', 'is', null)
    .execute()
}

/** Reads the last run of a company; null if there was none. */
async function readRun(db: LedgerDb, companyId: string): Promise<VerificationRun | null> {
  const row = await db
    .selectFrom('ledger_verifications')
    .select(['started_by as startedBy', 'started_at as startedAt', 'position', 'size', 'verdict'])
    .select(['seen_at as seenAt', sql<string>`clock_timestamp()`.as('now')])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirst()
  if (!row) return null
  const { verdict, seenAt, now, ...run } = row
  const isDead = verdict === null && seenAt < isoBefore(now, DEAD_AFTER_MS)
  const ended = verdict === null ? null : (JSON.parse(verdict) as Verdict | Ended)
  return { ...run, verdict: isDead ? { verdict: 'interrupted' } : ended }
}

function isoBefore(instant: string, milliseconds: number) {
  return new Date(Date.parse(instant) - milliseconds).toISOString()
}

/** Events of one page. The process does nothing else while it verifies them, for some milliseconds. */
const EVENTS_PER_PAGE = 250
const SHORTEST_PAUSE_MS = 2

interface Verification {
  signer: CheckpointSigner
  /** Called after each page with the last verified position. */
  onProgress(position: number): void
  /** Ends the verification after the current page: it throws the signal's reason. */
  signal: AbortSignal
}

/**
 * Verifies a company's ledger in the database as an auditor verifies its export: every event, the root of the head, and
 * the last checkpoint kept outside of the database. After each page, it pauses for as long as the page took, so that it
 * uses at most half of a core.
 */
async function verifyStoredLedger(
  db: LedgerDb,
  companyId: string,
  { signer, onProgress, signal }: Verification,
): Promise<Verdict> {
  try {
    const checkpoints = await collectCheckpoints(db, companyId, signer)
    const head = await readHead(db, companyId)
    const { current, retired } = signer.publicKeys(companyId)
    const keys = [current, ...retired].flatMap((key) => (key === null ? [] : [parseVerifierKey(key)!]))
    const lines = readLines(db, companyId, head.position, { onProgress, signal })
    const verdict = await verifyExport(lines, { checkpoints, keys: checkpoints.length > 0 ? keys : [] })
    const isOtherRoot =
      verdict.verdict === 'consistent' &&
      verdict.events === head.position &&
      verdict.root !== head.root.toString('base64')
    return isOtherRoot
      ? { verdict: 'diverged', position: head.position, reason: 'the root of the events differs from that of the head' }
      : verdict
  } catch (error) {
    signal.throwIfAborted()
    return explainFailure(error)
  }
}

/** The last checkpoint outside of the database, and one of the head. None if the service has no signing key. */
async function collectCheckpoints(db: LedgerDb, companyId: string, signer: CheckpointSigner) {
  try {
    const { note, last } = await signer.sign(db, companyId)
    return [...(last ? [last] : []), ...parseCheckpoints(note)!]
  } catch (error) {
    if (error instanceof NoSigningKeyError) return []
    throw error
  }
}

async function* readLines(
  db: LedgerDb,
  companyId: string,
  upTo: number,
  { onProgress, signal }: Pick<Verification, 'onProgress' | 'signal'>,
): AsyncGenerator<Buffer[]> {
  let startedAt = performance.now()
  for await (const page of exportPages(db, companyId, { after: 0, upTo, pageEvents: EVENTS_PER_PAGE })) {
    yield page.map((event) => Buffer.from(formatProofLine(event)))
    // The consumer has verified the page when it asks for the next one.
    onProgress(page.at(-1)!.position)
    await pause(Math.max(SHORTEST_PAUSE_MS, performance.now() - startedAt), undefined, { signal })
    startedAt = performance.now()
  }
}

/** Turns a failure that is a finding about the ledger into a verdict. Rethrows any other. */
function explainFailure(error: unknown): Verdict {
  if (error instanceof MissingEventError)
    return { verdict: 'invalid', position: error.position, reason: 'the event here is missing' }
  if (error instanceof RefusedToSignError) return { verdict: 'diverged', position: null, reason: error.message }
  const isUnverifiable =
    error instanceof UnreadableEventError || error instanceof NoteFileError || error instanceof ExportOvertakenError
  if (!isUnverifiable) throw error
  // What is wrong with a file is for the operator.
  const reason = error instanceof NoteFileError ? 'the last external checkpoint cannot be read' : error.message
  return { verdict: 'unverifiable', position: null, reason }
}
