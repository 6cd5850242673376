import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import type { Employee } from '#domain/employees/employee'
import { countBeside } from '#ledger/uploads/change-upload'
import { readParts } from '#ledger/uploads/read-uploads'
import { requireOwnUpload, requireUpload } from '#uploads/apply-upload'
import { findMissing, keepMissing, listMissing, readMissing } from '#uploads/missing-people'
import type { UploadRouteServices } from '#uploads/store-file'
import { userOf } from '#http/access/authorize-user'
import { NO_CONTENT, nullable, Page, strictObject } from '#http/openapi/schema-parts'
import { decodeCursor, encodeCursor } from '#http/server/query-values'
import { actingUser, HEAVY_JSON_BODY } from '../company-schemas.ts'
import { ofUpload, readUploadId } from './upload-answer.ts'

const Missing = {
  count: Type.Integer({ minimum: 0, description: 'How many people the upload would deactivate.' }),
  active: Type.Integer({ minimum: 0, description: 'How many people were active when they were listed; 0 before.' }),
  beside: Type.Integer({
    minimum: 0,
    description:
      "How many people the company's other uploads of the last day deactivate because they are not in the files, and how " +
      'many its API keys have deactivated today (UTC).',
  }),
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
} as const satisfies FastifySchema

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
} as const satisfies FastifySchema

const KEEP_MISSING = {
  operationId: 'keepMissing',
  summary: 'Let an upload deactivate nobody who is not in its file',
  description: 'Before the file is applied, by the user who uploaded it.',
  ...ofUpload,
  response: { 204: NO_CONTENT },
  problems: [...ofUpload.problems, 'upload_not_applicable'],
} as const satisfies FastifySchema

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
