import t from 'tap'
import { ATTRIBUTE_NAMES, ATTRIBUTE_RULES, readProvenEmail } from '../../../src/domain/attributes.ts'
import { normalizeEmail } from '../../../src/text/normalize-text.ts'
import { emp, faultsOf, given, hired, person } from '../../support/domain/given-when-then.ts'

const text = (length: number) => 'x'.repeat(length)
const emoji = (length: number) => '🙂'.repeat(length)

const REFUSED: [field: string, sent: unknown, code: string, why: string][] = [
  ...['first_name', 'last_name'].flatMap((name): typeof REFUSED => [
    [name, text(81), 'too_long', 'has 81 characters'],
    [name, emoji(81), 'too_long', 'has 81 characters beyond the basic plane'],
    [name, 'A\u202ena', 'invalid_format', 'has a bidirectional override'],
    [name, 'A\u200dna', 'invalid_format', 'has a lone joiner'],
    [name, 'Ana 1\ufe0f', 'invalid_format', 'has half of a keycap'],
    [name, 'Ana\nPerez', 'invalid_format', 'has a line feed'],
    [name, 7, 'invalid_type', 'is a number'],
    [name, ['Ana'], 'invalid_type', 'is an array'],
  ]),
  ['email', null, 'required', 'is null'],
  ['email', ' ', 'required', 'is blank'],
  ['email', true, 'invalid_type', 'is a boolean'],
  ['email', `${text(243)}@example.com`, 'too_long', 'has 255 characters'],
  ['email', `${'\ufb03'.repeat(81)}@example.com`, 'too_long', 'has 255 characters once it is normalized'],
  ...[
    ['ana', 'has no @'],
    ['@example.com', 'has no local part'],
    ['ana@', 'has no domain'],
    ['ana@example', 'has a domain of one label'],
    ['ana@@example.com', 'has two @'],
    ['ana@exa_mple.com', 'has an underscore in its domain'],
    ['ana@-example.com', 'has a label that begins with a hyphen'],
    ['ana@example-.com', 'has a label that ends with a hyphen'],
    ['ana@example..com', 'has an empty label'],
    ['ana@example.com.', 'ends with a dot'],
    ['.ana@example.com', 'begins with a dot'],
    ['ana.@example.com', 'has a dot before the @'],
    ['a..a@example.com', 'has two dots in a row'],
    ['a a@example.com', 'has a space'],
    ['a\u0007a@example.com', 'has a control character'],
    ['a\u200ba@example.com', 'has an invisible character'],
    ['Ana <ana@example.com>', 'has a display name'],
    ['ana@[127.0.0.1]', 'has an address instead of a domain'],
  ].map(([sent, why]): (typeof REFUSED)[number] => ['email', sent, 'invalid_format', why!]),
  ['external_id', 'E\u00ad1', 'invalid_format', 'has a soft hyphen'],
  ['external_id', text(129), 'too_long', 'has 129 characters'],
  ['external_id', 7, 'invalid_type', 'is a number'],
  ['employee_number', text(65), 'too_long', 'has 65 characters'],
  ...['job_title', 'department', 'division', 'location'].flatMap((name): typeof REFUSED => [
    [name, text(121), 'too_long', 'has 121 characters'],
    [name, {}, 'invalid_type', 'is an object'],
  ]),
  ...[
    '1',
    '+',
    '+1',
    '+0123456',
    '34600123456',
    '0151 1',
    '+12',
    '+999123456',
    '+1234567890123456',
    '+123a',
    '+34 600 123 456 ext. 5',
    'x'.repeat(65),
  ].map((sent): (typeof REFUSED)[number] => ['phone', sent, 'invalid_format', `is ${JSON.stringify(sent)}`]),
  ['phone', 34600123456, 'invalid_type', 'is a number'],
  ...['start_date', 'termination_date'].flatMap((name): typeof REFUSED => [
    ...[
      ...[
        '2026-02-29',
        '2100-02-29',
        '2026-02-30',
        '2026-04-31',
        '2026-13-01',
        '2026-00-10',
        '2026-01-00',
        '0000-01-01',
      ],
      ...[
        '2026-1-1',
        '20260101',
        '01/02/2026',
        '2026-01-01T00:00:00+02:00',
        '2026-01-01T00:00:00-00:00',
        '2026-01-01T00:00:01Z',
        '2026-01-01T12:00',
        '2026-02-30T00:00:00Z',
        '+02026-01-01',
        '２026-01-01',
      ],
    ].map((sent): (typeof REFUSED)[number] => [name, sent, 'invalid_format', `is ${JSON.stringify(sent)}`]),
    ...['0001-01-01', '0001-01-01T00:00:00', '0999-12-31'].map((sent): (typeof REFUSED)[number] => [
      name,
      sent,
      'invalid_value',
      `is ${JSON.stringify(sent)}`,
    ]),
    [name, 20260101, 'invalid_type', 'is a number'],
  ]),
  ['user_name', 'x'.repeat(255), 'too_long', 'has 255 characters'],
  ['user_name', '\ufdfa'.repeat(200), 'too_long', 'is longer as it is compared'],
  ['directory_external_id', 'x'.repeat(257), 'too_long', 'has 257 characters'],
  ['status', 'Active', 'invalid_value', 'is in upper case'],
  ['status', 'terminated', 'invalid_value', 'is no status'],
  ['status', '', 'required', 'is empty'],
  ['status', null, 'null_not_allowed', 'is null'],
  ['status', true, 'invalid_type', 'is a boolean'],
  ['custom_attributes', 'x', 'invalid_type', 'is a string'],
  ['custom_attributes', [], 'invalid_type', 'is an array'],
]

