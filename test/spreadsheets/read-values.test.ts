import t from 'tap'
import { readAttribute, showCell } from '../../src/spreadsheets/cells.ts'
import type { ColumnMapping, Mapping } from '../../src/spreadsheets/mapping/mapping.ts'
import { listQuestions, USUAL_CHOICES } from '../../src/spreadsheets/mapping/mapping.ts'
import { readDate } from '../../src/spreadsheets/values/read-date.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'
import type { NameRule } from '../../src/spreadsheets/values/split-name.ts'
import { guessNameRule, splitName } from '../../src/spreadsheets/values/split-name.ts'
import { readStatusWord } from '../../src/spreadsheets/words/status-words.ts'
import { proposeFor } from '../support/files/propose-for.ts'
import { isMarkedAsLeft, mentionsLeaving } from '../../src/spreadsheets/words/status-words.ts'

/* The values of cells: what they mean is understood, or asked, and never guessed. */

const TODAY = '2026-03-31'

/** Reads a cell of a column. */
function read(column: Omit<ColumnMapping, 'header'>, cell: string, choices: Partial<Mapping> = {}) {
  const mapping = { ...USUAL_CHOICES, ...choices, columns: [{ header: 'x', ...column }] }
  const file = openRows({ line: 1, cells: ['x'] }, mapping, TODAY)
  const { json, faults, notes } = file.read({ line: 2, cells: [cell] })
  return { record: JSON.parse(json) as unknown, faults: faults.map(({ message }) => message), notes: notes.length }
}

await t.test('dates are read in the formats of many programs', async (t) => {
  const dates: [string, string][] = [
    ['2012-01-09', '2012-01-09'],
    ['2012-01-09T00:00:00.000Z', '2012-01-09'],
    ['2012-01-09 00:00:00', '2012-01-09'],
    ['1/9/2012 12:00:00 AM', '2012-09-01'],
    ['20120109', '2012-01-09'],
    ['40917', '2012-01-09'],
    ['9/1/2012', '2012-01-09'],
    ['09.01.2012', '2012-01-09'],
    ['9-1-12', '2012-01-09'],
    ['9-Jan-98', '1998-01-09'],
    ['9. Jänner 2012', ''],
    ['9. Januar 2012', '2012-01-09'],
    ['January 9, 2012', '2012-01-09'],
    ['9 stycznia 2012', '2012-01-09'],
    ['9 de enero de 2012', ''],
    ['1er janvier 2012', '2012-01-01'],
    ['2012年1月9日', '2012-01-09'],
    ['平成24年1月9日', '2012-01-09'],
    ['令和元年5月1日', '2019-05-01'],
    ['H24.1.9', '2012-01-09'],
    ['民國101年1月9日', '2012-01-09'],
    ['09.01.2012 г.', '2012-01-09'],
    ['H24-1-9', ''],
    ['101/01/09', ''],
    ['2012/1/9', '2012-01-09'],
    ['31/02/2012', ''],
    ['1/13/2012', ''],
    ['soon', ''],
    ['2012-01-09T15:02:00Z', ''],
  ]
  for (const [text, date] of dates) t.equal(readDate(text, 'day_first').value ?? '', date, text)
  for (const text of ['0000-00-00', '00.00.0000', '-', '0']) t.equal(readDate(text, null).value, null, text)
  t.match(readDate('03/04/2019', null), { fault: /may be two different dates/ })
  t.equal(readDate('03/04/2019', 'month_first').value, '2019-03-04')
  t.equal(readDate('13/04/2019', null).value, '2019-04-13')
})

await t.test('years of three digits are asked, and read as those of the Republic of China', async (t) => {
  for (const [text, date] of [
    ['098/08/01', '2009-08-01'],
    ['113.01.31', '2024-01-31'],
    ['98/8/1', '2009-08-01'],
    ['1130131', '2024-01-31'],
  ] as const)
    t.equal(readDate(text, { calendar: 'minguo' }).value, date)
  for (const name of ['到職日', 'Xyz']) {
    const rows = ['098/08/01', '113/01/31', '105/02/28'].map((date, at) => [`${at}@x.example`, 'Ana', 'Ek', date])
    const column = proposeFor(['Email', 'First name', 'Last name', name], rows, TODAY).columns.at(-1)!
    t.equal(column.to, null, name)
    t.equal(column.likely, 'start_date', name)
  }
})

