import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { explainRefusal } from '../ledger/audit/sign-checkpoint.ts'
import { inCompany } from '../postgres/cluster/company-scope.ts'
import type { LedgerDb } from '../ledger/tables.ts'
import type { SecretBox } from '../accounts/secrets/secret-box.ts'
import { createSecretBox, KEY_BYTES } from '../accounts/secrets/secret-box.ts'
import type { PgBoss } from '../workers/queues.ts'
import { insertJobs, MAKE_EVIDENCE, POLLING } from '../workers/queues.ts'
import type { EvidenceServices } from './evidence-file.ts'
import { ErasedMeanwhileError, planEvidence, writeEvidence } from './evidence-file.ts'
import type { EvidenceSubject } from '../ledger/evidence/evidence-subject.ts'
import { NoEvidenceError } from '../ledger/evidence/evidence-subject.ts'
import type { StoredFile } from '../ledger/evidence/stored-files.ts'
import {
  beginFile,
  endFile,
  MAX_BYTES,
  placeOfEvidenceKey,
  readChunk,
  readStoredFile,
  requestFile,
  storeChunk,
} from '../ledger/evidence/stored-files.ts'

interface EvidenceJob {
  companyId: string
  requestId: string
}

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
  boss,
  secrets,
}: {
  db: LedgerDb
  boss: PgBoss
  secrets: SecretBox
}): StoredFiles {
  return {
    canStore: secrets.hasKey,
    async request(companyId, { subject, requestedBy }) {
      const requestId = randomUUID()
      const sealedKey = secrets.encrypt(randomBytes(KEY_BYTES), placeOfEvidenceKey(requestId))
      if (!(await requestFile(db, companyId, { requestId, subject, requestedBy, sealedKey }))) return false
      try {
        await insertJobs(boss, MAKE_EVIDENCE, [{ data: { companyId, requestId } satisfies EvidenceJob }])
      } catch (error) {
        await endFile(db, companyId, { request_id: requestId }, { state: 'failed', problem: UNEXPECTED })
        throw error
      }
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

interface MakingOptions extends EvidenceServices {
  boss: PgBoss
  secrets: SecretBox
  log: Logger
}

/** Starts making requested files, one at a time in this process. */
export async function startMakingEvidence(options: MakingOptions): Promise<{ stop(): Promise<void> }> {
  const { boss, log } = options
  const stopping = new AbortController()
  await boss.work<EvidenceJob>(MAKE_EVIDENCE, { batchSize: 1, ...POLLING }, async (jobs) => {
    for (const { data, signal } of jobs) {
      const ended = AbortSignal.any([signal, stopping.signal])
      await inCompany(data.companyId, () => makeStoredFile(options, data, ended)).catch(async (error: unknown) => {
        // The next attempt begins from the start.
        ended.throwIfAborted()
        const problem = explain(error)
        if (problem === UNEXPECTED)
          log.error({ err: error, companyId: data.companyId }, 'could not make an evidence file')
        await endFile(options.db, data.companyId, { request_id: data.requestId }, { state: 'failed', problem })
      })
    }
  })
  return {
    async stop() {
      stopping.abort()
      await boss.offWork(MAKE_EVIDENCE, { wait: true })
    },
  }
}

/**
 * Makes a requested file and stores it. After each chunk it pauses for as long as the chunk took, so that it uses at most
 * half of a core. Does nothing if the file is no longer requested.
 */
export async function makeStoredFile(
  services: Omit<MakingOptions, 'boss' | 'log'>,
  { companyId, requestId }: EvidenceJob,
  signal: AbortSignal,
): Promise<void> {
  const { db, secrets } = services
  const file = await readStoredFile(db, companyId)
  if (file?.requestId !== requestId) return
  const box = openFileBox(secrets, file)
  const plan = await planEvidence(services, companyId, file.subject)
  const fileId = randomUUID()
  const [size, events] = [plan.checkpoint.size, plan.events]
  if (!(await beginFile(db, companyId, requestId, { fileId, size, events }))) return
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
  await endFile(db, companyId, { file_id: fileId }, { state: 'done' })
}

class TooLargeError extends Error {
  override name = 'TooLargeError'
}

const UNEXPECTED = 'The file could not be made. Start it again.'

function explain(error: unknown): string {
  if (error instanceof NoEvidenceError) return `${error.message}.`
  if (error instanceof TooLargeError)
    return `The file is larger than ${MAX_BYTES / 1024 ** 3} GiB. Choose a shorter period, or use the audit endpoint or the command line.`
  if (error instanceof ErasedMeanwhileError) return 'Data were erased while the file was made. Start it again.'
  const refusal = explainRefusal(error)
  return refusal === null ? UNEXPECTED : `${refusal}.`
}

/** A box with the key of one file. */
function openFileBox(secrets: SecretBox, { requestId, sealedKey }: StoredFile): SecretBox {
  return createSecretBox(sealedKey === null ? [] : [secrets.decryptBytes(sealedKey, placeOfEvidenceKey(requestId))])
}

function placeOfChunk(fileId: string, number: number): string {
  return `chunk ${number} of evidence file ${fileId}`
}
