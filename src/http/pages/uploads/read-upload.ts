import type { MultipartFile } from '@fastify/multipart'
import multipart from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { type FileAnswers, UNANSWERED } from '../../../../clients/typescript/spreadsheets/file-question.ts'
import type { Budget } from '../../../admission/budget.ts'
import { problem } from '../../../domain/errors.ts'
import { UPLOAD_OPERATIONS, type UploadOperation } from '../../../domain/uploads.ts'
import { maxFileBytes } from '../../../uploads/read-file.ts'
import { cleanFileName } from '../../../uploads/store-file.ts'
import { budgetFiles } from '../../access/receive-files.ts'
import { ProblemError } from '../../server/problem.ts'
import { getViewer } from '../parts/viewer.ts'

/** The form of a file. */
export interface UploadForm {
  fileName: string
  /** Its bytes, in the chunks in which they were received. Null if no file was chosen. */
  content: Buffer[] | null
  /** Null if the form names none. */
  operation: UploadOperation | null
  answers: FileAnswers
  /** The entry whose records the file corrects, as the form says; empty if none. */
  logId: string
}

const MAX_FIELDS = 10
/** What the other fields and the boundaries of a form may take. */
const OTHER_BYTES = 65_536

/** The largest form, in bytes. */
export function maxFormBytes(bodyLimit: number): number {
  return maxFileBytes({ bodyLimit }) + OTHER_BYTES
}

/** Lets a scope receive forms with files, within the budget. */
export async function acceptUploads(
  app: FastifyInstance,
  { bodyLimit, fileBudget }: { bodyLimit: number; fileBudget: Budget },
): Promise<void> {
  const companyOf = (request: FastifyRequest) => getViewer(request).companyId
  budgetFiles(app, { fileBudget, maxBytes: maxFormBytes(bodyLimit), companyOf })
  await app.register(multipart, {
    limits: { files: 1, fields: MAX_FIELDS, fileSize: maxFileBytes({ bodyLimit }), fieldSize: OTHER_BYTES },
  })
}

/** Reads the form of a request. Throws a problem if the file is too large, or the body is no such form. */
export async function readUpload(request: FastifyRequest, bodyLimit: number): Promise<UploadForm> {
  if (!request.isMultipart())
    throw new ProblemError(problem('unsupported_media_type', 'The form must be multipart/form-data'))
  const fields = new Map<string, string>()
  let file: { name: string; content: Buffer[] } | null = null
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        const content = await readContent(part, bodyLimit)
        if (content.length > 0) file = { name: part.filename, content }
      } else fields.set(part.fieldname, String(part.value))
    }
  } catch (error) {
    throw toFormProblem(error)
  }
  return {
    fileName: cleanFileName(file?.name ?? ''),
    content: file?.content ?? null,
    operation: UPLOAD_OPERATIONS.find((operation) => operation === fields.get('operation')) ?? null,
    answers: UNANSWERED,
    logId: fields.get('log') ?? '',
  }
}

/** What the parser of forms says about the form becomes a problem; other errors, which have codes, stay. */
function toFormProblem(error: unknown): unknown {
  if (error instanceof ProblemError || !(error instanceof Error)) return error
  const { code = '', statusCode = 0 }: Partial<FastifyError> = error
  if (code === '') return new ProblemError(problem('invalid_body', 'The form is not valid multipart/form-data'))
  if (!code.startsWith('FST_') || statusCode >= 500) return error
  if (statusCode === 413) return new ProblemError(problem('payload_too_large', 'The form has too many fields or files'))
  return new ProblemError(problem('invalid_body', 'The form is not valid multipart/form-data'))
}

async function readContent({ file }: MultipartFile, bodyLimit: number): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of file) chunks.push(chunk as Buffer)
  } catch (error) {
    throw (error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE' ? tooLarge(bodyLimit) : error
  }
  if (file.truncated) throw tooLarge(bodyLimit)
  return chunks
}

function tooLarge(bodyLimit: number): ProblemError {
  return new ProblemError(problem('payload_too_large', `A file must have at most ${maxFileBytes({ bodyLimit })} bytes`))
}