await t.test('the order of a date is asked only if all values of the file fit both orders', async (t) => {
  const datesOf = (...values: string[]) =>
    proposeFor(
      ['Hire date'],
      values.map((value) => [value]),
      TODAY,
    ).columns[0]!.dates
  t.equal(datesOf('03/04/2019', '13/04/2019'), 'day_first')
  t.equal(datesOf('03/04/2019', '04/13/2019'), 'month_first')
  t.equal(datesOf('03/04/2019', '05/05/2019'), null)
  t.equal(datesOf('13/04/2019', '04/13/2019'), null)
  t.equal(datesOf('2019-04-03', '5-May-19'), undefined)
  const other = proposeFor(
    ['Hire date', 'End date'],
    [
      ['03/04/2019', '31/12/2020'],
      ['05/06/2019', ''],
    ],
    TODAY,
  )
  t.strictSame(
    other.columns.map(({ dates }) => dates),
    ['day_first', 'day_first'],
    'another column of the file tells',
  )
})

await t.test('full names are split by a rule, and not where it does not say how', async (t) => {
  const names: [NameRule | null, string, string | null][] = [
    [null, 'Perez, Ana Maria', 'Ana Maria|Perez'],
    [null, 'Ana Perez', null],
    ['first_last', 'Ana Perez', 'Ana|Perez'],
    ['first_last', '  Ana   Perez ', 'Ana|Perez'],
    ['first_last', 'Jörg von der Heide', 'Jörg|von der Heide'],
    ['first_last', 'Ana Maria Perez', null],
    ['first_last', 'Ana', null],
    ['last_first', '山田 太郎', '太郎|山田'],
    ['one_first_name', 'Ana Perez Gomez', 'Ana|Perez Gomez'],
    ['one_last_name', 'Ana Maria Perez', 'Ana Maria|Perez'],
    ['one_last_name', 'Ana Maria de la Cruz', 'Ana Maria|de la Cruz'],
    ['first_last', 'A, B, C', null],
    ['last_first', 'Dr. Horváth Gábor', 'Gábor|Dr. Horváth'],
    ['first_last', 'Prof. Dr. Ana Perez', 'Prof. Dr. Ana|Perez'],
    ['one_last_name_first', 'Dr. Horváth Gábor Péter', 'Gábor Péter|Dr. Horváth'],
    ['first_last', 'Dr. Perez', null],
    ['first_last', 'Md. Karim', 'Md.|Karim'],
    ['one_last_name', 'Robert A. Smith Jr.', 'Robert A.|Smith Jr.'],
    ['first_last', 'Robert Smith, III', 'Robert|Smith III'],
    [null, 'Smith Jr., Robert', 'Robert|Smith Jr.'],
    [null, 'Ana Perez, MD', null],
    [null, 'Jan Novák, Ph.D.', null],
    [null, 'PEREZ GOMEZ, ANA', 'ANA|PEREZ GOMEZ'],
    ['first_last', 'PEREZ Ana', null],
    ['first_last', 'Ana PEREZ', 'Ana|PEREZ'],
    ['first_last', 'JP Perez', 'JP|Perez'],
    ['last_first', 'Ana PEREZ', null],
    ['last_first', 'PEREZ Ana', 'Ana|PEREZ'],
    ['one_first_name', 'ANA Perez', 'ANA|Perez'],
  ]
  for (const [rule, text, split] of names) {
    const found = splitName(text, rule)
    t.equal(found && `${found.first}|${found.last}`, split, text)
  }
})

await t.test('names and remarks that say who has left are told from those that do not', (t) => {
  for (const word of ['left', 'LEFT', 'Ausgeschieden', 'former employee', 'baja', 'désactivé', 'zwolniony', 'уволен']) {
    for (const mark of [`Park (${word})`, `Park [${word}]`, `Park - ${word}`, `${word}: Park`, `*${word}* Park`])
      t.ok(isMarkedAsLeft(mark.replace(': ', ' : ')), mark)
    for (const remark of [`${word} 31/05/2024 - do not pay`, `has ${word}`, `${word}, May 2024`])
      t.ok(mentionsLeaving(remark), remark)
  }
  for (const mark of ['† Rex', 'zzz_Pip', 'ZZ Pip', 'xxx-Pip']) t.ok(isMarkedAsLeft(mark), mark)
  for (const name of [
    'Müller (geb. Schmidt)',
    'Baja',
    'Left',
    "O'Neil-Retired",
    'Anne-Marie',
    'Kim (Bob)',
    'Lee - Young',
    'Zzyzx',
    'Xx',
  ])
    t.notOk(isMarkedAsLeft(name), name)
  for (const remark of ['Works from home', 'leftover desk', '', 'Unavailable']) t.notOk(mentionsLeaving(remark), remark)
  t.end()
})

