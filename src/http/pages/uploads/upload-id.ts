import { isId } from '../../../domain/ids.ts'
import { NO_SUCH_UPLOAD } from '../../../ledger/uploads/read-uploads.ts'
import { ProblemError } from '../../server/problem.ts'

/** Reads the id of an upload in a path. Throws ProblemError if it is none. */
export function readUploadId(id: string): string {
  if (!isId('upl', id)) throw new ProblemError(NO_SUCH_UPLOAD)
  return id
}
