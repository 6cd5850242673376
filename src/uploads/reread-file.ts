import { RefusedByStateError, type Acting } from '#accounts/change-company'
import type { Budget } from '#admission/budget'
import { FileQuestion, type FileAnswers } from '#spreadsheets/formats/file-question'
import { cancelUpload } from '#ledger/uploads/change-upload'
import { forgetOriginal, type Original, readOriginal } from '#ledger/uploads/store-upload'
import type { ReceivedFile } from '#ledger/uploads/received-file'
import { NO_SUCH_UPLOAD } from '#ledger/uploads/read-uploads'
import { askAboutFile, receiveFile, storeFile, type SentFile, type UploadRouteServices } from './store-file.ts'

/**
 * Stores a file that may be read in another way later, with its question if it leaves something open. Returns the id of
 * its page. `replaces` is that of the page which it replaces. Throws as `storeFile` does.
 */
export async function storeOrAsk(
  services: UploadRouteServices,
  acting: Acting,
  file: Omit<SentFile, 'isKept' | 'applyingRequestId' | 'isAllOrNone' | 'replaces'>,
  signal: AbortSignal,
  replaces: string | null = null,
): Promise<string> {
  const sent = { ...file, isKept: true, applyingRequestId: null, isAllOrNone: true, replaces }
  try {
    return await storeFile(services, acting, sent, (named) => (named.length > 0 ? named : [file.logId]), signal)
  } catch (error) {
    if (error instanceof FileQuestion) return askAboutFile(services, acting, sent, error, signal)
    throw error
  }
}

/**
 * Reads a stored file in another way. What it was read as before is deleted, unless it is applied already. Returns the id
 * of its new page. Throws as `storeFile` does, and `upload_not_found` if its content is not stored any more.
 */
export async function rereadFile(
  services: UploadRouteServices & { fileBudget: Budget },
  acting: Acting,
  original: Original,
  answers: FileAnswers,
  signal: AbortSignal,
): Promise<string> {
  const { pool, fileBudget } = services
  const reread = async (content: ReceivedFile) => {
    for await (const piece of readOriginal(pool, original)) await content.add(piece)
    if (content.bytes < original.bytes || content.bytes === 0) throw new RefusedByStateError(NO_SUCH_UPLOAD)
    const { fileName, operation, logId } = original
    const id = await storeOrAsk(services, acting, { content, fileName, operation, answers, logId }, signal, original.id)
    if (original.question) await forgetOriginal(pool, original, 'all')
    else await cancelUpload(pool, original)
    return id
  }
  return fileBudget.hold(acting.companyId, original.bytes, undefined, () =>
    receiveFile(services, acting.companyId, reread),
  )
}