await t.test('a rule for full names is proposed only if all of the names fit it', async (t) => {
  t.equal(guessNameRule(['Иванов Пётр Сергеевич', 'Петрова Анна Ильинична']), 'one_last_name_first')
  t.equal(guessNameRule(['山田 太郎', '佐藤 花子']), 'last_first')
  t.equal(guessNameRule(['Ana Perez', 'Jörg von der Heide']), null, 'two words show no order')
  t.equal(guessNameRule(['Jörg von der Heide', 'Ana de la Cruz']), 'first_last')
  t.equal(guessNameRule(['Ana Perez', 'Ana Maria Perez']), null)
  t.equal(guessNameRule([]), null)
})

await t.test('words for statuses are known in many languages, and others are asked', async (t) => {
  for (const word of ['Active', 'AKTIV', 'Actif', 'activo', 'in servizio', 'Actief', 'Zatrudniony', '在職中', '在职'])
    t.equal(readStatusWord(word), 'active', word)
  for (const word of [
    'Terminated',
    'Ausgeschieden',
    'Inactif',
    'Baja',
    'cessato',
    'Uit dienst',
    '離職',
    '离职',
    'Left',
  ])
    t.equal(readStatusWord(word), 'inactive', word)
  for (const word of ['Suspended', 'Leave', 'Onboarding', 'A', '1', '']) t.equal(readStatusWord(word), undefined, word)
  const wordsOf = (header: string, ...values: string[]) =>
    proposeFor(
      [header],
      values.map((value) => [value]),
      TODAY,
    ).columns[0]!.words
  t.strictSame(wordsOf('Active', '1', '0'), { 0: 'inactive', 1: 'active' })
  t.strictSame(wordsOf('Archiwalny', 'Tak', 'Nie'), { Tak: 'inactive', Nie: 'active' })
  t.strictSame(wordsOf('Employment Status', 'A', 'Active'), { A: null, Active: 'active' })
  t.match(
    proposeFor(['Status'], [['married'], ['single']], TODAY).columns,
    [{ to: 'status', likely: 'status', words: { married: null, single: null } }],
    'it may be another kind of status',
  )
})

await t.test('an end date that has passed may deactivate people, if somebody chooses so', async (t) => {
  const end = { to: 'termination_date' } as const
  const status = (cell: string, choice: Mapping['past_end_dates']) =>
    (read(end, cell, { past_end_dates: choice }).record as { status?: string }).status
  t.equal(status('2026-03-30', 'deactivate'), 'inactive')
  t.equal(status('2026-03-31', 'deactivate'), undefined, 'the last day')
  t.equal(status('2026-03-30', 'keep'), undefined)
  const asked = (date: string) => listQuestions(proposeFor(['Austritt'], [[date]], TODAY)).map(({ about }) => about)
  t.strictSame(asked('21.02.2020'), ['past_end_dates'])
  t.strictSame(asked('21.02.2031'), [])
})

await t.test('phone numbers are those of the country; without one, the service reads local ones', async (t) => {
  const phone = { to: 'phone' } as const
  const us = { country: 'US' }
  t.strictSame(read(phone, '(212) 555-0101', us).record, { phone: '+12125550101' })
  t.strictSame(read(phone, '0171 3920041', { country: 'DE' }).record, { phone: '+491713920041' })
  t.strictSame(read(phone, '020 7946 0412').record, { phone: '020 7946 0412' })
  t.strictSame(read(phone, 'tel:+44-20-7946-0601').record, { phone: '+442079460601' })
  t.strictSame(read(phone, ' 0033 1 99 00 12 34').record, { phone: '+33199001234' })
  t.strictSame(
    read(phone, '+52 1 55 1234 5678').record,
    { phone: '+525512345678' },
    'as mobile numbers were until 2019',
  )
  t.match(read(phone, '555-0174', us), { record: {}, faults: [/^"555-0174" is not a complete phone number/] })
  t.match(read(phone, '+44 20 7946 0604 ext. 12', us), { faults: [/has an extension/] })
  const byRow = {
    ...USUAL_CHOICES,
    columns: [
      { header: 'c', to: 'phone_country' as const },
      { header: 'p', ...phone },
    ],
  }
  const file = openRows({ line: 1, cells: ['c', 'p'] }, byRow, TODAY)
  t.equal(file.read({ line: 2, cells: ['au', '02 5550 1234'] }).json, '{"phone":"+61255501234"}')
})

