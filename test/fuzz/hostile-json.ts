import fc from 'fast-check'
import { readConfig } from '../../src/config.ts'
import { anyCreation, anyPatch, hostileRecord } from '../support/domain/arbitraries.ts'
import type { Schema } from '../support/http/schema-fits.ts'
import { CANARY, hostileName, hostileText, numberLiteral, placeholder } from './hostile-text.ts'

/*
 * Bodies as JSON text, because parsing would remove much of what is hostile. A body is a list of pieces, so that even
 * 8 MiB print briefly.
 */

const { MAX_RECORDS } = readConfig({})

/** UTF-8 text, bytes in hexadecimal, or a repeated text. */
export type Piece = string | { hex: string } | { repeat: string; times: number }

/** The bytes of a body. */
export function bytesOf(pieces: readonly Piece[]): Buffer {
  const parts = pieces.map((piece) => {
    if (typeof piece === 'string') return Buffer.from(piece, 'utf8')
    return 'hex' in piece
      ? Buffer.from(piece.hex, 'hex')
      : Buffer.alloc(Buffer.byteLength(piece.repeat) * piece.times, piece.repeat)
  })
  return Buffer.concat(parts)
}

/** A text as a JSON string, with lone surrogates and U+0000 escaped as JSON.stringify does. */
const stringLiteral = hostileText.map((text) => JSON.stringify(text))

