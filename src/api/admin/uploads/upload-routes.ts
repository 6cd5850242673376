import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { type Static, Type } from '@sinclair/typebox'
import { RefusedByStateError } from '#accounts/change-company'
import type { Budget } from '#admission/budget'
import { problem } from '#domain/errors'
import { cancelUpload } from '#ledger/uploads/change-upload'
import { listUploads, readParts } from '#ledger/uploads/read-uploads'
import { applyAtOnce, applyUpload, previewAtOnce, requireUpload } from '#uploads/apply-upload'
import { maxFileBytes } from '#uploads/read-file'
import { previewPart } from '#uploads/run-part'
import { undoUpload } from '#uploads/undo-upload'
import type { ReceivedFile } from '#ledger/uploads/received-file'
import { cleanFileName, receiveFile, storeFile, type UploadRouteServices } from '#uploads/store-file'
import { readEncoding, UNREADABLE_ENCODING } from '#spreadsheets/encodings/encodings'
import type { FileAnswers } from '#spreadsheets/formats/file-question'
import { userOf } from '#http/access/authorize-user'
import { budgetFiles } from '#http/access/body-budget'
import { ADMIN_BODIES } from '#http/openapi/admin-examples'
import { NO_CONTENT } from '#http/openapi/schema-parts'
import { acceptFileForms, OTHER_BYTES, readFileForm } from '#http/server/file-form'
import { receiveBody } from '#http/server/read-body'
import { ProblemError, problemError } from '#http/server/problem'
import { compileSchema } from '#http/server/compile-schema'
import { streamTexts, type Reader, sendAttachment } from '#http/server/text-stream'
import { actingUser, JSON_BODY } from '../company-schemas.ts'
import { CSV_ANSWER, CSV_TYPE } from '#log/csv-text'
import { addMappingRoutes, addMissingRoutes } from './mapping-routes.ts'
import { writeNotApplied } from './not-applied-csv.ts'
import { ofUpload, readUploadId, showUpload, throwFaults } from './upload-answer.ts'
import {
  ApplyQuery,
  renderPartPreview,
  renderUploadFacts,
  ShownPreview,
  ShownUpload,
  UploadList,
  UNNAMED,
  UploadQuery,
} from './upload-schemas.ts'

interface UploadServices extends Pick<Reader, 'authorize'> {
  uploads: UploadRouteServices
  /** Bytes of files that are being received. */
  fileBudget: Budget
}

/** Routes to upload files of employees, for administrators. */
export async function uploadRoutes(app: FastifyInstance, services: UploadServices): Promise<void> {
  addReadRoutes(app, services)
  addChangeRoutes(app, services)
  addMappingRoutes(app, services.uploads)
  addMissingRoutes(app, services.uploads)
  await app.register(async (scope) => addCreation(scope, services))
}

const CREATE_UPLOAD = {
  operationId: 'createUpload',
  summary: 'Upload a file of employees',
  description:
    'Stores a file for a day and previews it; nothing is applied yet. The file is CSV, a workbook (.xlsx, .xls, ' +
    '.ods), or JSON, whatever program wrote it and whatever the content type says. Rows that are no records, such ' +
    'as titles and totals, are left out, and listed in `left_out`. A file of more than `MAX_RECORDS` records is ' +
    'split into parts, each of which becomes one call. What its columns mean is proposed from their names and ' +
    'values, or as the company chose for the last file with the same columns: see `questions` and `needs_review`.',
  querystring: UploadQuery,
  body: {
    content: {
      'text/csv': { schema: Type.String() },
      'application/octet-stream': { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) },
      'application/json': { schema: Type.Unknown(), examples: ADMIN_BODIES['createUpload'] },
    },
  },
  response: { 201: ShownUpload },
  problems: ['too_many_uploads', 'file_ambiguous'],
} satisfies FastifySchema