await t.test('of several phone numbers, the first one is read; what is left out is noted', async (t) => {
  const phone = { to: 'phone' } as const
  const found: [string, string | null, string][] = [
    ['07700 900123 / 020 7946 0019', 'GB', '+447700900123'],
    ['+44 7700 900456; +44 20 7946 0020', null, '+447700900456'],
    ['Mobile: 07700 900123, home: 020 7946 0019', 'GB', '+447700900123'],
    ['0421 123456 / 123457', 'DE', '+49421123456'],
  ]
  for (const [text, country, value] of found) {
    const { record, notes, faults } = read(phone, text, country === null ? {} : { country })
    t.strictSame([record, faults], [{ phone: value }, []], text)
    t.equal(notes, 1)
  }
  t.match(
    read(phone, '035204/123456'),
    { record: { phone: '035204/123456' }, notes: 0 },
    'the service knows the country',
  )
  for (const text of ['+44 20 7946 0604 ext. 12', '0941 / 944-7004 oder -7005'])
    t.match(read(phone, text, { country: 'DE' }), { record: {}, faults: [String] }, 'an extension is not left out')
  for (const [text, value] of [
    ['0941 / 944-7001', '+499419447001'],
    ['+49 35204/123456', '+4935204123456'],
  ] as const)
    t.match(read(phone, text, { country: 'DE' }), { record: { phone: value }, notes: 0 }, text)
  t.match(read(phone, 'room 12', { country: 'GB' }), { record: {}, faults: [/is not a phone number/] })
})

await t.test('an apostrophe is removed only where this program puts one, and so is ="…"', async (t) => {
  const texts: [string, string][] = [
    ["'t Hooft", "'t Hooft"],
    ["''t Hooft", "'t Hooft"],
    ["'Sales", "'Sales"],
    ["'s-Gravenhage", "'s-Gravenhage"],
    ["'=1+1", '=1+1'],
    ["'+4915112345678", '+4915112345678'],
    ["'-5", '-5'],
    ["'@work", '@work'],
    ["'\ttab", '\ttab'],
    ["'00123", '00123'],
    ['="00123"', '00123'],
    ['="say ""hi"""', 'say "hi"'],
  ]
  for (const [cell, text] of texts) t.equal(readAttribute(cell).text, text, cell)
})

await t.test('custom attributes have one type a column', async (t) => {
  const typeOf = (...values: string[]) => {
    const header = ['custom_attributes.badge']
    return proposeFor(
      header,
      values.map((value) => [value]),
      TODAY,
    ).columns[0]!.type
  }
  t.equal(typeOf('123', '0123'), 'text')
  t.equal(typeOf('123', '38,5'), 'number')
  t.equal(typeOf('TRUE', 'false'), 'boolean')
  const custom = { to: 'custom', name: 'k' } as const
  t.strictSame(read({ ...custom, type: 'number' }, '38,5').record, { custom_attributes: { k: 38.5 } })
  t.strictSame(read({ ...custom, type: 'text' }, '123').record, { custom_attributes: { k: '123' } })
  t.match(read({ ...custom, type: 'number' }, 'many'), { faults: ['"many" is not a number'] })
})

await t.test('a number from which something would be lost is a text, and thousands are no fractions', async (t) => {
  const typeOf = (value: string) => proposeFor(['custom_attributes.pay'], [[value]], TODAY).columns[0]!.type
  for (const value of ['45,000', '45.000', '-1.125', '1.10', '7,0', '-0', '123456789012345.123456', '1,234,567'])
    t.equal(typeOf(value), 'text', value)
  for (const value of ['45000', '0.125', '1234,567', '45.5', '0', '-7']) t.equal(typeOf(value), 'number', value)
  const number = { to: 'custom', name: 'pay', type: 'number' } as const
  t.strictSame(read(number, '-45,000').faults, [
    '"-45,000" may be thousands or a fraction. Write it as -45000 or as -45.0000, or choose text for the column',
  ])
  t.strictSame(read(number, '-45.0000').record, { custom_attributes: { pay: -45 } })
  t.strictSame(read(number, '12.50').record, { custom_attributes: { pay: 12.5 } })
})

