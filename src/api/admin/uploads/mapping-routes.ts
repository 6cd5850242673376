import type { FastifyInstance, FastifySchema } from 'fastify'
import { RefusedByStateError } from '#accounts/change-company'
import { previewAtOnce, requireOwnUpload, requireUpload } from '#uploads/apply-upload'
import { mapUpload, NO_COLUMNS } from '#uploads/map-upload'
import type { UploadRouteServices } from '#uploads/store-file'
import { userOf } from '#http/access/authorize-user'
import { actingUser, JSON_BODY, HEAVY_JSON_BODY } from '#api/admin/company-schemas'
import { MappingBody, MAX_MAPPING_BYTES, MAX_MAPPING_VALUES } from './mapping-schema.ts'
import { ofUpload, readUploadId, showUpload, throwFaults } from './upload-answer.ts'
import { ShownUpload } from './upload-schemas.ts'
import { Type } from '@sinclair/typebox'
import type { Employee } from '#domain/employees/employee'
import { countBeside } from '#ledger/uploads/change-upload'
import { readParts } from '#ledger/uploads/read-uploads'
import { findMissing, keepMissing, listMissing, readMissing } from '#uploads/missing-people'
import { NO_CONTENT, nullable, Page, strictObject, count } from '#http/openapi/schema-parts'
import { decodeCursor, encodeCursor } from '#http/server/query-values'

const problems = [...ofUpload.problems, 'upload_not_applicable'] as const

const GET_UPLOAD_MAPPING = {
  operationId: 'getUploadMapping',
  summary: 'Get what the columns of an upload mean',
  description:
    'The mapping that the service proposed, or the one that was set last. Save it as a file to use it with ' +
    '`employee-ledger-client send --map`.',
  ...ofUpload,
  response: { 200: MappingBody },
  problems,
} satisfies FastifySchema

const SET_UPLOAD_MAPPING = {
  operationId: 'setUploadMapping',
  summary: 'Say what the columns of an upload mean',
  description:
    'Before the file is applied, by the user who uploaded it. The preview is made again. ' +
    'How values are read is filled in from the values where the mapping says nothing. Once the file is applied, the ' +
    'mapping is remembered for the next file with the same columns.',
  ...ofUpload,
  body: MappingBody,
  response: { 200: ShownUpload },
  problems,
} satisfies FastifySchema

/** Adds the routes of what the columns of an upload mean. */
export function addMappingRoutes(app: FastifyInstance, uploads: UploadRouteServices): void {
  app.get('/uploads/:id/mapping', { schema: GET_UPLOAD_MAPPING }, async (request) => {
    const { mapping } = await requireUpload(uploads, userOf(request).companyId, readUploadId(request))
    if (!mapping) throw new RefusedByStateError(NO_COLUMNS)
    const { needs_review: _review, ...shown } = mapping
    return { ...shown, other_columns: 'unused' as const }
  })

  app.put(
    '/uploads/:id/mapping',
    {
      schema: SET_UPLOAD_MAPPING,
      config: { ...JSON_BODY.config, maxValues: MAX_MAPPING_VALUES },
      bodyLimit: MAX_MAPPING_BYTES,
    },
    async (request) => {
      const upload = await requireOwnUpload(uploads, actingUser(request), readUploadId(request))
      await mapUpload(uploads, upload, request.body, 'program').catch(throwFaults)
      await previewAtOnce(uploads, upload.companyId, upload.id)
      return showUpload(uploads, upload.companyId, upload.id)
    },
  )
}

const Missing = {
  count: count('How many people the upload would deactivate.'),
  active: count('How many people were active when they were listed; 0 before.'),
  beside: count(
    "How many people the company's other uploads of the last day deactivate because they are not in the files, and " +
      'how many its API keys have deactivated today (UTC).',
  ),
}

const MissingPerson = Type.Object({
  id: Type.String(),
  external_id: nullable(Type.String()),
  email: nullable(Type.String()),
  first_name: nullable(Type.String()),
  last_name: nullable(Type.String()),
})

function renderPerson({ id, external_id, email, first_name, last_name }: Employee) {
  return { id, external_id, email, first_name, last_name }
}

const DEACTIVATE_MISSING = {
  operationId: 'deactivateMissing',
  summary: 'Let an upload deactivate the people who are not in its file',
  description:
    'Before the file is applied, by the user who uploaded it. The active people whom no row names, by an id, an ' +
    'external id, an email, or as a manager, are listed. Once all rows are applied, they are deactivated by update ' +
    'calls of their own; not if a row was not applied. Refused if the file may not show who is missing: it has rows ' +
    'that are refused, only creates people, or corrects entries. Repeat the request to list them again.',
  ...ofUpload,
  response: { 200: Type.Object(Missing) },
  problems: [...ofUpload.problems, 'upload_not_applicable'],
} satisfies FastifySchema

const LIST_MISSING = {
  operationId: 'listMissing',
  summary: 'List the people whom an upload would deactivate',
  description: 'In the order of their creation. They are listed until they are deactivated.',
  ...ofUpload,
  querystring: strictObject(Page),
  response: {
    200: Type.Object({
      ...Missing,
      items: Type.Array(MissingPerson),
      next_cursor: nullable(Type.String()),
    }),
  },
} satisfies FastifySchema

const KEEP_MISSING = {
  operationId: 'keepMissing',
  summary: 'Let an upload deactivate nobody who is not in its file',
  description: 'Before the file is applied, by the user who uploaded it.',
  ...ofUpload,
  response: { 204: NO_CONTENT },
  problems: [...ofUpload.problems, 'upload_not_applicable'],
} satisfies FastifySchema

/** Adds the routes of the people who are not in a file. */
export function addMissingRoutes(app: FastifyInstance, uploads: UploadRouteServices): void {
  app.put('/uploads/:id/missing', { schema: DEACTIVATE_MISSING, ...HEAVY_JSON_BODY }, async (request) => {
    const upload = await requireOwnUpload(uploads, actingUser(request), readUploadId(request))
    const missing = await listMissing(uploads, upload, request.left)
    return { ...missing, beside: await countBeside(uploads.pool, upload) }
  })

  app.get('/uploads/:id/missing', { schema: LIST_MISSING }, async (request) => {
    const { limit, cursor } = request.query
    const upload = await requireUpload(uploads, userOf(request).companyId, readUploadId(request))
    const parts = await readParts(uploads.pool, upload)
    const page = { after: cursor === undefined ? 0 : decodeCursor(cursor), limit }
    const { employees, next } = await readMissing(uploads, upload, parts, page)
    return {
      ...findMissing(parts),
      beside: await countBeside(uploads.pool, upload),
      items: employees.map(renderPerson),
      next_cursor: next === null ? null : encodeCursor(next),
    }
  })

  app.delete('/uploads/:id/missing', { schema: KEEP_MISSING }, async (request, reply) => {
    const upload = await requireOwnUpload(uploads, actingUser(request), readUploadId(request))
    await keepMissing(uploads, upload)
    return reply.code(204).send()
  })
}
