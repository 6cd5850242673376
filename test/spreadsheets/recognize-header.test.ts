import t from 'tap'
import { HEADER_WORDS } from '../../src/spreadsheets/header-words.ts'
import { isSecretHeader, recognizeHeader } from '../../src/spreadsheets/recognize-header.ts'
import { proposeFor } from '../support/files/propose-for.ts'

/* What columns are, by their names in many languages. */

await t.test('each name in the list means one thing', async (t) => {
  for (const [meaning, languages] of Object.entries(HEADER_WORDS))
    for (const words of Object.values(languages))
      for (const word of words.split(', ')) t.equal(recognizeHeader(word), meaning, word)
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
  for (const name of ['Passport', 'Department', 'Compass']) t.notOk(isSecretHeader(name), name)
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
    t.strictSame(targets(['Title', 'Manager'], ['Mr', 'yes'], ['Mrs', 'no']), ['nothing', 'nothing'])
    t.strictSame(targets(['Email', 'Phone'], ['none', 'x']), [null, null], 'values contradict')
  },
)