async function addCreation(app: FastifyInstance, { uploads, fileBudget }: UploadServices): Promise<void> {
  const maxBytes = maxFileBytes(uploads)
  budgetFiles(app, { fileBudget, maxBytes, companyOf: (request) => userOf(request).companyId })
  app.removeAllContentTypeParsers()
  // What a file is, its content tells: curl calls any file a form, and names no type for `-T`.
  app.addContentTypeParser('*', async (_request: FastifyRequest, file: IncomingMessage) => file)
  await acceptFileForms(app, maxBytes)
  // `curl -T` puts its file.
  for (const [method, hide] of [
    ['POST', false],
    ['PUT', true],
  ] as const) {
    app.route({
      method,
      url: '/uploads',
      schema: { ...CREATE_UPLOAD, hide },
      bodyLimit: maxBytes + OTHER_BYTES,
      // The body is a file, whatever is in it.
      validatorCompiler: (part) => (part.httpPart === 'body' ? () => true : compileSchema(part)),
      handler: async (request, reply) => {
        const acting = actingUser(request)
        const { file_name: name, corrects, operation, apply, all_or_none: isAllOrNone } = request.query
        if (!isAllOrNone && !apply) throw new ProblemError(APPLIES_NOTHING)
        const facts = {
          operation: operation ?? null,
          answers: readAnswers(request.query, request.headers['content-type'] ?? ''),
          logId: '',
          isKept: false,
          applyingRequestId: apply ? request.id : null,
          isAllOrNone,
          replaces: null,
        }
        const choose = (named: readonly string[]) => corrects?.split(',') ?? named
        const id = await receiveFile(uploads, acting.companyId, async (content) => {
          const sentName = await receiveContent(request, maxBytes, content)
          const fileName = cleanFileName(name === UNNAMED ? (sentName ?? name) : name)
          return storeFile(uploads, acting, { ...facts, content, fileName }, choose, request.reading!)
        }).catch(throwFaults)
        if (apply) await applyAtOnce(uploads, acting, id, request.id)
        else await previewAtOnce(uploads, acting.companyId, id)
        void reply.code(201).header('location', `/admin/v1/uploads/${id}`)
        return showUpload(uploads, acting.companyId, id)
      },
    })
  }
}

/** Receives the file of a request. Returns its name, if the request is a form. */
async function receiveContent(request: FastifyRequest, maxBytes: number, file: ReceivedFile): Promise<string | null> {
  const take = (chunk: Buffer) => file.add(chunk)
  if (request.isMultipart()) return (await readFileForm(request, maxBytes, take)).fileName
  if (request.body) await receiveBody(request, request.body as IncomingMessage, take)
  return null
}

/** What the request says about its file. */
function readAnswers(
  { encoding, sheet, header_row: headerLine }: Static<typeof UploadQuery>,
  contentType: string,
): FileAnswers {
  const label = encoding ?? /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]
  const known = label === undefined ? null : readEncoding(label)
  if (label !== undefined && known === null)
    throw problemError('invalid_query', `The encoding of the request ${UNREADABLE_ENCODING}`)
  return { encoding: known, sheet: sheet ?? null, headerLine: headerLine ?? null }
}

const LIST_UPLOADS = {
  operationId: 'listUploads',
  summary: 'List uploads, newest first',
  description: 'All uploads that are stored, on one page. Uploads are deleted after a day.',
  response: { 200: UploadList },
} satisfies FastifySchema

const GET_UPLOAD = {
  operationId: 'getUpload',
  summary: 'Get an upload and its progress',
  description: 'What each part would do, and what became of it.',
  ...ofUpload,
  response: { 200: ShownUpload },
} satisfies FastifySchema

const PREVIEW_UPLOAD_PART = {
  operationId: 'previewUploadPart',
  summary: 'Preview a part of an upload',
  description: 'The call of the part, validated and not applied: what it would do now, and its errors.',
  params: Type.Object({
    ...ofUpload.params.properties,
    number: Type.String({ description: 'The number of the part, from 1.', examples: ['1'] }),
  }),
  response: { 200: ShownPreview },
  problems: [...ofUpload.problems, 'upload_not_applicable'],
} satisfies FastifySchema

const EXPORT_ROWS_NOT_APPLIED = {
  operationId: 'exportRowsNotApplied',
  summary: 'Export the rows of an upload that were not applied',
  description:
    'All rows of refused, canceled, and waiting parts, and those that were left out of the others, to correct and ' +
    'upload again. A row that was refused has the id of its entry, and its errors.',
  ...ofUpload,
  response: CSV_ANSWER,
} satisfies FastifySchema

