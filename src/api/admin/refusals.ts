import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { listRefusedCalls, type RefusalFilter, type RefusedCalls } from '#projections/bulk-user-logs/cause-queries'
import { isId } from '#domain/ids'
import { DAY_MS } from '#domain/local-times'
import { userOf } from '#http/access/authorize-user'
import { STREAMED_ROUTE } from '#http/access/heavy-reads'
import {
  Count,
  namedObject,
  optionalString,
  Page,
  strictObject,
  textOrNull,
  Time,
  withDefault,
  flag,
  count,
  text,
} from '#http/openapi/schema-parts'
import { formatFileTime, sendAttachment, streamTexts, type Reader } from '#http/server/text-stream'
import { assertStorable, invalidQuery, parseTime } from '#http/server/query-values'
import type { Reads } from '#ledger/read/reads'
import { CSV_ANSWER, CSV_TYPE } from '#log/csv-text'
import { writeFile } from '#log/bulk-user-logs-csv'
import { readRefusalCauses, type ShownCause } from '#log/refusal-causes'
import { listRefusedByCause } from '#log/refused-records'
import { databaseTime, databaseTimeMs } from '#postgres/database-clock'

const DEFAULT_DAYS = 7
/** A field is a pointer of at most two names of 256 characters. */
const MAX_FIELD = 520

const Period = {
  from: optionalString({
    format: 'date-time',
    description: `Requested in the hour (UTC) of this time (RFC 3339) or later. Default: ${DEFAULT_DAYS} days ago.`,
  }),
  to: optionalString({ format: 'date-time', description: 'Requested before this time (RFC 3339), by whole hours.' }),
  key: optionalString({ minLength: 1, maxLength: 64, description: 'The API id of the key that made the calls.' }),
}

const RefusalListQuery = strictObject({ ...Period, limit: Page.limit })
const RefusalExportQuery = strictObject({
  ...Period,
  code: Type.String({
    pattern: '^[a-z_]+$',
    maxLength: 64,
    description: 'The `code` of a cause.',
    examples: ['invalid_format'],
  }),
  field: withDefault(Type.String({ maxLength: MAX_FIELD, description: 'Its `field`; empty for null.' }), ''),
  kind: withDefault(
    Type.String({ pattern: '^[a-z_]*$', maxLength: 64, description: 'Its `kind`; empty for null.' }),
    '',
  ),
})

const Example = strictObject({
  log_id: Type.String(),
  index: Count,
  employee_id: textOrNull('The employee, if there is one.'),
  name: textOrNull("The employee's current name, or as sent."),
  email: textOrNull('In the same way.'),
  external_id: textOrNull('In the same way.'),
})

const Refusal = namedObject('Refusal', {
  code: text('The error code of the records.'),
  field: textOrNull('The field that the error is about, such as `phone` or `custom_attributes.grade`.'),
  kind: textOrNull(
    'Of a conflict, what collides: `held` (an active employee has the value), `held_by_inactive`, `holder_refused`, ' +
      '`same_in_call`, or `same_employee`. Null otherwise, and if it is not known. More kinds may be added.',
  ),
  message: textOrNull(
    'The error message of the newest record, without ids of employees. Null if the records are erased.',
  ),
  records: Count,
  people: count('How many people these records are about, as far as they name them.'),
  people_estimated: flag('Whether `people` is an estimate, as of more than 63.'),
  keys: Type.Integer({ minimum: 1, description: 'How many API keys sent them.' }),
  first_seen: Time,
  last_seen: Time,
  examples: Type.Array(Example, { maxItems: 3, description: 'The newest records, each of another person.' }),
})

const RefusedCall = strictObject({
  code: text('The error code of the calls.'),
  calls: Count,
  records: count('Their records, as far as they could be counted.'),
  keys: Count,
  first_seen: Time,
  last_log_id: text('The newest entry.'),
})

