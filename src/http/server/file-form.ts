import multipart from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { problem } from '#domain/errors'
import { ProblemError } from './problem.ts'

const MAX_FIELDS = 10
/** What the other fields and the boundaries of a form may take, in bytes. */
export const OTHER_BYTES = 65_536

/** A form with a file. */
interface FileForm {
  fields: ReadonlyMap<string, string>
  /** Its bytes, in the chunks in which they were received. Null if no file was chosen. */
  file: { name: string; content: Buffer[] } | null
}

/** Lets a scope receive forms with one file of at most `maxBytes`. */
export async function acceptFileForms(app: FastifyInstance, maxBytes: number): Promise<void> {
  await app.register(multipart, {
    limits: { files: 1, fields: MAX_FIELDS, fileSize: maxBytes, fieldSize: OTHER_BYTES },
  })
}

/** Reads the form of a request. Throws a problem if the file is too large, or the body is no such form. */
export async function readFileForm(request: FastifyRequest, maxBytes: number): Promise<FileForm> {
  if (!request.isMultipart())
    throw new ProblemError(problem('unsupported_media_type', 'The form must be multipart/form-data'))
  const fields = new Map<string, string>()
  let file: FileForm['file'] = null
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        const content: Buffer[] = []
        for await (const chunk of part.file) content.push(chunk as Buffer)
        if (content.length > 0) file = { name: part.filename, content }
      } else fields.set(part.fieldname, String(part.value))
    }
  } catch (error) {
    throw toFormProblem(error, maxBytes)
  }
  return { fields, file }
}

/** What the parser of forms says about the form becomes a problem; other errors, which have codes, stay. */
function toFormProblem(error: unknown, maxBytes: number): unknown {
  if (error instanceof ProblemError || !(error instanceof Error)) return error
  const { code = '', statusCode = 0 }: Partial<FastifyError> = error
  if (code !== '' && (!code.startsWith('FST_') || statusCode >= 500)) return error
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new ProblemError(problem('payload_too_large', `A file must have at most ${maxBytes} bytes`))
  if (statusCode === 413) return new ProblemError(problem('payload_too_large', 'The form has too many fields or files'))
  return new ProblemError(problem('invalid_body', 'The form is not valid multipart/form-data'))
}
