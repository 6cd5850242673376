import { omitUndefined } from '#domain/omit-undefined'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import type { EntryFilter, LogEntry } from '#projections/bulk-user-logs/queries'
import type { CauseFilter, RecordFilter } from '#projections/bulk-user-logs/records-queries'
import { MAX_EMAIL_CHARACTERS } from '#domain/attributes'
import type { AttributeChanges } from '#domain/events'
import { CALL_SOURCES, NOTE_NAMES } from '#domain/call-sources'
import { OPERATION_NAMES } from '#domain/operations'
import { isId } from '#domain/ids'
import { MAX_CORRECTIONS } from '#domain/uploads'
import { FAULT_KINDS } from '#domain/record-faults'
import { MAX_RECORD_ERRORS } from '#domain/errors'
import { MAX_UNDOINGS } from '#ledger/undo/undoings'
import { MAX_BODY_CHARACTERS } from '#domain/calls/rejected-body'
import { MAX_RECORD_BYTES } from '#domain/calls/refused-record'
import {
  anyId,
  Count,
  makeListSchema,
  namedObject,
  nullable,
  objectOrNull,
  oneOf,
  optionalBoolean,
  optionalInteger,
  optionalString,
  Page,
  STRICT,
  strictObject,
  textOrNull,
  text,
  flag,
  count,
} from '#http/openapi/schema-parts'
import { assertStorable, parseTime, invalidQuery } from '#http/server/query-values'

/** Maximum length of `q` and `employee`: that of an email address. */
const MAX_TEXT = MAX_EMAIL_CHARACTERS
/** A code, and a pointer of at most two names of 256 characters, each of which may be escaped. */
const MAX_ERROR = 1_100

// Not Type.Record: its name pattern does not match names with a line break.
const byName = <Values = Record<string, unknown>>(schema: TSchema) =>
  Type.Unsafe<Values>({ type: 'object', additionalProperties: schema })

/** Filters of the list of entries. An entry must match all of them. */
const EntryFilterQuery = {
  status: Type.Optional(oneOf(['Completed', 'Failed'], 'The status of the entry.')),
  operation: Type.Optional(oneOf(OPERATION_NAMES, 'The operation of the call.')),
  source: Type.Optional(oneOf(CALL_SOURCES, 'Where the call came from: the `name` of the entry.')),
  from: optionalString({ format: 'date-time', description: 'Requested at or after this time (RFC 3339).' }),
  to: optionalString({ format: 'date-time', description: 'Requested before this time (RFC 3339).' }),
  key: optionalString({ minLength: 1, maxLength: 64, description: 'The API id of the key that made the call.' }),
  error: optionalString({
    pattern: '^[a-z_]+$',
    maxLength: 64,
    description: 'Entries of calls that failed with this error code, such as `validation_failed`.',
  }),
  http_status: optionalInteger({
    minimum: 100,
    maximum: 599,
    description: 'Entries of calls that were answered with this HTTP status.',
  }),
  employee: optionalString({
    minLength: 1,
    maxLength: MAX_TEXT,
    description:
      'Entries with a record of this employee: the exact id, email (case-insensitive) or external id; a former one ' +
      'if nobody has it now. Also finds refused records that contain exactly this value.',
  }),
  q: optionalString({
    minLength: 1,
    maxLength: MAX_TEXT,
    description:
      'Entries with a record of an employee whose name, email, user name, external id or employee number contains ' +
      'this text or once was exactly this text (case-insensitive), or whose id it is. Also finds refused records ' +
      'with exactly this id, email or external id. Also finds entries by exactly their id, request id or error ' +
      'code, by the API id or name (case-insensitive) of their key, and by the address that the call was sent from.',
  }),
} satisfies Record<keyof EntryFilter, TSchema>

/** Filters of the records of one entry. */
const RecordFilterQuery = {
  status: Type.Optional(
    oneOf(
      ['Synced', 'No Updates', 'Reactivated', 'Deactivated', 'Created', 'Failed', 'Changed'],
      'The status of the record. `Created` finds created employees and `Failed` finds refused records; neither has ' +
        'a status. `Changed` finds all records that changed something: those that are neither `No Updates` nor ' +
        '`Failed`.',
    ),
  ),
  q: optionalString({
    minLength: 1,
    maxLength: MAX_TEXT,
    description: 'Finds records by person, as in the list of entries.',
  }),
  error: optionalString({
    pattern: '^[a-z_]+(:(/[^]*)?)?$',
    maxLength: MAX_ERROR,
    description:
      'Refused records with this error: its code (`invalid_format`), or its code, a colon, and its JSON Pointer ' +
      'within the record (`invalid_format:/phone`; `missing_locator:` for the record itself).',
  }),
}

