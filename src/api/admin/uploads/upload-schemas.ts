import { Type } from '@sinclair/typebox'
import { LEFT_OUT_REASONS, type TableNotes } from '#spreadsheets/tables/find-table'
import type { FileFault } from '#spreadsheets/file-error'
import { listQuestions } from '#spreadsheets/mapping/mapping'
import { MAX_CORRECTIONS, summarize, UPLOAD_OPERATIONS } from '#domain/uploads'
import { partsOfFile, type StoredPart, type StoredUpload } from '#ledger/uploads/read-uploads'
import type { PartPreview } from '#uploads/run-part'
import {
  Count,
  nullable,
  oneOf,
  optionalInteger,
  optionalString,
  strictObject,
  Time,
  render,
  flag,
  count,
  text,
} from '#http/openapi/schema-parts'
import { ShownQuestion } from './mapping-schema.ts'

const PartNumber = Type.Integer({ minimum: 1, description: 'From 1.' })

const ALL_OR_NONE = Type.Boolean({
  default: true,
  description:
    'If `false`, the upload leaves out rows that it cannot read or apply, and applies all others. If `true`, one ' +
    'such row stops its whole part. An upload that is resumed keeps the value with which it began.',
})

/** The name of a file without one. */
export const UNNAMED = 'unnamed'

export const UploadQuery = strictObject({
  file_name: Type.String({
    minLength: 1,
    maxLength: 255,
    default: UNNAMED,
    description: 'The name of the file, for the log. A form has it already.',
  }),
  operation: Type.Optional(
    oneOf(
      UPLOAD_OPERATIONS,
      'What to do with the records, as `PUT`, `PATCH`, and `POST` of `/v1/employees` do. Default: what the calls ' +
        'asked for that the file corrects; `upsert` if they asked for different things, or if it corrects none.',
    ),
  ),
  encoding: optionalString({
    maxLength: 40,
    description:
      'The encoding of a text file, such as `windows-1250` or `shift_jis`. Default: the `charset` of the content ' +
      'type; otherwise it is recognized, and the answer is `file_ambiguous` if several are likely.',
  }),
  sheet: optionalString({
    maxLength: 100,
    description:
      'The name of the sheet of a workbook. Default: the one that has a table; the answer is `file_ambiguous` if ' +
      'several do.',
  }),
  header_row: optionalInteger({
    minimum: 1,
    maximum: 999_999,
    description: 'The line that names the columns, from 1; of a workbook, its row. Default: it is found.',
  }),
  apply: Type.Boolean({
    default: false,
    description:
      'Apply the file without asking, if no question is open and all of its rows can be read, or any with ' +
      '`all_or_none=false`: as a scheduler does with files whose mapping the company has used before, or whose ' +
      'columns are named as the API names attributes. Otherwise, the file is only stored and previewed.',
  }),
  all_or_none: ALL_OR_NONE,
  corrects: optionalString({
    pattern: '^log_[0-9a-z]{26}(,log_[0-9a-z]{26})*$',
    maxLength: 31 * MAX_CORRECTIONS,
    description:
      'The ids of the failed entries that the file corrects, separated by commas. Default: those in its column ' +
      '`log_id`. The column `index` says which records the rows are. Without it, a file that has as many rows as ' +
      'the entry has records, or refused records, has these, in the order of the call.',
  }),
})

export const ApplyQuery = strictObject({
  all_or_none: ALL_OR_NONE,
  deactivate: Type.Integer({
    minimum: 0,
    default: 0,
    description:
      'How many people the upload may deactivate because they are not in its file: the `count` of their list.',
  }),
  beside: Type.Integer({
    minimum: 0,
    default: 0,
    description:
      'How many people may have been deactivated otherwise since yesterday, if they and those of this file are more ' +
      'than one in ten: the `beside` of their list.',
  }),
})

