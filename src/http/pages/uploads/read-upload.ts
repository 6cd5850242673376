import type { MultipartFile } from '@fastify/multipart'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createBudget, quarterOf } from '../../../admission/budget.ts'
import { problem } from '../../../domain/errors.ts'
import type { ColumnUse } from '../../../../clients/typescript/spreadsheets/read-records.ts'
import type { BodyBudget } from '../../access/body-budget.ts'
import { announcedBytes } from '../../server/body-length.ts'
import { ProblemError } from '../../server/problem.ts'
import { getViewer } from '../parts/viewer.ts'

/** A form with a file, or with the content of one that was sent before. */
export interface UploadForm {
  fileName: string
  /** Null if no file was chosen. */
  content: Buffer | null
  operation: 'upsert' | 'update_many'
  /** The entry whose records the file corrects, as the form says; empty if none. */
  logId: string
  /** Identifies the form, so that it takes effect once; empty for a first preview. */
  token: string
  /** Whether to apply the file, after its preview. */
  isApplied: boolean
  /** What to do with columns that are no attributes. */
  uses: Map<string, ColumnUse>
}

const MAX_FIELDS = 600
const MAX_FILE_NAME = 255
/** Base64, in which a preview sends the file back, takes a third more. */
const contentLimit = (bodyLimit: number) => Math.ceil(bodyLimit / 3) * 4
/** What the other fields and the boundaries of a form may take. */
const OTHER_BYTES = 1_048_576

/** The largest form, in bytes. */
export function maxFormBytes(bodyLimit: number): number {
  return contentLimit(bodyLimit) + OTHER_BYTES
}

/**
 * Lets a scope receive forms with files of at most `bodyLimit` bytes. A form reserves memory before any of it is read; a
 * company may use a quarter of the budget. Beyond that a form waits, and gets 503 if it waits too long.
 */
export async function acceptUploads(
  app: FastifyInstance,
  { bodyLimit, bodyBudget }: { bodyLimit: number; bodyBudget: BodyBudget },
): Promise<void> {
  const { bytes, waitMs: maxWaitMs } = bodyBudget
  const budget = createBudget({ total: bytes, share: quarterOf(bytes), maxWaiting: 1_000, maxWaitMs })
  app.addHook('preParsing', async (request, reply) => {
    if (request.method !== 'POST') return
    const announced = announcedBytes(request) ?? maxFormBytes(bodyLimit)
    if (announced > maxFormBytes(bodyLimit)) throw tooLarge(bodyLimit)
    const release = await budget.acquire(getViewer(request).companyId, announced)
    if (reply.raw.closed) release()
    else reply.raw.once('close', release)
  })
  await app.register(multipart, {
    limits: { files: 1, fields: MAX_FIELDS, fileSize: bodyLimit, fieldSize: contentLimit(bodyLimit) },
  })
}

/** Reads the form of a request. Throws a problem if the file is too large, or the body is no such form. */
export async function readUpload(request: FastifyRequest, bodyLimit: number): Promise<UploadForm> {
  if (!request.isMultipart())
    throw new ProblemError(problem('unsupported_media_type', 'The form must be multipart/form-data'))
  const fields = new Map<string, string>()
  let file: { name: string; content: Buffer } | null = null
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const content = await readContent(part, bodyLimit)
      if (content.length > 0) file = { name: part.filename, content }
    } else fields.set(part.fieldname, String(part.value))
  }
  const kept = fields.get('content') ?? ''
  const name = (file?.name ?? fields.get('file_name') ?? '')
    .replaceAll(/[\p{C}]/gu, '')
    .slice(0, MAX_FILE_NAME)
    .toWellFormed()
  return {
    fileName: name === '' ? 'unnamed' : name,
    content: file?.content ?? (kept === '' ? null : Buffer.from(kept, 'base64')),
    operation: fields.get('operation') === 'update_many' ? 'update_many' : 'upsert',
    logId: fields.get('log') ?? '',
    token: file ? '' : (fields.get('token') ?? ''),
    isApplied: fields.get('apply') === 'yes' && file === null,
    uses: file ? new Map() : readUses(fields),
  }
}

async function readContent(part: MultipartFile, bodyLimit: number): Promise<Buffer> {
  try {
    return await part.toBuffer()
  } catch (error) {
    throw (error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE' ? tooLarge(bodyLimit) : error
  }
}

function tooLarge(bodyLimit: number): ProblemError {
  return new ProblemError(problem('payload_too_large', `A file must have at most ${bodyLimit} bytes`))
}

/** The fields `column` and `use` of each column have its number in their names. */
function readUses(fields: ReadonlyMap<string, string>): UploadForm['uses'] {
  const uses: UploadForm['uses'] = new Map()
  for (const [name, use] of fields) {
    const column = name.startsWith('use.') ? fields.get(`column.${name.slice('use.'.length)}`) : undefined
    if (column !== undefined && (use === 'custom' || use === 'ignore')) uses.set(column, use)
  }
  return uses
}
