import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import type { Reads } from '../../ledger/read/reads.ts'
import { STREAMED_ROUTE } from '../access/heavy-reads.ts'
import { userOf } from '../access/authorize-user.ts'
import { streamTexts, type Reader } from '../server/text-stream.ts'
import { formatFileTime, sendAttachment } from './attachment.ts'
import * as schemas from './bulk-user-logs-schemas.ts'
import type { RequireLogEntry } from './bulk-user-logs.ts'
import { listRefusedRecords } from './refused-records.ts'

const EXPORT = {
  operationId: 'exportFailedRecords',
  summary: 'Export the refused records of an entry as the body of a new call',
  description:
    'Correct the records and send the file to `/v1/employees` with `POST` after a creation, `PATCH` after an update, or ' +
    '`PUT` after an upsert. The refused record of a single update gets the `id` of its path. Records that are erased, or that ' +
    'were too large to keep in full, are left out. A failed call applied nothing: the log does not keep its valid ' +
    'records, so send those again, too. A call with `all_or_none=false` applied them already.',
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.FailedRecordsQuery,
  response: {
    200: Type.Object({ employees: Type.Array(Type.Unknown({ description: 'A refused record, as sent.' })) }),
  },
} as const satisfies FastifySchema

/** The refused records of an entry as JSON, in the form of a bulk call. */
export function failedRecords(
  app: FastifyInstance,
  { reads, authorize, requireLogEntry }: { reads: Reads; requireLogEntry: RequireLogEntry } & Pick<Reader, 'authorize'>,
): void {
  app.get(
    '/bulk-user-logs/:log_id/failed-records.json',
    { ...STREAMED_ROUTE, schema: EXPORT },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(db, companyId, request.params.log_id)
      const texts = writeBody(listRefusedRecords(db, companyId, [entry], filter))
      const { id, requested_at: at } = entry.entry
      const json = await streamTexts({ request, reply, authorize }, texts)
      return sendAttachment(reply, `failed-records-${formatFileTime(at)}-${id}.json`, 'application/json', json)
    },
  )
}

/** Writes a record per line, so that people can edit the file. */
async function* writeBody(pages: ReturnType<typeof listRefusedRecords>): AsyncGenerator<string> {
  let before = '{"employees":[\n'
  for await (const page of pages) {
    const records = page.filter(({ truncated }) => !truncated).map(({ record }) => JSON.stringify(record))
    if (records.length === 0) continue
    yield before + records.join(',\n')
    before = ',\n'
  }
  yield before === ',\n' ? '\n]}\n' : '{"employees":[]}\n'
}
