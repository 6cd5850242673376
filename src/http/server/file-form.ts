import multipart from '@fastify/multipart'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ProblemError, problemError } from './problem.ts'

const MAX_FIELDS = 10
/** What the other fields and the boundaries of a form may take, in bytes. */
export const OTHER_BYTES = 65_536

/** A form with a file. */
interface FileForm {
  fields: ReadonlyMap<string, string>
  /** The name of its file; empty if there is none. */
  fileName: string
}

/** Lets a scope receive forms with one file of at most `maxBytes`. */
export async function acceptFileForms(app: FastifyInstance, maxBytes: number): Promise<void> {
  await app.register(multipart, {
    limits: { files: 1, fields: MAX_FIELDS, fileSize: maxBytes, fieldSize: OTHER_BYTES },
  })
}

/** Refuses any other body before it is read: it may be as large as a file, and is read at once. */
export function requireFileForm(
  { headers }: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const isFileForm = /^multipart\/form-data\b/i.test(headers['content-type'] ?? '')
  done(isFileForm ? undefined : problemError('unsupported_media_type', 'The form must be multipart/form-data'))
}

/**
 * Reads the form of a request. `take` gets its file, chunk by chunk. Throws what that throws, and a problem if the file is
 * too large, or the body is no such form.
 */
export async function readFileForm(
  request: FastifyRequest,
  maxBytes: number,
  take: (chunk: Buffer) => Promise<void>,
): Promise<FileForm> {
  const fields = new Map<string, string>()
  let fileName = ''
  const failures: unknown[] = []
  const takeOrFail = (chunk: Buffer) =>
    take(chunk).catch((error: unknown) => {
      failures.push(error)
      throw error
    })
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        fileName = part.filename
        for await (const chunk of part.file) await takeOrFail(chunk as Buffer)
      } else fields.set(part.fieldname, String(part.value))
    }
  } catch (error) {
    throw failures[0] ?? toFormProblem(error, maxBytes)
  }
  return { fields, fileName }
}

/** What the parser of forms says about the form becomes a problem; other errors, which have codes, stay. */
function toFormProblem(error: unknown, maxBytes: number) {
  if (error instanceof ProblemError || !(error instanceof Error)) return error
  const { code = '', statusCode = 0 }: Partial<FastifyError> = error
  if (code !== '' && (!code.startsWith('FST_') || statusCode >= 500)) return error
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return problemError('payload_too_large', `A file must have at most ${maxBytes} bytes`)
  if (statusCode === 413) return problemError('payload_too_large', 'The form has too many fields or files')
  return problemError('invalid_body', 'The form is not valid multipart/form-data')
}