export const EntryListQuery = strictObject({
  ...EntryFilterQuery,
  ...Page,
  count: optionalBoolean({ description: 'Whether to count the entries that match, on all pages.' }),
})
export const EntryExportQuery = strictObject(EntryFilterQuery)
export const RecordListQuery = strictObject({ ...RecordFilterQuery, ...Page })
export const RecordExportQuery = strictObject(RecordFilterQuery)
export const FailedRecordsQuery = Type.Omit(RecordExportQuery, ['status'], STRICT)
export const StreamQuery = strictObject({
  cursor: optionalString({ minLength: 1, maxLength: 64, description: 'The id of the last event received.' }),
})
export const LogParams = Type.Object({ log_id: anyId('The id of an entry.', 'log') })

const Counts = Type.Object({ total: Count, updated: Count, deactivated: Count, failed: Count, no_updates: Count })

export const EntrySchema = namedObject('BulkUserLogEntry', {
  id: text('`log_…`. Also the id of the call.'),
  status: oneOf(['Completed', 'Failed'], 'Whether the call succeeded.'),
  name: oneOf(CALL_SOURCES, 'Where the call came from.'),
  requested_at: Type.String({ format: 'date-time' }),
  operation: oneOf(OPERATION_NAMES, 'The operation of the call.'),
  counts: Counts,
  http_status: Type.Integer(),
  duration_ms: Count,
  key: objectOrNull('The key that made the call. Null for the call of a user.', {
    id: text('The API id.'),
    name: Type.String(),
  }),
  user: objectOrNull('The administrator who made the call. Null for the call of a key.', {
    id: Type.String(),
    name: nullable(text('Null once the user is erased.')),
  }),
  file: objectOrNull('The file that was uploaded. Null for other calls.', {
    name: nullable(text('Null once it is erased.')),
    rows: Count,
    part: objectOrNull(
      'The part of a file that is too large for one call, from 1, and its rows, without the line that names the ' +
        'columns. Null for a whole file.',
      { number: Count, of: Count, first_row: Count, last_row: Count },
    ),
  }),
  corrects: Type.Array(Type.String(), {
    description: 'The ids of the entries whose refused records the file corrects.',
  }),
  undoes: textOrNull('The id of the entry that the call took back. Null for other calls.'),
  undone_by: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        state: oneOf(['undone', 'partly_undone'], '`partly_undone`: something had to stay as it was.'),
        is_undone: flag('Whether that entry was undone itself, all of it.'),
      }),
      {
        maxItems: MAX_UNDOINGS,
        description:
          'The newest entries that took back what this one changed. Only in the answer to a request for one entry.',
      },
    ),
  ),
  corrected_by: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_CORRECTIONS,
      description:
        'The ids of the newest entries that applied records of this one, from a file that corrects it. Only in the ' +
        'answer to a request for one entry.',
    }),
  ),
  correction: Type.Optional(
    objectOrNull(
      'How far uploaded files have corrected the entry. Only in the answer to a request for one entry. Null if none ' +
        'has.',
      {
        state: oneOf(
          ['corrected', 'partly_corrected'],
          '`corrected`: every record that the entry did not apply was applied since: all of a failed one, also the ' +
            'valid ones. `partly_corrected`: some were.',
        ),
        applied: count('How many of these records are known to be applied since.'),
        total: count('How many of its records it did not apply: all of a failed one.'),
      },
    ),
  ),
  request_id: Type.String(),
  error: nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
  notes: Type.Array(Type.Object({ path: Type.String(), code: oneOf(NOTE_NAMES, 'Why.'), message: Type.String() }), {
    description: 'What the call sent and was ignored, or kept otherwise: the field as the client names it, and why.',
  }),
  rejected_body: Type.Optional(
    objectOrNull(
      'The body of a call that was refused because it could not be read. Only in the answer to a request for one ' +
        'entry. Null if the body could be read, was empty, was erased, or is no longer kept.',
      {
        text: text(
          `The body as sent if it has at most ${MAX_BODY_CHARACTERS} characters, else the part around its error. ` +
            'Bytes that are not UTF-8 are U+FFFD, U+0000 is left out, and secrets of the service are masked.',
        ),
        bytes: Type.Integer({ minimum: 1, description: 'The length of the whole body.' }),
        truncated: flag('Whether `text` is only a part of the body.'),
        error: objectOrNull('Where the body stopped being readable. Null if no place is to blame.', {
          at: count('The index of the character in `text`.'),
          line: Type.Integer({ minimum: 1, description: 'The line in the whole body, from 1.' }),
          column: Type.Integer({ minimum: 1, description: 'The character in the line, from 1.' }),
        }),
      },
    ),
  ),
  client: Type.Optional(
    objectOrNull(
      'From where the call was sent. Only in the answer to a request for one entry. Null if it is no longer kept.',
      {
        address: text('The IP address.'),
        user_agent: nullable(text('The `User-Agent` header, at most 256 characters.')),
      },
    ),
  ),
} satisfies Record<keyof LogEntry['entry'], TSchema> & Record<string, TSchema>)

