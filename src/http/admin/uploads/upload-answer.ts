import type { FastifyRequest } from 'fastify'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { isId } from '../../../domain/ids.ts'
import { NO_SUCH_UPLOAD, readParts } from '../../../ledger/uploads/read-uploads.ts'
import { requireUpload } from '../../../uploads/apply-upload.ts'
import { FileFaultError } from '../../../uploads/part-builder.ts'
import type { UploadRouteServices } from '../../../uploads/store-file.ts'
import { ProblemError } from '../../server/problem.ts'
import { renderUpload } from './upload-schemas.ts'

/** Reads the id of an upload in the path. */
export function readUploadId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!isId('upl', id)) throw new ProblemError(NO_SUCH_UPLOAD)
  return id
}

/** Answers with an upload and its parts. */
export async function showUpload(uploads: UploadRouteServices, companyId: string, id: string) {
  const upload = await requireUpload(uploads, companyId, id)
  return renderUpload(upload, await readParts(uploads.pool, upload))
}

/** Rethrows an error; the faults of a file as a problem. */
export function throwFaults(error: unknown): never {
  throw error instanceof FileFaultError ? new ProblemError(describeFaults(error)) : error
}

function describeFaults({ faults }: FileFaultError) {
  return invalidFields(
    faults.map(({ line, column, message }) =>
      fieldError('', 'invalid_value', `Line ${line}${column === null ? '' : `, column ${column}`}: ${message}`),
    ),
  )
}
