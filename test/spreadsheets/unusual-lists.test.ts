import t from 'tap'
import type { ListedPerson } from '../support/files/random-lists/draw-people.ts'
import { loadList } from '../support/files/random-lists/load-list.ts'
import type { KnownColumn } from '../support/files/random-lists/write-list.ts'

/* Lists whose rows repeat, whose names have marks, whose cells have errors, or that are tiny, are right, or asked. */

type Told = Partial<ListedPerson> & { id?: string }

const column = (to: string, more: Omit<KnownColumn, 'to'> = {}): KnownColumn => ({ to, ...more })
const ID = column('external_id')
const [FIRST, LAST, EMAIL, DEPARTMENT] = ['first_name', 'last_name', 'email', 'department'].map((to) => column(to))
const FULL = column('full_name', { names: 'first_last' })
const inactive = (...marks: string[]) => ({
  words: Object.fromEntries(marks.map((mark) => [mark, 'inactive'])) as NonNullable<KnownColumn['words']>,
})

/** Loads a list as somebody who knows it, and says how that went, and what was asked. */
async function load(lines: readonly string[], columns: (KnownColumn | undefined)[], people: readonly Told[]) {
  const { outcome, questions, why } = await loadList({
    bytes: Buffer.from(lines.join('\n')),
    people: people.map(({ id, ...person }) => ({
      first_name: '',
      last_name: '',
      status: 'active',
      manager: null,
      ...(id === undefined ? {} : { external_id: id }),
      ...person,
    })),
    columns,
    headings: column('status'),
    encoding: 'utf-8',
    country: 'DE',
    headerLine: 1,
    traits: {},
  })
  const asked = questions.map((question) => question.replace(/:.*/, ''))
  return { isRight: outcome.startsWith('right'), asked, why: [outcome, ...why.slice(0, 4)].join('\n') }
}

const ANA: Told = { id: 'A-1', first_name: 'Ana', last_name: 'Berg', email: 'ana@x.example', department: 'Ops' }
const BO: Told = { id: 'A-2', first_name: 'Bo', last_name: 'Lind', email: 'bo@x.example', department: 'Ops' }
const CY: Told = { id: 'A-3', first_name: 'Cy', last_name: 'Moe', email: 'cy@x.example', department: 'Sales' }
const row = (...cells: (string | undefined)[]) => cells.map((cell) => cell ?? '').join(';')
const rowOf = ({ id, first_name: first, last_name: last, email, department }: Told) =>
  row(id, first, last, email, department)

await t.test('a row that says the same as an earlier one is taken once', async (t) => {
  const columns = [ID, FIRST, LAST, EMAIL, DEPARTMENT]
  const people = [ANA, BO, CY]
  for (const header of ['Employee ID;First name;Last name;Email;Department', 'Matricule;Prénom;Nom;Courriel;Service']) {
    const rows = people.map(rowOf)
    const { isRight, why } = await load([header, ...rows, ` ${rowOf(BO)} `, rowOf(ANA), rowOf(BO)], columns, people)
    t.ok(isRight, why)
  }
  const numbered = [ANA, BO, CY, BO].map((person, at) => row(`${at + 1}`, rowOf(person)))
  const header = 'Lfd.;Personalnummer;Vorname;Nachname;E-Mail;Abteilung'
  const { isRight, why } = await load([header, ...numbered], [undefined, ...columns], people)
  t.ok(isRight, `in all columns that are used: ${why}`)
  const other = await load([header, ...numbered, row('5', rowOf({ ...BO, department: 'HR' }))], columns, people)
  t.match(other.why, /refused[^]*in the file again/, 'another row about a person is still an error')
})

