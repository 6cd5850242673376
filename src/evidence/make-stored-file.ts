import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { explainRefusal } from '#ledger/audit/sign-checkpoint'
import type { LedgerDb } from '#ledger/tables'
import { createSecretBox, KEY_BYTES, type SecretBox } from '#accounts/secrets/secret-box'
import { startTurns, type CompanyTurns } from '#workers/company-turns'
import { MAKE_EVIDENCE, type PgBoss } from '#workers/queues'
import { ErasedMeanwhileError, planEvidence, writeEvidence, type EvidenceServices } from './evidence-file.ts'
import { NoEvidenceError, type EvidenceSubject } from '#ledger/evidence/evidence-subject'
import {
  type StoredFile,
  beginFile,
  claimFile,
  endFile,
  LEASE_RENEWED_MS,
  listCompaniesWithFiles,
  MAX_BYTES,
  placeOfEvidenceKey,
  readChunk,
  readStoredFile,
  releaseFile,
  renewFile,
  requestFile,
  storeChunk,
} from '#ledger/evidence/stored-files'

/** The evidence files that workers make and keep. */
export interface StoredFiles {
  /** Whether there is a key with which files can be encrypted. */
  canStore: boolean
  /** Requests a file. Returns false if the company has one that is being made. */
  request(companyId: string, requested: { subject: EvidenceSubject; requestedBy: string }): Promise<boolean>
  /** Reads the company's file; null if there is none. */
  read(companyId: string): Promise<StoredFile | null>
  /** Reads a complete file, decrypted, chunk by chunk. Throws if it is deleted meanwhile. */
  readChunks(companyId: string, file: StoredFile): AsyncGenerator<Buffer>
}

/** Opens the evidence files of a process that serves them. */
export function createStoredFiles({
  db,
  announce,
  secrets,
}: {
  db: LedgerDb
  /** Lets the workers know of companies with a file that is to be made. */
  announce(companyIds: string[]): void
  secrets: SecretBox
}): StoredFiles {
  return {
    canStore: secrets.hasKey,
    async request(companyId, { subject, requestedBy }) {
      const requestId = randomUUID()
      const sealedKey = secrets.encrypt(randomBytes(KEY_BYTES), placeOfEvidenceKey(requestId))
      if (!(await requestFile(db, companyId, { requestId, subject, requestedBy, sealedKey }))) return false
      announce([companyId])
      return true
    },
    read: (companyId) => readStoredFile(db, companyId),
    async *readChunks(companyId, file) {
      const box = openFileBox(secrets, file)
      for (let number = 0; number < file.chunks; number += 1) {
        const content = await readChunk(db, companyId, file.fileId, number)
        if (!content) throw new ErasedMeanwhileError('the evidence file was deleted while it was read')
        yield box.decryptBytes(content, placeOfChunk(file.fileId, number))
      }
    },
  }
}

interface MakingServices extends EvidenceServices {
  secrets: SecretBox
  log: Logger
}

/** Starts making requested files, one at a time in this process. */
export function startMakingEvidence(
  options: MakingServices & { boss: PgBoss; sweepIntervalMs: number },
): Promise<CompanyTurns> {
  return startTurns({
    ...options,
    queue: MAKE_EVIDENCE,
    what: 'make evidence files',
    atOnce: 1,
    listDue: listCompaniesWithFiles,
    takeTurn: (companyId, { stopping }) => makeStoredFile(options, companyId, stopping),
  })
}

/**
 * Makes the file that a company has requested, if no other process makes it, and records what came of it. If this process
 * stops or is killed, another one begins from the start. Returns false: a company has one file.
 */
export async function makeStoredFile(
  services: MakingServices,
  companyId: string,
  stopping: AbortSignal,
): Promise<false> {
  const { db, pool, log } = services
  const fileId = randomUUID()
  const file = await claimFile(pool, companyId, fileId)
  if (!file) return false
  const lease = keepLease(pool, companyId, fileId)
  try {
    await storeFile(services, companyId, file, AbortSignal.any([stopping, lease.lost]))
    // Does nothing if the attempt was given up.
    await endFile(db, companyId, fileId, { state: 'done' })
  } catch (error) {
    if (stopping.aborted) await releaseFile(pool, companyId, fileId)
    else if (!lease.lost.aborted) {
      const problem = explain(error)
      if (problem === UNEXPECTED) log.error({ err: error, companyId }, 'could not make an evidence file')
      await endFile(db, companyId, fileId, { state: 'failed', problem })
    }
  } finally {
    lease.end()
  }
  return false
}

/** Renews the lease of an attempt until its end. `lost` aborts when the attempt was given up. */
function keepLease(pool: Pool, companyId: string, fileId: string): { lost: AbortSignal; end(): void } {
  const lost = new AbortController()
  const timer = setInterval(() => {
    // If the database does not answer, the next renewal may still come in time.
    renewFile(pool, companyId, fileId).then(
      (isOurs) => isOurs || lost.abort(),
      () => undefined,
    )
  }, LEASE_RENEWED_MS)
  return { lost: lost.signal, end: () => clearInterval(timer) }
}

/**
 * Makes a file and stores it, chunk by chunk. After each chunk it pauses for as long as the chunk took, so that it uses at
 * most half of a core. Ends early if the attempt was given up.
 */
async function storeFile(services: MakingServices, companyId: string, file: StoredFile, signal: AbortSignal) {
  const { db, secrets } = services
  const { fileId } = file
  const box = openFileBox(secrets, file)
  const plan = await planEvidence(services, companyId, file.subject)
  const [size, events] = [plan.checkpoint.size, plan.events]
  if (!(await beginFile(db, companyId, fileId, { size, events }))) return
  let [number, bytes, eventsRead] = [0, 0, 0]
  const archive = writeEvidence(services, plan, (read) => (eventsRead = read))
  let startedAt = performance.now()
  for await (const chunk of archive) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new TooLargeError(`the file has more than ${MAX_BYTES} bytes`)
    const content = box.encrypt(chunk, placeOfChunk(fileId, number))
    if (!(await storeChunk(db, companyId, fileId, { number, content, bytes, eventsRead }))) return
    number += 1
    await pause(performance.now() - startedAt, undefined, { signal })
    startedAt = performance.now()
  }
}

class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const UNEXPECTED = 'The file could not be made. Start it again.'

function explain(error: unknown) {
  if (error instanceof NoEvidenceError) return `${error.message}.`
  if (error instanceof TooLargeError)
    return (
      `The file is larger than ${MAX_BYTES / 1024 ** 3} GiB. Choose a shorter period, or use the audit endpoint or ` +
      'the command line.'
    )
  if (error instanceof ErasedMeanwhileError) return 'Data were erased while the file was made. Start it again.'
  const refusal = explainRefusal(error)
  return refusal === null ? UNEXPECTED : `${refusal}.`
}

/** A box with the key of one file. */
function openFileBox(secrets: SecretBox, { requestId, sealedKey }: StoredFile): SecretBox {
  return createSecretBox(sealedKey === null ? [] : [secrets.decryptBytes(sealedKey, placeOfEvidenceKey(requestId))])
}

function placeOfChunk(fileId: string, number: number) {
  return `chunk ${number} of evidence file ${fileId}`
}