await t.test('the limit of every text is tested', async (t) => {
  const limited = ATTRIBUTE_NAMES.filter((name) => 'max' in ATTRIBUTE_RULES[name])
  const tested = new Set(REFUSED.filter(([, , code]) => code === 'too_long').map(([field]) => field))
  t.strictSame(
    limited.filter((name) => !tested.has(name)),
    [],
  )
})

for (const [field, cases] of Map.groupBy(REFUSED, ([field]) => field)) {
  await t.test(`${field} in a wrong form is refused, at creation and in a patch`, async (t) => {
    for (const [, sent, code, why] of cases) {
      t.strictSame(faultsOf(given().create(person(1, { [field]: sent }))), [`/${field} ${code}`], `create: it ${why}`)
      t.strictSame(
        faultsOf(given(hired(1)).updateOne(emp(1), { [field]: sent })),
        [`/${field} ${code}`],
        `patch: it ${why}`,
      )
    }
  })
}

const ACCEPTED: [field: string, sent: unknown, stored: unknown][] = [
  ['first_name', '  Ana María\u00a0', 'Ana María'],
  ['first_name', `  ${text(80)}  `, text(80)],
  ['first_name', ' \t\u00a0\n', null],
  ['first_name', 'Zoe\u0308', 'Zoë'],
  ['last_name', emoji(80), emoji(80)],
  ['last_name', '', null],
  ['last_name', 'می\u200cخواهم', 'می\u200cخواهم'],
  // Emoji: keycaps, a heart in color, a profession, a flag of a region; a variant of a kanji, and of a Mongolian letter.
  ...['1', '#', '*'].map((key): (typeof ACCEPTED)[number] => ['job_title', `${key}\ufe0f\u20e3`, `${key}\ufe0f\u20e3`]),
  ...[
    '❤\ufe0f',
    '👩🏽\u200d💻',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '葛\u{e0100}城',
    'ᠠ\u180bᠨ',
  ].map((kept): (typeof ACCEPTED)[number] => ['job_title', kept, kept]),
  ['email', 'ANA@Example.COM', 'ana@example.com'],
  ['email', 'ａｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ana@example.com'],
  ['email', 'JOS\u0045\u0301@example.com', 'josé@example.com'],
  ['email', ' ana@example.com\u00a0', 'ana@example.com'],
  ['email', "o'hara+hr_1@sub.example.co", "o'hara+hr_1@sub.example.co"],
  ['email', 'ana@bücher.example', 'ana@bücher.example'],
  ['email', `${text(242)}@example.com`, `${text(242)}@example.com`],
  ['external_id', 'Ab-1', 'Ab-1'],
  ['external_id', '\ufeff padded\u200b ', 'padded'],
  ['external_id', '', null],
  ['external_id', emoji(128), emoji(128)],
  ['external_id', null, null],
  ['employee_number', text(64), text(64)],
  ['employee_number', '', null],
  ['job_title', emoji(120), emoji(120)],
  ['department', null, null],
  ['division', '   ', null],
  ['location', 'constructor', 'constructor'],
  ['manager_id', null, null],
  ...[
    '+34600123456',
    '+34 600 12-34.56',
    '0034 (600) 123 456',
    'tel:+34-600-123-456',
    ' +34\u00a0600\u00a0123\u00a0456\n',
    '＋３４６００１２３４５６',
  ].map((sent): (typeof ACCEPTED)[number] => ['phone', sent, '+34600123456']),
  ['phone', '+80012345678', '+80012345678'],
  ['phone', '', null],
  ['phone', null, null],
  ['start_date', '2024-02-29', '2024-02-29'],
  ['start_date', '2000-02-29', '2000-02-29'],
  ['start_date', '1000-01-01', '1000-01-01'],
  ...[
    'T00:00:00Z',
    'T00:00:00',
    't00:00:00.000z',
    ' 00:00',
    ' ',
    'T00:00:00+00:00',
    'T00:00:00.000+0000',
    ' 00:00:00+00',
  ].map((end): (typeof ACCEPTED)[number] => ['start_date', `2026-01-01${end}`, '2026-01-01']),
  ['start_date', '', null],
  ['termination_date', '9999-12-31', '9999-12-31'],
  ['termination_date', null, null],
  ['status', 'inactive', 'inactive'],
  ['custom_attributes', null, {}],
]