await t.test('what stands before last names in a column of its own is asked, and put there', async (t) => {
  const people: Told[] = [
    { ...ANA, last_name: 'van der Berg' },
    { ...BO, manager: 0 },
    { ...CY, last_name: "in 't Veld", manager: 0 },
    { ...CY, id: 'A-4', email: 'di@x.example', first_name: 'Di', last_name: 'de Moe' },
  ]
  const prefixes = ['van der', '', "in 't", 'DE']
  const lasts = ['Berg', 'Lind', 'Veld', 'de Moe']
  const managers = ['', 'Ana van der Berg', 'Ana van der Berg', '']
  for (const [name, at] of [
    ['Tussenvoegsel', 1],
    ['Voorvoegsel', 2],
    ['Name prefix', 1],
    ['Zwischenteil', 2],
  ] as const) {
    const inOrder = <Cell>(first: Cell, prefix: Cell, last: Cell) =>
      at === 1 ? [first, prefix, last] : [first, last, prefix]
    const header = row('Employee ID', ...inOrder('Voornaam', name, 'Achternaam'), 'Email', 'Department', 'Manager')
    const rows = people.map(({ id, first_name: first, email, department }, line) =>
      row(id, ...inOrder(first, prefixes[line], lasts[line]), email, department, managers[line]),
    )
    const columns = [ID, ...inOrder(FIRST, column('last_name_prefix'), LAST), EMAIL, DEPARTMENT]
    const { isRight, why, asked } = await load(
      [header, ...rows],
      [...columns, column('manager', { by: 'full_name' })],
      people,
    )
    t.ok(isRight, why)
    t.ok(asked.length > 0)
  }
})

await t.test('what a mark at a name says is asked, and the name is stored without it', async (t) => {
  const header = 'Employee ID;Name;Email;Department'
  const marked: [mark: string, write: (name: string) => string][] = [
    ['Terminated', (name) => `${name} (Terminated)`],
    ['ausgesch.', (name) => `${name} [ausgesch.]`],
    ['odszedł', (name) => `${name} - odszedł`],
    ['ZZ_Left', (name) => `ZZ_Left - ${name}`],
    ['AUSG', (name) => `(AUSG) ${name}`],
    ['x', (name) => `x ${name}`],
    ['zzz', (name) => `zzz_${name}`],
    ['†', (name) => `${name} †`],
  ]
  const left = [ANA, CY].map((person): Told => ({ ...person, status: 'inactive' }))
  const people = [left[0]!, BO, left[1]!, { ...BO, id: 'A-4', email: 'di@x.example', first_name: 'Di' }]
  for (const [mark, write] of marked) {
    const nameOf = ({ first_name: first, last_name: last, status }: Told, text: string) =>
      status === 'inactive' ? write(text.replace('FIRST', first!).replace('LAST', last!)) : `${first} ${last}`
    const rows = people.map((person) => row(person.id, nameOf(person, 'FIRST LAST'), person.email, person.department))
    const columns = [ID, { ...FULL, ...inactive(mark) }, EMAIL, DEPARTMENT]
    const { isRight, asked, why } = await load([header, ...rows], columns, people)
    t.ok(isRight, `${mark}: ${why}`)
    t.strictSame(asked, ['names of full_name', 'words of full_name'], mark)
    const parts = people.map((person) =>
      row(person.id, person.first_name, person.status ? write(person.last_name!) : person.last_name, person.email),
    )
    const apart = await load(
      ['Personalnummer;Vorname;Nachname;E-Mail', ...parts],
      [ID, FIRST, { ...LAST!, ...inactive(mark) }, EMAIL],
      people.map(({ department: _department, ...person }) => person),
    )
    t.ok(apart.isRight, `${mark}: ${apart.why}`)
    t.strictSame(apart.asked, ['words of last_name'], mark)
  }
})

