import type { FastifyInstance, FastifySchema } from 'fastify'
import { RefusedByStateError } from '#accounts/change-company'
import { previewAtOnce, requireOwnUpload, requireUpload } from '#uploads/apply-upload'
import { mapUpload, NO_COLUMNS } from '#uploads/map-upload'
import type { UploadRouteServices } from '#uploads/store-file'
import { userOf } from '#http/access/authorize-user'
import { actingUser, JSON_BODY } from '../company-schemas.ts'
import { MappingBody, MAX_MAPPING_BYTES } from './mapping-schema.ts'
import { ofUpload, readUploadId, showUpload, throwFaults } from './upload-answer.ts'
import { ShownUpload } from './upload-schemas.ts'

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
} as const satisfies FastifySchema

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
} as const satisfies FastifySchema

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
      config: { ...JSON_BODY.config, hasNoRecords: true },
      bodyLimit: MAX_MAPPING_BYTES,
    },
    async (request) => {
      const upload = await requireOwnUpload(uploads, actingUser(request), readUploadId(request))
      await mapUpload(uploads, upload, request.body).catch(throwFaults)
      await previewAtOnce(uploads, upload.companyId, upload.id)
      return showUpload(uploads, upload.companyId, upload.id)
    },
  )
}