const Counts = Type.Object(
  { created: Count, changed: Count, unchanged: Count, refused: Count, unreadable: Count, inactive: Count },
  {
    description:
      'The rows by what a call would do to them without those that are refused or unreadable, which ' +
      '`all_or_none=false` leaves out. Of the changed and unchanged rows, `inactive` name inactive employees and ' +
      'set no status, so these stay inactive.',
  },
)

const Part = Type.Object({
  number: PartNumber,
  kind: oneOf(['rows', 'missing_people'], 'Whether the rows are those of the file, or people who are not in it.'),
  first_row: Type.Integer({ description: 'From 1. The line that names the columns does not count.' }),
  rows: Count,
  erased: count('How many of the rows were erased with a person.'),
  counts: Type.Union([Counts, Type.Null({ description: 'Not counted yet.' })]),
  state: oneOf(
    ['waiting', 'applied', 'refused', 'canceled'],
    'What became of the part. A refused part changed nothing. One without a readable row has no entry.',
  ),
  log_id: text('The id that the entry of the part has, or will have.'),
})

const Facts = Type.Object({
  id: text('`upl_…`'),
  state: oneOf(
    ['previewing', 'previewed', 'applying', 'stopped', 'ended'],
    '`previewing`: what each part would do is being counted. `previewed`: it can be applied. `applying`: part ' +
      'after part becomes a call. `stopped`: its user is no longer an administrator; once they are again, apply it ' +
      'to resume. `ended`: every part was applied, refused, or canceled.',
  ),
  file_name: Type.String(),
  operation: oneOf(UPLOAD_OPERATIONS),
  user_id: text('Who uploaded the file. Only this user can apply it.'),
  rows: Count,
  all_or_none: flag(
    'Whether a row that cannot be applied keeps its part from being applied, once the upload is applied.',
  ),
  corrects: Type.Array(Type.String(), { description: 'The ids of the failed entries that the file corrects.' }),
  created_at: Time,
  expires_at: Type.String({ format: 'date-time', description: 'When the upload is deleted. Its entries stay.' }),
})

const Summary = Type.Object(
  {
    text: text('The numbers in one line, to mail it.'),
    rows: Count,
    applied: Count,
    created: Count,
    changed: Count,
    unchanged: Count,
    refused: Count,
    canceled: Count,
    waiting: Count,
    erased: Count,
  },
  {
    description:
      'What became of the rows: `applied`, `refused`, `canceled`, `waiting`, and `erased` add up to `rows`, and ' +
      '`created`, `changed`, and `unchanged` to `applied`. `not-applied.csv` has the refused, canceled, and ' +
      'waiting ones.',
  },
)

const LeftOutRows = Type.Object({
  line: Type.Union([Type.Integer(), Type.Null({ description: 'About the whole file, or a sheet of it.' })], {
    description: 'The first line, from 1; of a workbook, the row.',
  }),
  last_line: nullable(Type.Integer()),
  reason: oneOf(LEFT_OUT_REASONS),
  message: Type.String(),
})

export const ShownUpload = Type.Object(
  {
    ...Facts.properties,
    questions: Type.Array(ShownQuestion, {
      description:
        'What the mapping leaves open. Rows cannot be read before it is answered, or `unreadable_values` is ' +
        '`leave_out`.',
    }),
    needs_review: flag(
      'Whether a person has to look at what the columns mean, before a program applies the file: it is proposed, ' +
        'or columns that the company used before are gone. `apply=true` applies no such file. Setting the mapping, ' +
        'or applying the file, says that somebody has looked.',
    ),
    header_row: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The line that names the columns. Null for JSON, and when it is not known any more.',
    }),
    left_out: Type.Array(LeftOutRows, {
      description: 'What was left out, such as titles and totals.',
    }),
    left_out_omitted: Count,
    parts: Type.Array(Part),
    summary: Summary,
  },
  { $id: 'Upload' },
)
export const UploadList = Type.Object({ items: Type.Array(Facts) })