await t.test('a mark of other things changes nobody, and what single names have is a part of them', async (t) => {
  const header = 'Employee ID;First name;Last name;Email'
  const people: Told[] = ['Ana (Annie)', 'Bo', 'Cy (Cynthia)'].map((first, at) => ({
    id: `A-${at}`,
    first_name: first,
    last_name: ['Berg', 'Lind - Roy', 'Moe'][at]!,
    email: `p${at}@x.example`,
  }))
  const rows = people.map(rowOf)
  const { isRight, asked, why } = await load([header, ...rows], [ID, FIRST, LAST, EMAIL], people)
  t.ok(isRight, why)
  t.strictSame(asked, [])
  const away = await load(
    [header, ...[ANA, BO, CY].map((person) => rowOf({ ...person, last_name: `${person.last_name} (EZ)` }))],
    [ID, FIRST, { ...LAST!, words: { EZ: 'active' } }, EMAIL],
    [ANA, BO, CY].map(({ department: _department, ...person }) => person),
  )
  t.ok(away.isRight, away.why)
})

await t.test('managers are found by their names with and without a mark', async (t) => {
  const rows = [
    'A-1;Berg †;Ana;ana@x.example;',
    'A-2;Lind;Bo;bo@x.example;Ana Berg',
    'A-3;Moe;Cy;cy@x.example;Ana Berg †',
  ]
  const people = [
    { ...ANA, status: 'inactive' as const },
    { ...BO, manager: 0 },
    { ...CY, manager: 0 },
  ]
  const { isRight, why } = await load(
    ['Matricule;Nom;Prénom;Courriel;Responsable', ...rows],
    [ID, { ...LAST!, ...inactive('†') }, FIRST, EMAIL, column('manager', { by: 'full_name' })],
    people.map(({ department: _department, ...person }) => person),
  )
  t.ok(isRight, why)
})

await t.test('cells of nothing are empty, and what stands in the place of an end date is asked', async (t) => {
  const day = { dates: 'day_first' }
  const people: Told[] = [
    { ...ANA, start_date: '2019-04-13' },
    { ...BO, start_date: '2020-05-14', termination_date: '2024-02-28', status: 'inactive' },
    { id: 'A-3', first_name: 'Cy', last_name: 'Moe', email: 'cy@x.example', start_date: '2021-06-30' },
    { ...CY, id: 'A-4', email: 'di@x.example', termination_date: '2023-12-31', status: 'inactive' },
    { ...ANA, id: 'A-5', email: 'ed@x.example', start_date: '2020-10-20' },
  ]
  const headers = [
    'Employee ID;First name;Last name;Email;Department;Start date;End date',
    'Personalnummer;Vorname;Nachname;E-Mail;Abteilung;Eintritt;Austritt',
    'A1;A2;A3;A4;A5;A6;A7',
  ]
  const nothing = ['NULL', '(null)', 'None', 'n/a', '-', '--', '.', '00/00/0000', '']
  const errors = ['#N/A', '#REF!', '#VALUE!', '#NV', '#¡REF!', '#Н/Д']
  for (const none of [...nothing, ...errors])
    for (const header of headers) {
      const write = (date?: string) => date?.split('-').toReversed().join('.') ?? none
      const rows = people.map((person) =>
        row(
          rowOf({ ...person, department: person.department ?? none }),
          write(person.start_date),
          write(person.termination_date),
        ),
      )
      const end = column('termination_date', { ...day, words: { [none]: 'active' } })
      const columns = [ID, FIRST, LAST, EMAIL, DEPARTMENT, column('start_date', day), end]
      const { isRight, asked, why } = await load([header, ...rows], columns, people)
      t.ok(isRight, `${none}, ${header}: ${why}`)
      t.equal(asked.includes('words of termination_date'), errors.includes(none), none)
    }
})

await t.test('a word in the place of an end date may say that somebody has left', async (t) => {
  const rows = [rowOf(ANA), rowOf(BO), rowOf(CY)].map((text, at) => row(text, ['offen', '31.12.2024', 'weg'][at]))
  const people: Told[] = [
    ANA,
    { ...BO, termination_date: '2024-12-31', status: 'inactive' },
    { ...CY, status: 'inactive' },
  ]
  const end = column('termination_date', { words: { offen: 'active', weg: 'inactive' } })
  const header = 'Personalnummer;Vorname;Nachname;E-Mail;Abteilung;Austritt'
  const { isRight, asked, why } = await load([header, ...rows], [ID, FIRST, LAST, EMAIL, DEPARTMENT, end], people)
  t.ok(isRight, why)
  t.ok(asked.includes('words of termination_date'))
})