const { anyLiteral } = fc.letrec<{ anyLiteral: string }>((tie) => ({
  anyLiteral: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: stringLiteral },
    { weight: 2, arbitrary: numberLiteral },
    { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', '{}', '[]') },
    { weight: 1, arbitrary: fc.array(tie('anyLiteral'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`) },
    { weight: 1, arbitrary: fc.array(fc.tuple(hostileName, tie('anyLiteral')), { maxLength: 3 }).map(objectText) },
  ),
}))

/** Members in the given order; names may repeat. */
function objectText(members: [name: string, literal: string][]): string {
  return `{${members.map(([name, literal]) => `${JSON.stringify(name)}:${literal}`).join(',')}}`
}

/** The items of a list: few, so that most requests with one are not refused for one of them. */
const MOST_ITEMS = 3

/** Usually a value that fits a schema, otherwise anything. */
export function literalOf(schema: Schema): fc.Arbitrary<string> {
  return fc.oneof({ weight: 4, arbitrary: goodLiteral(schema) }, { weight: 1, arbitrary: anyLiteral })
}

function goodLiteral(schema: Schema): fc.Arbitrary<string> {
  const {
    const: only,
    enum: values,
    anyOf,
    type,
    properties,
    items,
  } = schema as {
    const?: unknown
    enum?: unknown[]
    anyOf?: Schema[]
    type?: string
    properties?: Record<string, Schema>
    items?: Schema
  }
  if (only !== undefined) return fc.constant(JSON.stringify(only))
  if (values) return fc.constantFrom(...values.map((value) => JSON.stringify(value)))
  if (anyOf) return fc.oneof(...anyOf.map(goodLiteral))
  if (properties) return objectOf(properties, (schema['required'] ?? []) as string[])
  if (items) return fc.array(literalOf(items), { maxLength: MOST_ITEMS }).map((texts) => `[${texts.join(',')}]`)
  if (type === 'integer' || type === 'number')
    return fc.oneof(
      fc.integer({ min: Number(schema['minimum'] ?? 0), max: Number(schema['maximum'] ?? 1_000) }).map(String),
      numberLiteral,
    )
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  if (type === 'null') return fc.constant('null')
  return stringLiteral
}

/** An object with most of its members, sometimes with a duplicate or an unknown one. */
function objectOf(properties: Record<string, Schema>, required: string[]): fc.Arbitrary<string> {
  const members = Object.entries(properties).map(([name, schema]) => {
    const literal = literalOf(schema).map((text): [string, string][] => [[name, text]])
    return fc.oneof(
      { weight: required.includes(name) ? 9 : 2, arbitrary: literal },
      { weight: 1, arbitrary: fc.constant<[string, string][]>([]) },
    )
  })
  const strange = fc.tuple(fc.oneof(hostileName, fc.constantFrom(...Object.keys(properties), 'id')), anyLiteral)
  const more = fc.oneof(
    { weight: 6, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 1, arbitrary: fc.array(strange, { maxLength: 2 }) },
  )
  return fc.tuple(fc.tuple(...members), more).map(([known, others]) => objectText([...known.flat(), ...others]))
}

const asText = (values: fc.Arbitrary<unknown>) => values.map((value) => JSON.stringify(value) ?? 'null')

/** One record of the employee calls; some fields may hold what no JSON value can. */
const recordText = fc.oneof(
  { weight: 4, arbitrary: asText(anyCreation) },
  {
    weight: 3,
    arbitrary: asText(
      fc
        .tuple(
          fc.constantFrom(
            { id: placeholder('employee') },
            { id: placeholder('other-employee') },
            { id: placeholder('their-employee') },
            { external_id: 'E-1' },
            { email: 'ana@example.com' },
          ),
          anyPatch,
        )
        .map(([locator, patch]) => ({ ...patch, ...locator })),
    ),
  },
  { weight: 2, arbitrary: asText(anyPatch) },
  { weight: 2, arbitrary: asText(hostileRecord(CANARY)) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom(
              'id',
              'first_name',
              'last_name',
              'email',
              'external_id',
              'phone',
              'start_date',
              'status',
              'custom_attributes',
              'manager_id',
              'manager_email',
              'manager_external_id',
            ),
            hostileName,
          ),
          anyLiteral,
        ),
        { maxLength: 6 },
      )
      .map(objectText),
  },
  { weight: 1, arbitrary: anyLiteral },
)

/** A count near the limits, or far above. */
const manyOf = (...limits: number[]) =>
  fc.oneof(fc.constantFrom(...limits.flatMap((limit) => [limit - 1, limit, limit + 1])), fc.constantFrom(500, 5_000))

/** Members with distinct names, all equally bad. */
const manyMembers = (count: fc.Arbitrary<number>) =>
  fc
    .tuple(count, hostileName, anyLiteral)
    .map(([times, name, literal]): [string, string][] =>
      Array.from({ length: times }, (_, at) => [`${name}${at}`, literal]),
    )

/** A record with many members, and with many errors. */
const wideRecord = fc
  .tuple(
    fc.constantFrom<[string, string][]>(
      [],
      [['id', JSON.stringify(placeholder('employee'))]],
      [
        ['email', '"wide@example.com"'],
        ['status', '1'],
      ],
    ),
    manyMembers(manyOf(16, 128)),
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<[string, string][]>([]) },
      { weight: 1, arbitrary: manyMembers(manyOf(32, 256)) },
    ),
  )
  .map(([own, members, custom]) =>
    objectText([
      ...own,
      ...members,
      ...(custom.length === 0 ? [] : [['custom_attributes', objectText(custom)] as [string, string]]),
    ]),
  )

/** The length of a long list: enough to exceed every limit, and quick to send. */
const MANY_CHARACTERS = 400_000

/** Records with some errors each, more than one answer lists; or elements that are not records. */
const manyElements = fc
  .tuple(
    fc.oneof(
      wideRecord.filter((text) => text.length < 6_000),
      fc.constantFrom('0', 'null', '[]', '{}', '{"id":"x","a":1}', '{"email":"same@example.com"}'),
    ),
    fc.constantFrom(63, MAX_RECORDS - 1, MAX_RECORDS + 1, 50_000),
  )
  .map(
    ([element, times]) =>
      `[${Array.from({ length: Math.min(times, Math.floor(MANY_CHARACTERS / element.length)) }, () => element).join(',')}]`,
  )

const recordsText = fc.oneof(
  { weight: 60, arbitrary: fc.array(recordText, { maxLength: 4 }).map((records) => `[${records.join(',')}]`) },
  { weight: 1, arbitrary: manyElements },
)

/** A body of the three writing calls. */
export const employeesBody: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: recordText },
  { weight: 3, arbitrary: recordsText },
  { weight: 3, arbitrary: recordsText.map((records) => `{"employees":${records}}`) },
  { weight: 1, arbitrary: wideRecord },
  { weight: 1, arbitrary: fc.tuple(recordsText, recordsText).map(([a, b]) => `{"employees":${a},"employees":${b}}`) },
)

/** Invalid UTF-8: overlong, a surrogate, beyond Unicode, cut off, alone; and marks of other encodings. */
const BAD_BYTES = [
  'c0af',
  'e080af',
  'f08080af',
  'eda080',
  'eda0bdedb8b0',
  'f4908080',
  'f7bfbfbf',
  'c3',
  'e282',
  'ff',
  'fe',
  '80',
  'fffe',
  '00',
  'efbbbf',
  '0d0a',
]

/** Sizes that have crashed parsers. */
const HUGE: readonly (readonly Piece[])[] = [
  [{ repeat: '[', times: 100_000 }],
  [
    { repeat: '[', times: 100_000 },
    { repeat: ']', times: 100_000 },
  ],
  [{ repeat: '{"a":', times: 100_000 }, '1', { repeat: '}', times: 100_000 }],
  [{ repeat: '[', times: 8 * 1024 * 1024 }],
  [{ repeat: '[', times: 8 * 1024 * 1024 + 1 }],
  ['{"employees":[', { repeat: '{},', times: 2 * MAX_RECORDS }, '{}]}'],
  ['[', { repeat: '{"email":1},', times: MAX_RECORDS - 1 }, '{}]'],
  ['[', { repeat: '0,', times: 50_000 }, '0]'],
  ['[', { repeat: '0,', times: 4_000_000 }, '0]'],
  ['[', { repeat: '1e1,', times: 2_000_000 }, '1]'],
  ['{"custom_attributes":{"', { repeat: 'k', times: 2_000_000 }, '":[]}}'],
  ['{"first_name":"', { repeat: 'a', times: 1_000_000 }, '"}'],
  ['{"custom_attributes":{', { repeat: '"a":1,', times: 20_000 }, '"a":1}}'],
  ['{"a":', { repeat: '9', times: 300_000 }, '}'],
  ['["', { repeat: String.raw`\u0000`, times: 50_000 }, '"]'],
  [{ repeat: ' ', times: 1_000_000 }, '{}'],
  [{ repeat: 'a=b&', times: 15_000 }],
]

/** How a body is damaged in transit, if at all. */
const breaking = fc.oneof(
  { weight: 12, arbitrary: fc.constant((text: string): Piece[] => [text]) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(2_000), fc.constantFrom(...BAD_BYTES)).map(([at, hex]) => (text: string): Piece[] => [
      text.slice(0, at),
      { hex },
      text.slice(at),
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.nat(200).map((length) => (text: string): Piece[] => [text.slice(0, length)]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...BAD_BYTES).map((hex) => (text: string): Piece[] => [{ hex }, text]),
  },
  {
    weight: 1,
    arbitrary: fc.constant((text: string): Piece[] => [{ hex: Buffer.from(text, 'utf16le').toString('hex') }]),
  },
)

/** A body's bytes as sent: usually as intended, sometimes broken, rarely huge. */
export function sentBody(text: fc.Arbitrary<string>): fc.Arbitrary<readonly Piece[]> {
  const broken = fc.tuple(text, breaking).map(([body, change]): readonly Piece[] => change(body))
  return fc.oneof(
    { weight: 60, arbitrary: broken },
    { weight: 3, arbitrary: anyLiteral.map((body) => [body]) },
    { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
  )
}