await t.test('an empty cell keeps what a person has, or clears it, and never what identifies the person', async (t) => {
  const clear = { empty_cells: 'clear' } as const
  t.strictSame(read({ to: 'phone' }, ' ').record, {})
  t.strictSame(read({ to: 'phone' }, '', clear).record, { phone: null })
  t.strictSame(read({ to: 'start_date' }, '0000-00-00', clear).record, { start_date: null })
  t.strictSame(read({ to: 'phone', empty_cells: 'clear' }, '').record, { phone: null }, 'of one column')
  t.strictSame(read({ to: 'manager', by: 'email' }, '', clear).record, { manager_id: null })
  for (const to of ['id', 'external_id', 'email', 'status'] as const)
    t.strictSame(read({ to }, '', clear).record, {}, to)
  t.strictSame(read({ to: 'last_name' }, '.').record, {}, 'what systems write for no name')
  for (const none of ['-', '--', '—', 'N/A', 'n/a', 'NULL', '(null)'])
    for (const to of ['job_title', 'location', 'phone', 'termination_date', 'manager', 'user_name'] as const)
      t.match(read({ to, by: 'full_name' }, none), { record: {}, faults: [] }, `no ${to}: ${none}`)
  t.match(read({ to: 'last_name' }, 'Null').record, { last_name: 'Null' }, 'a name')
  t.match(read({ to: 'department' }, 'NA').record, { department: 'NA' })
})

await t.test('a date that nobody lives to see, or that stands for none, is none', async (t) => {
  for (const date of ['31/12/2999', '2999-12-31', '3000-01-01', '1/01/3000', '9999-12-31', '2199-12-31', '31.12.2099'])
    t.strictSame(readDate(date, 'day_first'), { value: null }, date)
  for (const date of ['2199-11-30', '2099-09-30', '2089-12-31'])
    t.strictSame(readDate(date, 'day_first'), { value: date })
})

await t.test(
  'letters that were read in a wrong encoding are an error, and letters of any language are none',
  async (t) => {
    for (const text of [
      'Jürgen',
      'WEIẞ',
      'Łukasz',
      'Şahin',
      'Θεός',
      'Пётр',
      '山田',
      '김민수',
      'สมชาย',
      'שרה',
      'أحمد',
    ]) {
      const misread = new TextDecoder('windows-1252').decode(Buffer.from(text))
      t.match(read({ to: 'last_name' }, misread), { record: {}, faults: [/wrong encoding/] }, misread)
      t.match(read({ to: 'job_title' }, text), { record: { job_title: text }, faults: [] })
    }
    const wellRead = ['SÃO PAULO', '“Café”', 'né à Dôle', 'à « Lyon »', 'IRMÃ', 'Ñandú', 'ÅÄÖ', 'Société – Été…']
    for (const text of wellRead) t.match(read({ to: 'department' }, text), { faults: [] }, text)
  },
)

await t.test('blanks of any kind, and line ends, are one blank in a name or a title', async (t) => {
  t.match(read({ to: 'first_name' }, ' Ana\u00a0Maria '), { record: { first_name: 'Ana Maria' } })
  t.match(read({ to: 'job_title' }, 'Head of\n  Sales'), { record: { job_title: 'Head of Sales' } })
})

await t.test('an address may have a name or a scheme around it', async (t) => {
  for (const text of ['Ana Perez <ana@x.example>', '<ana@x.example>', 'mailto:ana@x.example', 'ana@x.example'])
    t.match(read({ to: 'email' }, text), { record: { email: 'ana@x.example' }, faults: [] }, text)
})

await t.test('a value that cannot be read refuses its row, or is left out and noted', async (t) => {
  const left = { unreadable_values: 'leave_out' } as const
  t.match(read({ to: 'start_date' }, 'soon'), { record: {}, faults: ['"soon" is not a date'], notes: 0 })
  t.match(read({ to: 'start_date' }, 'soon', left), { record: {}, faults: [], notes: 1 })
  const end = { record: {}, faults: ['"2024-W22-5" is not a date'], notes: 0 }
  t.match(read({ to: 'termination_date' }, '2024-W22-5', left), end, 'an end date is never left out')
  t.match(read({ to: 'external_id' }, '4.9E+12', left), { faults: [/^"4.9E\+12" was shortened by a spreadsheet/] })
  t.equal(showCell('a\u00a0b\u200b'), '"a⟨U+00A0⟩b⟨U+200B⟩"')
  t.equal(showCell('x'.repeat(50)), `"${'x'.repeat(40)}…"`)
})
