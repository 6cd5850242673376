import t from 'tap'
import { isSecretHeader, recognizeHeader } from '../../src/spreadsheets/words/recognize-header.ts'
import { COLUMN_NAMES } from '../support/files/column-names.ts'
import { proposeFor } from '../support/files/propose-for.ts'

/* What columns are, by their names in many languages. */

await t.test('the names of columns are known in many languages', async (t) => {
  for (const [meaning, languages] of Object.entries(COLUMN_NAMES))
    for (const names of Object.values(languages))
      for (const name of names) t.equal(recognizeHeader(name), meaning, name)
})

await t.test('a name is read word by word, and is unknown if one of them is', async (t) => {
  const names: [string, string | null][] = [
    ['Date of Employee Hiring', null],
    ['Date of Hire', 'start_date'],
    ['Hire Date (Original)', 'start_date'],
    ['Austrittsdatum', 'termination_date'],
    ['Probation End Date', null],
    ['Department Code', null],
    ['Job code', null],
    ['Status Date', null],
    ['Manager Employee ID', 'manager'],
    ['Last Login', null],
    ['Company name', null],
    ['Legal Name - First Name', 'first_name'],
    ['Name, Vorname', 'full_name'],
    ['Personnummer', null],
    ['部門名', 'department'],
    ['入社年月日', 'start_date'],
  ]
  for (const [name, meaning] of names) t.equal(recognizeHeader(name), meaning, name)
})

await t.test('capitals, accents, signs, and what systems add do not matter', async (t) => {
  const names: [string, string | null][] = [
    ['PRÉNOM', 'first_name'],
    ['Straße', null],
    ['First Name *', 'first_name'],
    ['Last Name [Required]', 'last_name'],
    ['Start Date (dd/mm/yyyy)', 'start_date'],
    ['hireDate', 'start_date'],
    ['profile.firstName', 'first_name'],
    ['emails.work', 'email'],
    ['Email (personal)', null],
    ['Date of birth', 'not_ours'],
    ['Shoe size', null],
  ]
  for (const [name, meaning] of names) t.equal(recognizeHeader(name), meaning, name)
})

await t.test('columns of secrets are recognized', async (t) => {
  for (const name of [
    'Password',
    'Password [Required]',
    'Passwort',
    'Initial password',
    'Mot de passe',
    'パスワード',
    '密码',
  ])
    t.ok(isSecretHeader(name), name)
  for (const name of ['Passport', 'Department', 'Compass', 'Secretaria', 'Secrétaire', 'Secretary'])
    t.notOk(isSecretHeader(name), name)
})

await t.test(
  'between columns for one attribute, the better one wins, and a person decides between equal ones',
  async (t) => {
    const targets = (header: string[], ...rows: string[][]) =>
      proposeFor(header, rows, '2026-03-31').columns.map(({ to }) => to)
    t.strictSame(targets(['Email', 'Work email', 'Private email'], ['a@x.com', 'b@x.com', 'c@x.com']), [
      'nothing',
      'email',
      'nothing',
    ])
    t.strictSame(targets(['Location', 'Location'], ['CLE', 'Cleveland']), ['nothing', 'location'])
    t.strictSame(targets(['Location', 'Location'], ['Berlin', 'Cleveland']), [null, null])
    t.strictSame(targets(['Nombre', 'Apellidos'], ['Ana', 'Perez']), ['first_name', 'last_name'])
    t.strictSame(targets(['Nombre'], ['Ana Perez']), ['full_name'])
    t.strictSame(targets(['First name', 'Last name', 'Full name'], ['Ana', 'Perez', 'Ana Perez']), [
      'first_name',
      'last_name',
      'nothing',
    ])
    t.strictSame(targets(['Personalnummer'], ['7']), ['external_id'], 'people need an identifier')
    t.strictSame(targets(['employee_number'], ['7']), ['employee_number'], 'as the API names it')
    t.strictSame(targets(['Title', 'Manager'], ['Mr', 'yes'], ['Mrs', 'no']), [null, 'nothing'], 'a salutation')
    t.strictSame(targets(['Email', 'Phone'], ['later', 'x']), [null, null], 'values contradict')
  },
)

