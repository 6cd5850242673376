import type { Static, TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { EntryFilter } from '../../../projections/bulk-user-logs/queries.ts'
import { isId } from '../../domain/ids.ts'
import { MAX_RECORD_ERRORS } from '../../domain/record-faults.ts'
import { MAX_RECORD_BYTES } from '../../domain/calls/refused-record.ts'
import { assertStorable, instant, invalidQuery } from '../server/query-values.ts'

/** What `q` and `employee` may have: as much as an e-mail address. */
const MAX_TEXT = 254
const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const oneOf = <const Word extends string>(words: readonly Word[], options: { description: string }) =>
  Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options })
// Not Type.Record: its pattern of names does not match those with a line break.
const byName = (schema: TSchema) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: schema })

const Cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: '`next_cursor` of the page before; opaque' }),
)
const PageQuery = {
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'how many items a page has',
  }),
  cursor: Cursor,
}

/** Filters of the list of entries; an entry has to satisfy all that are given. */
export const EntryFilterQuery = {
  status: Type.Optional(oneOf(['Completed', 'Failed'], { description: 'the status of the entry' })),
  operation: Type.Optional(oneOf(['create', 'update_one', 'update_many'], { description: 'what the call was to do' })),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'requested at this instant or later (RFC 3339)' }),
  ),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'requested before this instant (RFC 3339)' })),
  key: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'the API id of the key that made the call' }),
  ),
  employee: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT,
      description:
        'entries with a record of exactly this employee: an id, an e-mail (in any case) or an external id, ' +
        'as the employee has them now; also refused records in which exactly that stood',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_TEXT,
      description:
        'entries with a record of an employee in whose names, e-mail, external id or employee number this text stands ' +
        '(in any case), or whose id it is; also refused records in which exactly this id, e-mail or external id stood',
    }),
  ),
}

/** Filters of the records of one entry. */
export const RecordFilterQuery = {
  status: Type.Optional(
    oneOf(['Synced', 'No Updates', 'Reactivated', 'Deactivated', 'Created', 'Failed'], {
      description:
        'the status of the record; `Created` finds those of a creation and `Failed` refused ones, which have none',
    }),
  ),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TEXT, description: 'as for the list of entries' })),
}

export const EntryListQuery = Type.Object({ ...EntryFilterQuery, ...PageQuery }, { additionalProperties: false })
export const EntryExportQuery = Type.Object(EntryFilterQuery, { additionalProperties: false })
export const RecordListQuery = Type.Object({ ...RecordFilterQuery, ...PageQuery }, { additionalProperties: false })
export const RecordExportQuery = Type.Object(RecordFilterQuery, { additionalProperties: false })
export const StreamQuery = Type.Object(
  { cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'the id of the last event seen' })) },
  { additionalProperties: false },
)
export const NoQuery = Type.Object({}, { additionalProperties: false })
export const LogParams = Type.Object({ log_id: Type.String({ description: 'the id of an entry: `log_…`' }) })

const Count = Type.Integer({ minimum: 0 })
const Counts = Type.Object({ total: Count, updated: Count, deactivated: Count, failed: Count, no_updates: Count })

export const EntrySchema = Type.Object(
  {
    id: Type.String({ description: '`log_…`, also the id of the call' }),
    status: oneOf(['Completed', 'Failed'], { description: 'whether the call succeeded' }),
    name: oneOf(['Public API'], { description: 'where the entry comes from' }),
    requested_at: Type.String({ format: 'date-time' }),
    operation: oneOf(['create', 'update_one', 'update_many'], { description: 'what the call was to do' }),
    counts: Counts,
    http_status: Type.Integer(),
    duration_ms: Count,
    key: Type.Object({ id: Type.String({ description: 'the API id' }), name: Type.String() }),
    request_id: Type.String(),
    error: nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
  },
  { $id: 'BulkUserLogEntry', additionalProperties: false },
)

const AttributeValue = Type.Unsafe({ type: ['string', 'number', 'boolean', 'null'] })

export const RecordSchema = Type.Object(
  {
    index: nullable(Type.Integer({ description: 'place in the call; null when it speaks of the call as a whole' })),
    employee_id: nullable(Type.String()),
    status: nullable(
      oneOf(['Synced', 'No Updates', 'Reactivated', 'Deactivated'], {
        description: 'null for a creation or a refusal',
      }),
    ),
    attributes: nullable(byName({} as TSchema)),
    changes: nullable(byName(Type.Object({ from: AttributeValue, to: AttributeValue }))),
    record: Type.Unknown({
      description: `a refused record as it was sent; of one that takes more than ${MAX_RECORD_BYTES} bytes as JSON, the beginning of its JSON text`,
    }),
    truncated: Type.Boolean({ description: 'whether `record` is only the beginning of what was sent' }),
    errors: nullable(
      Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), message: Type.String() }), {
        maxItems: MAX_RECORD_ERRORS,
        description: `the first ${MAX_RECORD_ERRORS} errors of the record, also those that the answer had no room for`,
      }),
    ),
    errors_omitted: Type.Integer({ minimum: 0, description: 'how many more errors the record has' }),
    erased: Type.Boolean({
      description:
        'whether what the record said is erased: its person was forgotten, or it is a refused one and older than those ' +
        'are kept; then only its place and its status are left',
    }),
  },
  { $id: 'BulkUserLogRecord', additionalProperties: false },
)

export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), next_cursor: nullable(Type.String()) })

type FilterQuery = Static<typeof EntryExportQuery>

/** Reads the filters of the list. Throws a problem on what has the right form and still no meaning. */
export function readEntryFilter(query: FilterQuery): EntryFilter {
  assertStorable(query)
  const { status, operation, from, to, key, employee, q } = query
  if (key !== undefined && !isId('key', key)) throw invalidQuery('key', 'must be an API id')
  return {
    ...(status === undefined ? {} : { status }),
    ...(operation === undefined ? {} : { operation }),
    ...(from === undefined ? {} : { from: instant('from', from) }),
    ...(to === undefined ? {} : { to: instant('to', to) }),
    ...(key === undefined ? {} : { key }),
    ...(employee === undefined ? {} : { employee }),
    ...(q === undefined ? {} : { q }),
  }
}

/** Reads the filters of an entry's records. */
export function readRecordFilter(query: Static<typeof RecordExportQuery>): Static<typeof RecordExportQuery> {
  assertStorable(query)
  const { status, q } = query
  return { ...(status === undefined ? {} : { status }), ...(q === undefined ? {} : { q }) }
}