for (const [field, cases] of Map.groupBy(ACCEPTED, ([field]) => field)) {
  await t.test(`${field} within its limits is accepted and normalized, at creation and in a patch`, async (t) => {
    for (const [, sent, stored] of cases) {
      const [created] = given().create(person(1, { [field]: sent })).outcomes
      t.strictSame(created?.employee![field as 'email'], stored, `create: ${JSON.stringify(sent).slice(0, 40)}`)
      const [patched] = given(hired(1)).updateOne(emp(1), { [field]: sent }).outcomes
      t.strictSame(patched?.employee![field as 'email'], stored, `patch: ${JSON.stringify(sent).slice(0, 40)}`)
    }
  })
}

await t.test('null clears every clearable attribute in a patch', async (t) => {
  const kept = ['last_name', 'email', 'status', 'custom_attributes', 'manager_id']
  const clearable = ATTRIBUTE_NAMES.filter((name) => !kept.includes(name))
  const dates = { start_date: '2026-01-01', termination_date: '2026-01-02', phone: '+34600123456' }
  const set = Object.fromEntries(clearable.map((name) => [name, dates[name as 'phone'] ?? 'x']))
  const cleared = Object.fromEntries(clearable.map((name) => [name, null]))
  const { outcomes } = given(hired(1, set)).updateOne(emp(1), cleared)
  t.strictSame(outcomes[0]?.changed, clearable)
  t.match(outcomes[0]?.employee, cleared)
})

await t.test('an e-mail is normalized to NFKC and lower case', async (t) => {
  t.equal(normalizeEmail('ﬁONA@EXAMPLE.COM'), 'fiona@example.com')
  t.equal(normalizeEmail('\u212A@x.com'), 'k@x.com', 'the Kelvin sign')
  t.equal(normalizeEmail('e\u0301@x.com'), normalizeEmail('\u00c9@x.com'))
})

await t.test(
  'an e-mail proves the stored one only if A to Z alone differ in case, with every letter of Unicode',
  (t) => {
    const proves: string[] = []
    for (let point = 0x80; point <= 0x10ffff; point += 1) {
      const email = `mar${String.fromCodePoint(point)}@example.com`
      const proven = readProvenEmail(email)
      if (proven !== null && proven !== email) proves.push(point.toString(16))
    }
    t.strictSame(proves, [])
    t.equal(readProvenEmail('MARK@Example.com'), 'mark@example.com')
    for (const domain of ['b\u00fccher.example', 'xn--bcher-kva.example', 'XN--BCHER-KVA.example'])
      t.equal(readProvenEmail(`MARK@${domain}`), 'mark@b\u00fccher.example')
    for (const email of ['mar\u212a@example.com', 'mark\uff20example.com', 'mark@BU\u0308CHER.example', 'mark', null])
      t.equal(readProvenEmail(email), null)
    t.end()
  },
)

await t.test(
  'an e-mail far beyond the limit is refused before normalization, which could multiply its length',
  async (t) => {
    const normalize = t.capture(String.prototype, 'normalize', String.prototype.normalize)
    const sent = `${'\ufdfa'.repeat(10_000)}@example.com`
    t.strictSame(faultsOf(given().create(person(1, { email: sent }))), ['/email too_long'])
    t.strictSame(
      normalize().filter(({ receiver }) => String(receiver) === sent),
      [],
    )
  },
)

await t.test('null changes nothing where 1.0.0 stored an empty text, and a value does', async (t) => {
  const company = given(hired(1, { job_title: '', custom_attributes: { grade: '', level: '' } }))
  const [cleared] = company.updateOne(emp(1), { job_title: null, custom_attributes: { grade: null } }).outcomes
  t.match(cleared, { result: 'no_updates', changed: [] })
  const [set] = company.updateOne(emp(1), { job_title: 'Dev', custom_attributes: { grade: 7 } }).outcomes
  t.strictSame(set?.changed, ['job_title', 'custom_attributes.grade'])
  t.strictSame(set?.employee?.custom_attributes, { grade: 7, level: '' })
})