await t.test('what systems add to names does not hide them', async (t) => {
  for (const name of ['[Vorname]', 'x_Vorname', '* Vorname', 'Vorname (1)', 'Vorname [Required]'])
    t.equal(recognizeHeader(name), 'first_name', name)
})

await t.test('columns whose names nobody knows are recognized by their values, or asked', async (t) => {
  const propose = (header: string, ...rows: string[]) =>
    proposeFor(
      header.split(','),
      rows.map((row) => row.split(',')),
      '2026-03-31',
    ).columns.map(({ to, likely }) => to ?? `${likely ?? ''}?`)
  const people = ['A1,Ada Lovel,ada.lovel@firm.example,+4930901820,', 'A2,Ben Kirby,ben.kirby@firm.example,,A1']
  t.strictSame(propose('q,w,e,r,z', ...people, 'A3,Cy Marsh,cy.marsh@firm.example,+4930901822,A1'), [
    'external_id?',
    'full_name',
    'email',
    'phone?',
    'manager?',
  ])
  const [staff, team] = [
    ['A1,Ada Lovel', 'A2,Ben Kirby', 'A3,Cy Marsh', 'A4,Di Perry'],
    ['', 'A1', 'A1', 'A2'],
  ]
  t.strictSame(
    propose('q,w,e', ...staff.map((row, at) => `${row},${team[at]}`), 'A5,Ed Tull,A3').at(-1),
    'manager?',
    'a tree of ids',
  )
  const partners = ['Ben Kirby', 'Ada Lovel', 'Ben Kirby', 'Ada Lovel']
  t.equal(propose('q,w,e', ...staff.map((row, at) => `${row},${partners[at]}`)).at(-1), 'manager?', 'who helps whom')
  const codes = ['7,D12,0301 2345671', '9,D10,0301 2345672', '8,D11,0301 2345673']
  t.strictSame(propose('q,w,e', ...codes), ['external_id?', 'external_id?', 'phone?'], 'what may be an id')
  t.equal(propose('q,w', '7,43973', '9,', '8,45011', '5,').at(-1), 'termination_date?', 'numbers of days')
  const nested = ['7,Ada Lovel,,', '9,Ben Kirby,7,Ada Lovel', '8,Cy Marsh,7,Ada Lovel', '5,Di Perry,9,Ben Kirby']
  t.strictSame(
    propose('id,displayName,qwe.id,qwe.displayName', ...nested).slice(1),
    ['full_name', 'manager?', 'manager?'],
    "another person's name is not that of the row",
  )
  const named = 'Vorname,Nachname,E-Mail'
  const rows = ['Ada,Lovel,ada@x.example', 'Ben,Kirby,ben@x.example', 'Cy,Marsh,cy@x.example', 'Di,Perry,di@x.example']
  const toOf = (...cells: string[]) => propose(`${named},Zustand`, ...rows.map((row, at) => `${row},${cells[at]}`))[3]
  t.equal(toOf('x', '', '', ''), 'status', 'a mark, whose meaning is asked')
  t.equal(toOf('0', '0', '0', '1'), 'status', 'yes and no, of which one is asked')
  const locked = ['False', 'True', 'False', 'False']
  t.equal(
    propose(`${named},Block credential`, ...rows.map((row, at) => `${row},${locked[at]}`))[3],
    'status',
    'who is locked out, though it is named like a secret',
  )
  t.equal(toOf('da', 'da', 'weg', 'da'), 'status?', 'a few words')
  t.equal(toOf('weg', 'weg', 'weg', 'weg'), 'status?', 'a list of people who have left')
  t.equal(toOf('1', '2', '1', '1'), '?', 'numbers, which may be codes of anything')
  t.equal(toOf('100', '200', 'K30', '200'), '?', 'codes, where nothing else says who has left')
  const ended = rows.map((row, at) => `${row},${at === 1 ? '2020-01-31' : ''},${at < 2 ? 200 : 100}`)
  t.equal(propose(`${named},Austritt,Zustand`, ...ended).at(-1), 'nothing', 'codes beside end dates')
  t.equal(toOf('2019-05-06', '', '', ''), 'termination_date?', 'dates that some rows have')
  t.not(toOf('part time 60 %', '', 'key 12', ''), 'status?', 'remarks')
})
