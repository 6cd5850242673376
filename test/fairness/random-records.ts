import fc from 'fast-check'

/* Bodies of calls, composed at random from what is nasty in texts, and from the limits of records and calls. */

/** What is repeated in texts: each costs something else, where it is read, compared, searched, hidden, or shown. */
const UNITS = [
  ...[
    'x',
    'Ab',
    '7',
    ' a',
    '"',
    '\\',
    '/',
    '~',
    '<',
    '&amp;',
    '=1+1',
    'pw:1,',
    'pass a:1 ',
    'Token=',
    "'",
    '\n',
    '@',
    'a.',
  ],
  ...[
    '\u3000a',
    '\u0301',
    'a\u0315\u0300\u0327',
    `a${'\u0315\u0300\u0327\u0316\u0301\u0321'.repeat(4)}`,
    '\u1fb7',
    '\ufdfa',
  ],
  ...['\u1100\u1161\u11a8', '\u0628\u200d', '\u202e\u05d0', '\u{1f468}\u200d', '\u8fbb\u{e0100}', '\u{1f3f4}\u{e0067}'],
  ...[`\u{1f3f4}${'\u{e0067}'.repeat(28)}`, '\u{10ffff}', '\u0915\u094d\u200d', 'ß', 'İ', '\u2028'],
  // Words that names of columns are made of, in more ways than one.
  ...['姓氏', '氏名', '氏名名', 'last', 'day', 'lastday', 'Pass', '密码'],
]
const LENGTHS = [
  1, 20, 40, 41, 64, 65, 128, 254, 255, 256, 257, 512, 1_000, 1_001, 2_000, 8_000, 16_000, 65_000, 1_000_000,
]

const anyUnit = fc.constantFrom(...UNITS)
const lengthUpTo = (most: number) => fc.constantFrom(...LENGTHS.filter((length) => length <= most))
/** A text of one unit, or two, and an end that makes it another one. */
const textUpTo = (most: number) =>
  fc
    .tuple(anyUnit, fc.option(anyUnit, { freq: 3 }), lengthUpTo(most))
    .map(([unit, other, length]) => ({ unit: unit + (other ?? ''), length }))

type Text = { unit: string; length: number }

function write({ unit, length }: Text, at: number | string): string {
  const end = String(at)
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, Math.max(0, length - end.length)) + end
  return text.toWellFormed()
}

const FIELDS = [
  ...['first_name', 'last_name', 'email', 'external_id', 'user_name', 'directory_external_id', 'employee_number'],
  ...['job_title', 'department', 'phone', 'start_date', 'status', 'manager_id', 'manager_email', 'manager_external_id'],
  ...['id', 'version'],
]

/** Members of a record: made for the record at an index, so that no two records are the same. */
type Members = (at: number) => [string, unknown][]

const anyFields = fc.tuple(fc.subarray(FIELDS, { minLength: 1 }), textUpTo(1_000_000)).map(
  ([names, text]): Members =>
    (at) =>
      names.map((name) => [name, write(text, at)]),
)
const anyCustom = fc
  .tuple(fc.constantFrom(1, 31, 32, 33, 128, 255, 256, 257), textUpTo(512), textUpTo(16_000), fc.nat(3))
  .map(([count, name, value, kind]): Members => (at) => {
    const values = Array.from({ length: count }, (_, key) => {
      const shown = kind === 0 ? null : kind === 1 ? [write(value, at)] : write(value, `${at}-${key}`)
      return [write(name, `${key}`), shown] as const
    })
    return [['custom_attributes', Object.fromEntries(values)]]
  })
const anyUnknown = fc.tuple(fc.constantFrom(1, 16, 17, 120, 128, 129), textUpTo(65_000), textUpTo(65_000)).map(
  ([count, name, value]): Members =>
    (at) =>
      Array.from({ length: count }, (_, key) => [write(name, `${key}`), key === 0 ? write(value, at) : { a: [key] }]),
)
const anyNested = fc
  .tuple(fc.constantFrom(...FIELDS, 'x'), fc.constantFrom(2, 20, 28), textUpTo(1_000))
  .map(([name, depth, text]): Members => () => {
    let value: unknown = write(text, '')
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { password: value }
    return [[name, value]]
  })
const valid: Members = (at) => [
  ['first_name', 'Ana'],
  ['external_id', `V-${at}`],
]

/** A body, and what is sent beside it. */
export interface RandomCall {
  name: string
  method: 'POST' | 'PATCH' | 'PUT'
  query: '' | '?all_or_none=false' | '?validate_only=true'
  body: Buffer
}

/** Calls of at most so many records and bytes. */
export function anyCall(maxRecords: number, maxBytes: number): fc.Arbitrary<RandomCall> {
  return fc
    .record({
      method: fc.constantFrom('POST', 'PATCH', 'PUT'),
      query: fc.constantFrom('', '', '?all_or_none=false', '?validate_only=true'),
      parts: fc.array(fc.oneof(anyFields, anyCustom, anyUnknown, anyNested), { minLength: 1, maxLength: 3 }),
      isNamed: fc.boolean(),
      records: fc.constantFrom(1, 2, 8, 9, 100, maxRecords),
      isEscaped: fc.boolean(),
      seed: fc.nat(),
    })
    .map(({ method, query, parts, isNamed, records, isEscaped, seed }) => {
      const body = writeBody([...(isNamed ? [valid] : []), ...parts], records, maxBytes, isEscaped)
      const name = `${method}${query} of ${body.length} bytes, ${seed}: ${body.toString('utf8', 0, 160)}`
      return { name, method, query, body }
    })
}

/** Writes as many of the records as fit. */
function writeBody(parts: readonly Members[], records: number, maxBytes: number, isEscaped: boolean): Buffer {
  const written: Buffer[] = []
  let bytes = 2
  for (let at = 0; at < records; at += 1) {
    const record = JSON.stringify(Object.fromEntries(parts.flatMap((part) => part(at))))
    const json = Buffer.from(isEscaped ? escapeAll(record) : record)
    if (bytes + json.length + 1 > maxBytes) break
    written.push(json)
    bytes += json.length + 1
  }
  return Buffer.from(`[${written.join(',')}]`)
}

/** Writes what is not ASCII with escapes. */
function escapeAll(json: string): string {
  return json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
