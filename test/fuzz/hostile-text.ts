import fc from 'fast-check'
import { anyCodePoint } from '../support/domain/arbitraries.ts'

/* Texts that often break programs, for addresses, headers, forms and JSON members. */

/** Part of the values that are sent. No problem, log line or other company may ever show it. */
export const CANARY = 'canary7q2x'

/** Markup around it: a page may show it as text, never as an element. */
const CANARY_MARKUP = `"'><canary7q2x onload=alert(1)>`

/** Placeholders for things in a batch's world; `world.ts` fills them in when a request is sent. */
const THINGS = [
  'employee',
  'other-employee',
  'log',
  'key',
  'user',
  'token',
  'their-employee',
  'their-log',
  'their-key',
  'their-user',
  'upload',
  'their-upload',
  'webhook',
  'their-webhook',
  'delivery',
  'cursor',
  'key-cursor',
  'invitation',
  'company',
] as const

export type Thing = (typeof THINGS)[number]

/** A thing's placeholder in a request that is not yet sent. */
export const placeholder = (thing: Thing): string => `{{${thing}}}`

export const anyThing: fc.Arbitrary<string> = fc.constantFrom(...THINGS).map(placeholder)

/** Addresses, each in several forms that Unicode or a mail server treats as equal. */
const EMAILS = [
  'josé@example.com',
  'jose\u0301@example.com',
  'JOSÉ@EXAMPLE.COM',
  'josé＠example.com',
  'ﬁona@example.com',
  'fiona@example.com',
  '\u212aim@example.com',
  'kim@example.com',
  'kim@example.com\u200b',
  ' kim@example.com ',
  'kim@xn--exmple-cua.com',
  'İ@example.com',
  'ß@example.com',
  'SS@example.com',
  `${CANARY}@example.com`,
  `"${CANARY} x"@example.com`,
]

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'length',
  'toJSON',
]

const BENT = [
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufffe',
  '\uffff',
  '\u202e',
  '\u2028',
  '\u0085',
  '\u00ad',
  '\ufeff',
  '👩‍👩‍👧‍👦',
  'e\u0301'.repeat(100),
  '\u{10ffff}',
  '\u001b[31m',
  '\r\nx-evil: 1',
  '\t\n\v',
]

const INJECTIONS = [
  `' or '1'='1`,
  `'; drop table events; --`,
  '%',
  '_',
  '\\',
  '%_\\%',
  '$1',
  '${7*7}',
  '{{7*7}}',
  '=1+1',
  '@SUM(A1)',
  '../../etc/passwd',
  '..\\..',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  '//evil.example',
  'javascript:alert(1)',
  CANARY_MARKUP,
]

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '2',
  '50',
  '200',
  '201',
  '10000',
  '10001',
  '2147483647',
  '2147483648',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999',
  '1e3',
  '1e400',
  '1.5',
  '0x10',
  '٣',
  'NaN',
  'Infinity',
  '١٢',
]

const TIMES = [
  '2026-11-20',
  '2026-02-30',
  '2026-11-20T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2026-11-20T00:00:00.123456789Z',
  '2026-11-20 00:00:00',
  'yesterday',
  'infinity',
  'epoch',
]

const PHONES = [
  '030 123456',
  '(030) 12 34-56',
  '0049 30 123456',
  'tel:+49-30-123456;ext=3',
  'tel:tel:030',
  '+49 (0) 30 123456',
  '+0',
  '00',
  '+',
  '12',
  '1-800-FLOWERS',
  '٠٣٠ ١٢٣٤٥٦',
  '０３０１２３４５６',
  '0'.repeat(64),
  `030${' '.repeat(61)}`,
  '030 123456\u200b',
  `+49${CANARY}`,
]

/** Names as people have them, and texts that only look like one. */
const SPELLINGS = [
  'Zoe\u0308',
  'Zoë',
  ' Zoë\u00a0',
  '\u200bZoë\ufeff',
  'می\u200cخواهم',
  '\u200c',
  'a\u200db',
  'E-1\u00a0',
  'e\u0301-3',
  '\u3164',
]

const IDS = [
  'emp_01h455vb4pex5vsknk084sn02q',
  'log_01h455vb4pex5vsknk084sn02q',
  'key_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'usr_00000000000000000000000000',
  'EMP_01H455VB4PEX5VSKNK084SN02Q',
  'emp_01h455vb4pex5vsknk084sn02',
  '00000000-0000-0000-0000-000000000000',
  'emp_',
]

const PLAIN = [
  '',
  ' ',
  'a',
  'active',
  'inactive',
  'enabled',
  'disabled',
  'revoked',
  'pending',
  'removed',
  'Completed',
  'Failed',
  'create',
  'update_one',
  'update_many',
  'proof',
  'true',
  'false',
  'null',
  'admin',
  'auditor',
  'member',
  'hourly',
  'daily',
  'weekly',
  'monthly',
  'Asia/Tokyo',
  'UTC',
  'Nowhere/Land',
  'DE',
  'us',
  'AQ',
  'QQ',
  'audit',
  'others',
  'all',
  'employees',
  'bulk-user-logs',
  'EmployeeCreated',
  'a long enough password',
  'MTo1',
  'MTo',
  'MTo5OTk5OTk5OTk5OTk5OTk',
  '1',
]

/** Long enough to exceed every limit on a text, but none on a request. */
const LONG = ['x'.repeat(255), 'x'.repeat(1_001), CANARY.repeat(300), '👩'.repeat(2_000), '('.repeat(500)]

/** Any text, including lone surrogates and U+0000. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 3, arbitrary: anyThing },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...EMAILS) },
  { weight: 2, arbitrary: fc.constantFrom(...TIMES) },
  { weight: 1, arbitrary: fc.constantFrom(...PHONES) },
  { weight: 1, arbitrary: fc.constantFrom(...SPELLINGS) },
  { weight: 1, arbitrary: fc.constantFrom(...IDS) },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constantFrom(...BENT) },
  { weight: 2, arbitrary: fc.constantFrom(...INJECTIONS) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
  { weight: 2, arbitrary: fc.string({ unit: anyCodePoint, maxLength: 30 }).map((text) => CANARY + text) },
)

/** Unexpected names of members, parameters and form fields. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.constantFrom('', ' ', 'a/b~c', 'employees', 'id', 'x'.repeat(5_000), '\ud800', '\0'),
  fc.string({ unit: anyCodePoint, maxLength: 10 }),
)

/** Numbers in valid and invalid JSON notation. */
export const numberLiteral: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('0', '-0', '1', '-1', '1.5', '1e5', '365', '604800', '2147483648') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '1e400',
      '-1e400',
      '1e-400',
      '9007199254740993',
      '0.1e-7',
      `1${'0'.repeat(400)}`,
      `0.${'0'.repeat(400)}1`,
      '9'.repeat(17),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('01', '1.', '.5', '+1', 'NaN', 'Infinity', '0x1', '1_000', '--1') },
)
