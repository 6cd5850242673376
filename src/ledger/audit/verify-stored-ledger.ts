import { setTimeout as pause } from 'node:timers/promises'
import { UnreadableEventError } from '../integrity/codec.ts'
import { ExportOvertakenError, exportPages, MissingEventError, formatProofLine } from '../read/export-pages.ts'
import { readHead } from '../read/read-head.ts'
import type { LedgerDb } from '../tables.ts'
import { parseCheckpoints, type Checkpoint, parseVerifierKey } from './signed-note.ts'
import { NoteFileError } from './note-files.ts'
import { RefusedToSignError, NoSigningKeyError, type CheckpointSigner } from './sign-checkpoint.ts'
import { verifyExport, type Verdict } from './verify-export.ts'

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
export async function verifyStoredLedger(
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
async function collectCheckpoints(db: LedgerDb, companyId: string, signer: CheckpointSigner): Promise<Checkpoint[]> {
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
