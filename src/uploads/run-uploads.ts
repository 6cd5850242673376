import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { summarize } from '#domain/uploads'
import { isPassing } from '#ledger/calls/calls-in-progress'
import { trackWork } from '#ledger/background/failing-work'
import { claimUpload, listCompaniesWithUploads, recordCall, releaseUpload } from '#ledger/uploads/change-upload'
import { readParts, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import { rememberMapping } from '#ledger/uploads/remember-mapping'
import { startTurns, type CompanyTurns } from '#workers/company-turns'
import { RUN_UPLOADS, type PgBoss } from '#workers/queues'
import { keepHeapCompact } from './compact-heap.ts'
import { applyPart, previewPart, type UploadServices } from './run-part.ts'

/** Uploads at once, each of another company. */
const AT_ONCE = 2
const RETRY_MS = 5_000

/** Starts the upload worker, which previews and applies stored files. Companies take turns, one part each. */
export function startUploads(
  options: UploadServices & { boss: PgBoss; log: Logger; sweepIntervalMs: number },
): Promise<CompanyTurns> {
  return startTurns({
    ...options,
    queue: RUN_UPLOADS,
    what: 'run uploads',
    atOnce: AT_ONCE,
    listDue: listCompaniesWithUploads,
    takeTurn: (companyId) => takeTurn(options, companyId),
  })
}

/** Runs the next step of a company's oldest upload. Returns false if there is none, or it has to wait. */
async function takeTurn(services: UploadServices & { log: Logger }, companyId: string): Promise<boolean> {
  const { pool, log } = services
  const leaseId = randomUUID()
  const upload = await claimUpload(pool, companyId, leaseId)
  if (!upload) return false
  let afterMs: number | null = null
  try {
    await trackWork(pool, { companyId, work: 'uploads', subject: upload.id }, () =>
      keepHeapCompact(() => runNextStep(services, upload)),
    )
  } catch (error) {
    afterMs = RETRY_MS
    log[isPassing(error) ? 'warn' : 'error']({ companyId, uploadId: upload.id, err: error }, 'could not run an upload')
  }
  await releaseUpload(pool, upload, leaseId, { afterMs })
  return afterMs === null
}

/** Previews or applies the next part of a stored file, as its state says. Two processes may do so at once. */
export async function runNextStep(services: UploadServices, upload: StoredUpload): Promise<void> {
  const parts = await readParts(services.pool, upload)
  if (upload.state === 'previewing') {
    const part = parts.find(({ counts }) => counts === null)
    if (part) await previewPart(services, upload, part)
  }
  if (upload.state === 'applying') {
    const part = parts.find(({ isSettled }) => !isSettled)
    // Whoever began it: a user, or the end of the preview.
    if (part === parts[0]) await rememberMapping(services.pool, upload)
    if (!part) return
    // Whoever is in a row that was not applied may seem to be missing.
    const isUncertain = part.missingOf !== null && part.state === 'waiting' && parts.some(isNotApplied)
    await (isUncertain ? recordCall(services.pool, upload, part.number, 'canceled') : applyPart(services, upload, part))
  }
}

/** Whether a part of the file was not applied, or only without some of its rows. */
function isNotApplied(part: StoredPart): boolean {
  const { rows, applied, erased } = summarize([part])
  return part.missingOf === null && applied + erased < rows
}