const Refusals = namedObject('Refusals', {
  from: Type.String({ format: 'date-time', description: 'The beginning of the period.' }),
  items: Type.Array(Refusal, { description: 'The causes, those with the most records first.' }),
  is_more: flag('Whether there are further causes, or older records that were not counted.'),
  calls: Type.Array(RefusedCall, { description: 'Calls that were refused for another reason than their records.' }),
})

const LIST = {
  operationId: 'listRefusals',
  summary: 'List why records of a period were refused, across calls',
  description:
    'Groups the refused records of all calls of API keys by the field and the code of their errors. Records that are ' +
    'erased, or that a file has corrected since, are not counted.',
  querystring: RefusalListQuery,
  response: { 200: Refusals },
} satisfies FastifySchema

const EXPORT = {
  operationId: 'exportRefusalAsCsv',
  summary: 'Export the refused records of a cause as one CSV file, one column for each attribute',
  description:
    'The records that `GET /admin/v1/refusals` counts, newest first, as a file to correct and upload. Its ' +
    'columns are those of `GET /admin/v1/bulk-user-logs/failed-records.csv`.',
  querystring: RefusalExportQuery,
  response: CSV_ANSWER,
} satisfies FastifySchema

interface RefusalServices extends Pick<Reader, 'authorize'> {
  reads: Reads
}

/** `GET /admin/v1/refusals`: why records were refused, across calls, and all records of a cause as a file. */
export function refusals(app: FastifyInstance, { reads, authorize }: RefusalServices) {
  app.get('/refusals', { schema: LIST }, async (request) => {
    const { limit, ...query } = request.query
    assertStorable(query)
    const { companyId } = userOf(request)
    const filter = readFilter(query)
    const db = await reads.of(companyId)
    const { causes, isMore, isCut } = await readRefusalCauses(db, companyId, filter, limit)
    const calls = await listRefusedCalls(db, companyId, filter, limit)
    return { from: filter.from, items: causes.map(toRefusal), is_more: isMore || isCut, calls: calls.map(toCall) }
  })

  app.get('/refusals/failed-records.csv', { ...STREAMED_ROUTE, schema: EXPORT }, async (request, reply) => {
    const { code, field, kind, ...query } = request.query
    assertStorable(request.query)
    const { companyId } = userOf(request)
    const db = await reads.of(companyId, request.left)
    const filter = { ...readFilter(query), code, field, kind }
    const texts = writeFile(() => listRefusedByCause(db, companyId, filter))
    const file = await streamTexts({ request, reply, authorize }, texts)
    return sendAttachment(reply, `failed-records-${formatFileTime(databaseTime())}.csv`, CSV_TYPE, file)
  })
}

function readFilter({ from, to, key }: Omit<Static<typeof RefusalListQuery>, 'limit'>): RefusalFilter {
  if (key !== undefined && !isId('key', key)) throw invalidQuery('key', 'must be an API id')
  return {
    from: parseTime('from', from ?? new Date(databaseTimeMs() - DEFAULT_DAYS * DAY_MS).toISOString()),
    ...(to === undefined ? {} : { to: parseTime('to', to) }),
    ...omitUndefined({ key }),
  }
}

function toRefusal({
  code,
  field,
  kind,
  message,
  records,
  people,
  keys,
  ...cause
}: ShownCause): Static<typeof Refusal> {
  return {
    code,
    field: field || null,
    kind: kind || null,
    message,
    records,
    people: people.count,
    people_estimated: people.isEstimate,
    keys,
    first_seen: cause.firstAt,
    last_seen: cause.lastAt,
    examples: cause.examples.map(({ logId, index, employeeId, name, email, external_id }) => {
      return { log_id: logId, index, employee_id: employeeId, name, email, external_id }
    }),
  }
}

function toCall({ code, calls, records, keys, firstAt, lastLogId }: RefusedCalls): Static<typeof RefusedCall> {
  return { code, calls, records, keys, first_seen: firstAt, last_log_id: lastLogId }
}
