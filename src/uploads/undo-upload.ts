import { RefusedByStateError, type Acting } from '#accounts/change-company'
import { problem } from '#domain/errors'
import { partChanges } from '#domain/uploads'
import { MAX_UPLOADS, storeUpload } from '#ledger/uploads/store-upload'
import { readParts, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import { requireUpload } from './apply-upload.ts'
import type { UploadRouteServices } from './store-file.ts'

/** The parts of an upload whose calls have changed something. */
export function listUndoable(parts: readonly StoredPart[]): StoredPart[] {
  return parts.filter(({ undoes, outcome }) => undoes === null && partChanges(outcome) > 0)
}

/** Whether an upload can be taken back: nothing of it is still to come. */
export function isUndoable({ undoes, state }: StoredUpload, parts: readonly StoredPart[]): boolean {
  return undoes === null && state === 'ended' && listUndoable(parts).length > 0
}

/** Throws RefusedByStateError unless the upload can be taken back. */
export function requireUndoable(upload: StoredUpload, parts: readonly StoredPart[]): void {
  if (!isUndoable(upload, parts)) throw new RefusedByStateError(NOTHING)
}

/**
 * Takes back all calls of an upload, the last one first, in the background, as far as possible: see `undoCall`. Returns
 * the id of the upload that does it, whose parts are these calls. Throws RefusedByStateError.
 */
export async function undoUpload(
  services: UploadRouteServices,
  { companyId, actor, client }: Acting,
  uploadId: string,
  requestId: string,
): Promise<string> {
  const { pool, commands } = services
  const upload = await requireUpload(services, companyId, uploadId)
  const parts = await readParts(pool, upload)
  requireUndoable(upload, parts)
  let firstRow = 1
  const undone = listUndoable(parts).toReversed()
  const stored = undone.map(({ callId: undoes, outcome }) => {
    const rows = partChanges(outcome)
    const part = { callId: commands.newId('log'), undoes, firstRow, rows, content: Buffer.from('[]') }
    firstRow += rows
    return part
  })
  const { fileName, operation } = upload
  const id = commands.newId('upl')
  const isStored = await storeUpload(
    pool,
    {
      companyId,
      id,
      userId: actor,
      fileName,
      operation,
      undoes: uploadId,
      parts: stored,
      header: null,
      mapping: null,
      corrects: [],
      bytes: 0,
      isAllOrNone: false,
      replaces: null,
      applying: { requestId, client: client ?? null },
    },
    async () => {},
  )
  if (!isStored) throw new RefusedByStateError(FULL)
  services.announce([companyId])
  return id
}

const NOTHING = problem('nothing_to_undo', 'The upload has changed nothing, or is not over yet')
const FULL = problem('too_many_uploads', `The company already has ${MAX_UPLOADS} unfinished uploads`)
