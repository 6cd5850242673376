import { RefusedByStateError, type Acting } from '#accounts/change-company'
import { problem } from '#domain/errors'
import { isKeptBack } from '#domain/uploads'
import { needsPerson } from '#spreadsheets/mapping/mapping'
import { isPassing } from '#ledger/calls/calls-in-progress'
import { beginApplying, countBeside, readPlanState } from '#ledger/uploads/change-upload'
import { forgetOriginal } from '#ledger/uploads/store-upload'
import { rememberMapping } from '#ledger/uploads/remember-mapping'
import { type StoredPart, type StoredUpload, findUpload, NO_SUCH_UPLOAD, readParts } from '#ledger/uploads/read-uploads'
import { findMissing, roomBeside, type MissingPeople } from './missing-people.ts'
import { previewPart } from './run-part.ts'
import { runNextStep } from './run-uploads.ts'
import type { UploadRouteServices } from './store-file.ts'

/** Finds an upload of the company. Throws RefusedByStateError with `upload_not_found`. */
export async function requireUpload(
  { pool }: Pick<UploadRouteServices, 'pool'>,
  companyId: string,
  uploadId: string,
): Promise<StoredUpload> {
  const upload = await findUpload(pool, companyId, uploadId)
  if (!upload) throw new RefusedByStateError(NO_SUCH_UPLOAD)
  return upload
}

/**
 * Finds an upload of the company that this user made. Throws RefusedByStateError with `upload_not_found`, or with
 * `upload_not_applicable` if somebody else made it.
 */
export async function requireOwnUpload(
  services: Pick<UploadRouteServices, 'pool'>,
  { companyId, actor }: Pick<Acting, 'companyId' | 'actor'>,
  uploadId: string,
): Promise<StoredUpload> {
  const upload = await requireUpload(services, companyId, uploadId)
  if (upload.userId !== actor) throw refuse('Only the user who uploaded the file can change or apply it')
  return upload
}

/**
 * Begins to apply an upload, or resumes it as it was begun. A file of one part is applied at once; of a larger one, the
 * workers apply part after part. Rows that cannot be applied keep their whole part from being applied if `isAllOrNone`,
 * and are left out otherwise. `deactivated` is how many people it may deactivate because they are not in the file, and
 * `beside` how many others were deactivated since yesterday, as somebody has seen. More of them are no reason to look
 * again, as long as all are usual. Does nothing if it is already applied or being applied. Throws RefusedByStateError with `upload_not_found` or
 * `upload_not_applicable`.
 */
export async function applyUpload(
  services: UploadRouteServices,
  { companyId, actor, client }: Acting,
  uploadId: string,
  requestId: string,
  {
    isAllOrNone,
    deactivated = 0,
    beside = 0,
  }: { isAllOrNone: boolean; deactivated?: number | undefined; beside?: number },
): Promise<void> {
  const upload = await requireOwnUpload(services, { companyId, actor }, uploadId)
  if (upload.state === 'previewing') throw refuse('The preview is not complete yet')
  const plan = await readPlanState(services.pool, upload)
  const parts = await readParts(services.pool, upload)
  const missing = findMissing(parts)
  if (upload.state === 'previewed') {
    await assertReadable(services, upload, parts, isAllOrNone)
    assertConfirmed(missing, deactivated)
  }
  const allowed = missing.count === 0 ? null : Math.max(beside, roomBeside(missing))
  const begun = { userId: actor, requestId, client: client ?? null, isAllOrNone, plan, beside: allowed }
  if (!(await beginApplying(services.pool, upload, begun))) {
    const { state } = await requireUpload(services, companyId, uploadId)
    if (state !== 'previewed') return
    const others = allowed === null ? 0 : await countBeside(services.pool, upload)
    if (others > (allowed ?? 0)) throw refuse(describeOthers(missing, others))
    throw refuse('The file has changed meanwhile. Look at it again')
  }
  await forgetOriginal(services.pool, upload, 'content')
  if (upload.parts > 1) return services.announce([companyId])
  try {
    await runNextStep(services, await requireUpload(services, companyId, uploadId))
  } catch (error) {
    if (!isPassing(error)) throw error
    services.announce([companyId])
  }
}

/**
 * Applies an upload of one part that its request applies, unless a person has to look at it. Larger ones are applied once
 * their preview is complete.
 */
export async function applyAtOnce(
  services: UploadRouteServices,
  acting: Acting,
  uploadId: string,
  requestId: string,
): Promise<void> {
  const upload = await requireUpload(services, acting.companyId, uploadId)
  if (upload.parts > 1) return
  if (upload.mapping && needsPerson(upload.mapping)) return previewAtOnce(services, acting.companyId, uploadId)
  try {
    await applyUpload(services, acting, uploadId, requestId, { isAllOrNone: upload.isAllOrNone })
  } catch (error) {
    // Its rows cannot all be read, which the answer says.
    if (!(error instanceof RefusedByStateError)) throw error
  }
}

/** Previews an upload of one part, so that the answer to its request has the counts. The workers preview larger ones. */
export async function previewAtOnce(services: UploadRouteServices, companyId: string, uploadId: string): Promise<void> {
  const upload = await requireUpload(services, companyId, uploadId)
  if (upload.parts > 1 || upload.state !== 'previewed') return
  const [part] = await readParts(services.pool, upload)
  try {
    if (part && part.counts === null) await previewPart(services, upload, part)
  } catch (error) {
    // The file is stored, and its part can be previewed later.
    if (!isPassing(error)) throw error
  }
}

async function assertReadable(
  services: UploadRouteServices,
  upload: StoredUpload,
  parts: readonly StoredPart[],
  isAllOrNone: boolean,
): Promise<void> {
  const counted: StoredPart[] = []
  for (const part of parts)
    counted.push({ ...part, counts: part.counts ?? (await previewPart(services, upload, part)).counts })
  if (!isKeptBack(counted, isAllOrNone)) return
  // The rows come back when they are corrected, with the columns of this file.
  await rememberMapping(services.pool, upload)
  throw refuse(isAllOrNone ? 'The file has rows that cannot be read' : 'No row of the file can be read')
}

/** The number says that somebody saw the list, and that it has not become another one. */
function assertConfirmed({ count }: MissingPeople, deactivated: number): void {
  if (count === deactivated) return
  const who = count === 1 ? '1 person who is' : `${count} people who are`
  throw refuse(`${who} not in the file would be deactivated, not ${deactivated}. Look at the list again`)
}

function describeOthers({ count, active }: MissingPeople, others: number): string {
  const all = `${count} who are not in the file and ${others} who were deactivated otherwise since yesterday`
  return `${all} are more than one in ten of ${active}. Look at the list again, and confirm both numbers`
}

function refuse(detail: string): RefusedByStateError {
  return new RefusedByStateError(problem('upload_not_applicable', detail))
}