function addReadRoutes(app: FastifyInstance, { uploads, authorize }: UploadServices): void {
  app.get('/uploads', { schema: LIST_UPLOADS }, async (request) => ({
    items: (await listUploads(uploads.pool, userOf(request).companyId)).map(renderUploadFacts),
  }))

  app.get('/uploads/:id', { schema: GET_UPLOAD }, async (request) =>
    showUpload(uploads, userOf(request).companyId, readUploadId(request)),
  )

  app.get('/uploads/:id/parts/:number/preview', { schema: PREVIEW_UPLOAD_PART }, async (request) => {
    const upload = await requireUpload(uploads, userOf(request).companyId, readUploadId(request))
    const part = (await readParts(uploads.pool, upload)).find(({ number }) => String(number) === request.params.number)
    if (!part) throw problemError('upload_not_found', 'The upload has no such part')
    if (part.state !== 'waiting') throw new RefusedByStateError(NOT_WAITING)
    const preview = await previewPart(uploads, upload, part)
    return renderPartPreview(part.number, preview)
  })

  app.get(
    '/uploads/:id/not-applied.csv',
    { schema: EXPORT_ROWS_NOT_APPLIED, exposeHeadRoute: false, config: { isHeavyRead: true } },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const upload = await requireUpload(uploads, companyId, readUploadId(request))
      const texts = writeNotApplied(uploads, upload, await readParts(uploads.pool, upload))
      const csv = await streamTexts({ request, reply, authorize }, texts)
      return sendAttachment(reply, `not-applied-${upload.id}.csv`, CSV_TYPE, csv)
    },
  )
}

const APPLIES_NOTHING = problem('invalid_query', 'all_or_none=false is for files that are applied: add apply=true')
const NOT_WAITING = problem('upload_not_applicable', 'The part was already applied, refused, or canceled')

const APPLY_UPLOAD = {
  operationId: 'applyUpload',
  summary: 'Apply an upload, or resume it',
  description:
    'Each part becomes one call, which applies all of its rows or none; or, with `all_or_none=false`, all that can ' +
    'be applied. A file of one part is applied before the answer; of a larger one, part after part in the ' +
    'background. Repeating the request has no further effect.',
  ...ofUpload,
  querystring: ApplyQuery,
  response: { 200: ShownUpload },
  problems: [...ofUpload.problems, 'upload_not_applicable'],
} satisfies FastifySchema

const UNDO_UPLOAD = {
  operationId: 'undoUpload',
  summary: 'Undo an upload',
  description:
    'Takes back all calls of an upload that is over, the last one first, in the background. The answer is an ' +
    'upload of its own, whose parts are these undos: each undoes what is possible, and has its own entry, which ' +
    'says what stays. Calls can be undone one by one, too.',
  ...ofUpload,
  response: { 201: ShownUpload },
  problems: [...ofUpload.problems, 'nothing_to_undo', 'too_many_uploads'],
} satisfies FastifySchema

const CANCEL_UPLOAD = {
  operationId: 'cancelUpload',
  summary: 'Cancel what is still to come of an upload',
  description: 'What was applied stays applied. An upload that was not applied yet is deleted.',
  ...ofUpload,
  response: { 204: NO_CONTENT },
} satisfies FastifySchema

function addChangeRoutes(app: FastifyInstance, { uploads }: UploadServices): void {
  app.post('/uploads/:id/apply', { schema: APPLY_UPLOAD, ...JSON_BODY }, async (request) => {
    const [acting, id] = [actingUser(request), readUploadId(request)]
    const { all_or_none: isAllOrNone, deactivate: deactivated, beside } = request.query
    await applyUpload(uploads, acting, id, request.id, { isAllOrNone, deactivated, beside })
    return showUpload(uploads, acting.companyId, id)
  })

  app.post('/uploads/:id/undo', { schema: UNDO_UPLOAD, ...JSON_BODY }, async (request, reply) => {
    const acting = actingUser(request)
    const id = await undoUpload(uploads, acting, readUploadId(request), request.id)
    void reply.code(201).header('location', `/admin/v1/uploads/${id}`)
    return showUpload(uploads, acting.companyId, id)
  })

  app.post('/uploads/:id/cancel', { schema: CANCEL_UPLOAD, ...JSON_BODY }, async (request, reply) => {
    const upload = await requireUpload(uploads, userOf(request).companyId, readUploadId(request))
    await cancelUpload(uploads.pool, upload)
    return reply.code(204).send()
  })
}