const PlacedError = Type.Object({
  row: nullable(Type.Integer()),
  line: Type.Union([Type.Integer(), Type.Null({ description: 'Of a JSON file.' })]),
  pointer: text('JSON Pointer into the record; empty for the row itself, or a cell that cannot be read.'),
  message: Type.String(),
})

export const ShownPreview = Type.Object(
  {
    number: PartNumber,
    counts: Counts,
    errors: Type.Array(PlacedError, { description: 'The first errors.' }),
    errors_omitted: Count,
    notes: Type.Array(PlacedError, { description: 'The first values that were left out, as the mapping says.' }),
    unknown_columns: Type.Array(Type.String(), { description: 'The columns that become nothing.' }),
    rows_awaiting_managers: Type.Integer({
      description: 'The rows whose managers are in earlier parts. The preview leaves these managers out.',
    }),
  },
  { $id: 'UploadPreview' },
)

/** The most errors in a preview. */
const MAX_ERRORS = 1_000

/** Renders an upload without its parts. */
export function renderUploadFacts(upload: StoredUpload) {
  return render(Facts, { ...upload, allOrNone: upload.isAllOrNone })
}

/** Renders an upload and its parts. */
export function renderUpload(upload: StoredUpload, parts: readonly StoredPart[], notes: TableNotes | null) {
  return {
    ...renderUploadFacts(upload),
    header_row: notes?.headerLine ?? null,
    left_out: (notes?.leftOut ?? []).map((rows) => render(LeftOutRows, rows)),
    left_out_omitted: notes?.leftOutMore ?? 0,
    questions: upload.mapping ? listQuestions(upload.mapping) : [],
    needs_review: upload.mapping?.needs_review ?? false,
    parts: parts.map((part) =>
      render(Part, { ...part, kind: part.missingOf === null ? 'rows' : 'missing_people', logId: part.callId }),
    ),
    summary: { text: describeSummary(upload, parts), ...summarize(partsOfFile(parts)) },
  }
}

/** Says what became of a file in one line: `staff.csv: 500 rows: 1 created, 2 changed, 496 unchanged, 1 refused`. */
function describeSummary({ fileName, state }: StoredUpload, parts: readonly StoredPart[]): string {
  const { rows, created, changed, unchanged, ...all } = summarize(partsOfFile(parts))
  const missing = summarize(parts.filter(({ missingOf }) => missingOf !== null)).applied
  const done = [`${created} created`, `${changed} changed`, `${unchanged} unchanged`, `${all.refused} refused`]
  const others = (['canceled', 'waiting', 'erased'] as const).filter((name) => all[name] > 0)
  const absent = missing === 0 ? [] : [`${missing} not in the file and deactivated`]
  const counts = [...done, ...others.map((name) => `${all[name]} ${name}`), ...absent].join(', ')
  return `${fileName}: ${rows} ${rows === 1 ? 'row' : 'rows'}: ${counts}${state === 'ended' ? '' : ` (${state})`}`
}

/** Renders what a part would do. */
export function renderPartPreview(number: number, { counts, records, errors, refusal, awaiting }: PartPreview) {
  const all = [
    ...records.faults.map(renderFault),
    ...errors.map(({ index, pointer, message }) => {
      const { row, line = null } = records.rows[index]!
      return { row, line, pointer: pointer.replace(/^(?:\/employees)?\/\d+/, ''), message }
    }),
    ...(refusal ? [{ row: null, line: null, pointer: '', message: refusal.detail }] : []),
  ]
  return {
    number,
    counts,
    errors: all.slice(0, MAX_ERRORS),
    errors_omitted: Math.max(0, all.length - MAX_ERRORS),
    notes: records.notes.map(renderFault),
    unknown_columns: [...records.unused],
    rows_awaiting_managers: awaiting,
  }
}

function renderFault({ line, column, message }: FileFault) {
  return { row: null, line, pointer: '', message: column === null ? message : `Column ${column}: ${message}` }
}