const AttributeValue = Type.Unsafe({ type: ['string', 'number', 'boolean', 'null'] })

export const RecordSchema = namedObject('BulkUserLogRecord', {
  index: nullable(Type.Integer({ description: 'Index in the call. Null for an error of the whole call.' })),
  employee_id: nullable(Type.String()),
  status: nullable(
    oneOf(['Synced', 'No Updates', 'Reactivated', 'Deactivated'], 'Null for a created employee or a refused record.'),
  ),
  attributes: nullable(byName({} as TSchema)),
  changes: nullable(byName<AttributeChanges>(Type.Object({ from: AttributeValue, to: AttributeValue }))),
  record: Type.Unknown({
    description:
      'The refused record, unchanged, apart from secrets such as passwords, which are "…". A record larger than ' +
      `${MAX_RECORD_BYTES} bytes is cut to the start of its JSON text.`,
  }),
  truncated: flag('Whether `record` is only the start of what was sent.'),
  errors: nullable(
    Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), message: Type.String() }), {
      maxItems: MAX_RECORD_ERRORS,
      description: `The first ${MAX_RECORD_ERRORS} errors of the record, including those left out of the response.`,
    }),
  ),
  errors_omitted: count('The number of further errors of the record.'),
  left_out: Type.Array(Type.Object({ field: Type.String(), reason: oneOf(FAULT_KINDS), message: Type.String() }), {
    description:
      'The fields without which the record was applied, and why: of an undo, those that had to stay as they were. ' +
      'Custom attributes are not named.',
  }),
  erased: flag(
    'Whether the data of the record is erased: the person was erased, or it is a refused record past its retention ' +
      'period. Only its index and status remain.',
  ),
})

/** The answer of the list of entries. */
export const EntryList = Type.Object({
  ...makeListSchema(EntrySchema).properties,
  total: Type.Optional(
    objectOrNull(
      'The number of entries that match, counted up to 10,000, or fewer with `employee` or `q`. Only with ' +
        '`count=true`. Null if counting them takes too long.',
      {
        count: Count,
        is_more: flag('Whether there are more. `count` is exact otherwise.'),
      },
    ),
  ),
})

type FilterQuery = Static<typeof EntryExportQuery>

/** Reads the filters of the list. Throws a problem for values that are well-formed but meaningless. */
export function readEntryFilter(query: FilterQuery): EntryFilter {
  assertStorable(query)
  const { status, operation, source, from, to, key, error, http_status, employee, q } = query
  if (key !== undefined && !isId('key', key)) throw invalidQuery('key', 'must be an API id')
  const read: { [Name in keyof Required<EntryFilter>]: EntryFilter[Name] | undefined } = {
    status,
    operation,
    source,
    key,
    error,
    http_status,
    employee,
    q,
    from: from === undefined ? undefined : parseTime('from', from),
    to: to === undefined ? undefined : parseTime('to', to),
  }
  return omitUndefined(read)
}

/** Reads the filters of an entry's records. */
export function readRecordFilter(query: Static<typeof RecordExportQuery>): RecordFilter {
  assertStorable(query)
  const { status, q, error } = query
  return omitUndefined({ status, q, error: error === undefined ? undefined : readCause(error) })
}

function readCause(text: string): CauseFilter {
  const end = text.indexOf(':')
  return end === -1 ? { code: text } : { code: text.slice(0, end), pointer: text.slice(end + 1) }
}