await t.test('a table whose columns are people is refused by a message that says so', async (t) => {
  const people = [ANA, BO, CY]
  const attributes: ((person: Told) => string)[] = [
    ({ first_name: first }) => first!,
    ({ last_name: last }) => last!,
    ({ id }) => id!,
    ({ email }) => email!,
    () => '05.01.2020',
  ]
  for (const names of [
    ['Vorname', 'Nachname', 'Personalnummer', 'E-Mail', 'Eintritt'],
    ['Etunimi', 'Sukunimi', 'Henkilönumero', 'Sähköposti', 'Alkaen'],
    ['', 'Last name', 'Employee ID', 'Email', 'Start date'],
  ]) {
    const { why } = await load(
      names.map((name, at) => row(name, ...people.map(attributes[at]!))),
      [],
      people,
    )
    t.match(why, /refused\nThe columns of this table are people, and its rows are their attributes/)
  }
})

await t.test('tiny lists with abbreviated names of columns need answers only', async (t) => {
  const day = column('start_date', { dates: 'day_first' })
  const german: Told[] = [
    { ...ANA, id: '4711', phone: '+49301234567', start_date: '2020-02-01' },
    { ...BO, id: '4712', phone: '+49301234568', start_date: '2020-02-15' },
  ].map(({ department: _department, ...person }) => person)
  const rows = german.map(({ phone, start_date: start, ...person }) =>
    row(person.id, person.last_name, person.first_name, person.email, phone, start!.split('-').toReversed().join('.')),
  )
  const columns = [ID, LAST, FIRST, EMAIL, column('phone'), day]
  for (const count of [1, 2]) {
    const list = ['MA-Nr;Nm;Vn;Eml;Tel;Eintr.', ...rows.slice(0, count)]
    const { isRight, why } = await load(list, columns, german.slice(0, count))
    t.ok(isRight, why)
  }
  const spanish: Told[] = [
    { id: '7', first_name: 'Ana', last_name: 'Ruiz', email: 'ana@x.example', start_date: '2020-02-01' },
    { id: '8', first_name: 'Luz', last_name: 'Gil', email: 'luz@x.example', termination_date: '2024-12-31' },
  ]
  const two = await load(
    [
      'Nº;Nomb.;Apell.;F. alta;F. baja;Correo',
      '7;Ana;Ruiz;01/02/2020;;ana@x.example',
      '8;Luz;Gil;;31/12/2024;luz@x.example',
    ],
    [ID, FIRST, LAST, day, column('termination_date', { dates: 'day_first' }), EMAIL],
    spanish.map((person) => (person.termination_date ? { ...person, status: 'inactive' } : person)),
  )
  t.ok(two.isRight, two.why)
  const counted = ['Ana Berg', 'Bo Lind', 'Cy Moe'].map((name, at) => row(`${at + 1}`, name))
  const numbers = await load(
    ['No;Nm', ...counted],
    [ID, FULL],
    [ANA, BO, CY].map(({ first_name: first, last_name: last }, at) => ({
      id: `${at + 1}`,
      first_name: first!,
      last_name: last!,
    })),
  )
  t.ok(numbers.isRight, `where nothing else tells people apart: ${numbers.why}`)
})

await t.test('the meaning of an empty cell counts at the end of a row, too, where files leave it out', async (t) => {
  const columns = [ID, FIRST, LAST, EMAIL, DEPARTMENT, column('status', { words: { x: 'active', '': 'inactive' } })]
  const people: Told[] = [ANA, { ...BO, status: 'inactive' }, CY]
  const marks = [['x'], [], ['x']]
  const rows = people.map((person, at) => [rowOf(person), ...marks[at]!].join(';'))
  const { isRight, why } = await load(
    ['Employee ID;First name;Last name;Email;Department;Here', ...rows],
    columns,
    people,
  )
  t.ok(isRight, why)
})
