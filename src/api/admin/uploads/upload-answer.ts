import type { FastifyRequest } from 'fastify'
import { FileQuestion } from '#spreadsheets/formats/file-question'
import { problem, fieldError, invalidFields } from '#domain/errors'
import { findOriginal } from '#ledger/uploads/store-upload'
import { NO_SUCH_UPLOAD, readParts } from '#ledger/uploads/read-uploads'
import { requireUpload } from '#uploads/apply-upload'
import { FileFaultError } from '#uploads/part-builder'
import type { UploadRouteServices } from '#uploads/store-file'
import { idIn } from '#http/openapi/schema-parts'
import { ProblemError } from '#http/server/problem'
import { renderUpload } from './upload-schemas.ts'

const { schema, read } = idIn('upload', 'upl', NO_SUCH_UPLOAD)
export const ofUpload = schema

/** Reads the id of an upload in the path. */
export function readUploadId(request: FastifyRequest): string {
  return read((request.params as { id: string }).id)
}

/** Answers with an upload and its parts. */
export async function showUpload(uploads: UploadRouteServices, companyId: string, id: string) {
  const upload = await requireUpload(uploads, companyId, id)
  const original = await findOriginal(uploads.pool, upload)
  return renderUpload(upload, await readParts(uploads.pool, upload), original?.notes ?? null)
}

/** Rethrows an error; the faults of a file, and what it leaves open, as a problem. */
export function throwFaults(error: unknown): never {
  if (error instanceof FileQuestion) throw new ProblemError(describeQuestion(error))
  throw error instanceof FileFaultError ? new ProblemError(describeFaults(error)) : error
}

function describeQuestion({ message, parameter, choices }: FileQuestion) {
  return {
    ...problem('file_ambiguous', `${message}. Send it again with ${parameter} set to one of the choices`),
    question: { parameter, choices: [...choices] },
  }
}

function describeFaults({ faults }: FileFaultError) {
  return invalidFields(
    faults.map(({ line, column, message }) =>
      fieldError('', 'invalid_value', `Line ${line}${column === null ? '' : `, column ${column}`}: ${message}`),
    ),
  )
}
