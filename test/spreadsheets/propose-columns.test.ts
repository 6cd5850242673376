import t from 'tap'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { collectSamples } from '../../src/spreadsheets/proposals/column-samples.ts'
import { listQuestions, MAX_FILE_WORDS, USUAL_CHOICES } from '../../src/spreadsheets/mapping/mapping.ts'
import { completeReadings } from '../../src/spreadsheets/proposals/propose-mapping.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'
import { countFor, proposeFor } from '../support/files/propose-for.ts'

/* What a file leaves open is asked, and what it shows is not. */

const TODAY = '2026-03-31'

/** What the columns of a table become, and the columns about which something is asked. */
function propose(text: string) {
  const [header = [], ...rows] = text.split('\n').map((line) => line.split(','))
  const mapping = proposeFor(header, rows, TODAY)
  const asked = listQuestions(mapping).flatMap((question) =>
    'column' in question ? [question, ...(question.others ?? [])].map((column) => column.header) : [],
  )
  return { to: Object.fromEntries(mapping.columns.map(({ header: name, to }) => [name, to])), asked }
}

await t.test('codes that may say who has left are asked, also beside names that the API has, too', (t) => {
  const { asked } = propose(`sAMAccountName,givenName,sn,mail,department,userAccountControl
hvogt,Hanna,Vogt,hanna.vogt@corp.example,Finance,512
mpichler,Max,Pichler,max.pichler@corp.example,Finance,512
egruber,Eva,Gruber,eva.gruber@corp.example,Finance,514
jhuber,Jan,Huber,jan.huber@corp.example,IT,66048`)
  t.strictSame(asked, ['userAccountControl'])
  t.end()
})

await t.test('a login is no id beside numbers of employees, unless managers are named by it', (t) => {
  const table = (manager: string) => `EmployeeID,Login,First name,Last name,Manager
1001,hvogt,Hanna,Vogt,
1002,mpichler,Max,Pichler,${manager}`
  t.match(propose(table('1001')).to, { EmployeeID: 'external_id', Login: 'nothing' })
  t.match(propose(table('hvogt')).to, { EmployeeID: 'employee_number', Login: 'external_id' })
  t.end()
})

await t.test('a column that only numbers the rows identifies nobody', (t) => {
  const { asked } = propose('Sıra,Sicil,Adı,Soyadı\n1,2001,Ayşe,Öz\n2,2002,Ali,Kaya\n3,2003,Can,Demir')
  t.ok(asked.includes('Sicil'))
  t.notOk(asked.includes('Sıra'))
  t.end()
})

await t.test('a remark that somebody has left is asked where nothing else says so', (t) => {
  const table = (more: string, one = '') => `Emp No,First Name,Last Name,Email,Notes${more}
1,Ned,Owen,ned@x.example,Works from home on Fridays${one && ','}
2,Oda,Park,oda@x.example,LEFT 31/05/2024 - do not pay${one && `,${one}`}`
  const { to, asked } = propose(table(''))
  t.equal(to['Notes'], null)
  t.strictSame(asked, ['Notes'])
  t.equal(propose(table(',Termination date', '2024-05-31')).to['Notes'], 'nothing')
  t.end()
})

await t.test('a department of people who have left is asked, whatever its column is called', (t) => {
  const table = (gone: string, more = '', one = '') => `Emp No,First Name,Last Name,Email,Department${more}
1,Ned,Owen,ned@x.example,Sales${one}
2,Oda,Park,oda@x.example,${gone}${one}
3,Pia,Quist,pia@x.example,Sales${one}`
  for (const gone of ['Former employees', 'Ausgeschiedene', 'Leavers 2023', '退職者'])
    t.strictSame(propose(table(gone)).asked, ['Department'], gone)
  t.strictSame(propose(table('Former employees', ',Status', ',Active')).asked, ['Department'])
  for (const name of ['Left Bank', 'Planta Baja', 'Operations']) t.strictSame(propose(table(name)).asked, [], name)
  t.end()
})

await t.test('a name of one word beside last names is a first name', (t) => {
  const table = (first: string) => `Id,NAME,LAST_NAME,EMAIL\n70,${first},Owen,ned@x.example\n81,Oda,Park,oda@x.example`
  for (const first of ['Ned', 'Ned Al'])
    t.match(propose(table(first)).to, { NAME: 'first_name', LAST_NAME: 'last_name' })
  t.end()
})

await t.test('a table beside the list is asked about, and a column that is only empty makes no table', (t) => {
  const beside = 'Emp No,First Name,Last Name,Email,,Department,Location'
  const rows = ['1,Ned,Owen,ned@x.example,,Sales,Leeds', '2,Oda,Park,oda@x.example,,Stores,York']
  const { to, asked } = propose([beside, ...rows, '3,Pia,Quist,pia@x.example,,,'].join('\n'))
  t.strictSame(asked, ['Department', 'Location'])
  t.match(to, { Email: 'email', 'Emp No': 'external_id' })
  t.strictSame(propose([beside, ...rows].join('\n')).asked, [])
  t.end()
})

await t.test('what may say when or that somebody has left is asked, whether or not it can be read', (t) => {
  const table = (name: string, one: string) => `Emp No,First Name,Last Name,Email,Hire Date,${name}
1,Ned,Owen,ned@x.example,2015-01-05,
2,Oda,Park,oda@x.example,2020-03-02,${one}
3,Pia,Rey,pia@x.example,2021-03-01,`
  const unread = ['2024-W22-5', 'Q2 2024', '1717113600000', 'May 2024', '2024', '202405']
  for (const name of ['Term Date', 'Left', '退社日', 'Xyz'])
    for (const value of unread) t.strictSame(propose(table(name, value)).asked, [name], `${name}: ${value}`)
  for (const value of ['112/12/31', 'voluntary', 'yes', 'x'])
    t.strictSame(propose(table('Term Date', value)).asked, ['Term Date'], value)
  for (const value of ['A2013', '2.2024', '0.2019.1'])
    t.strictSame(propose(table('Desk', value)).asked, [], `no time: ${value}`)
  const rows = Array.from({ length: 60 }, (_, at) => `${at},Ned,Owen,n${at}@x.example,w${at * 7}`).join('\n')
  t.strictSame(propose(`Emp No,First Name,Last Name,Email,Status\n${rows}`).asked, ['Status'], 'many words')
  t.end()
})

await t.test('years, and what is the same for everybody, are not asked where something else says who has left', (t) => {
  const { asked } = propose(`Emp No,First Name,Last Name,Email,Hire Date,Term Date,Record,Status,Jubilee
1,Ned,Owen,ned@x.example,2015-01-05,,0,Active,2025
2,Oda,Park,oda@x.example,2020-03-02,2023-01-31,0,Inactive,
3,Pia,Rey,pia@x.example,2021-03-01,,0,Active,
4,Quy,Sol,quy@x.example,2021-04-01,,0,Active,2031`)
  t.strictSame(asked, [])
  t.end()
})

await t.test('a remark that somebody has left is asked beside what may be something else than a status', (t) => {
  const { asked } = propose(`Emp No,First Name,Last Name,Email,Notes,Wing
1,Ned,Owen,ned@x.example,,-Ops-
2,Oda,Park,oda@x.example,"left May 2023, do not contact",+Field
3,Pia,Rey,pia@x.example,likes tea,-Ops-`)
  t.ok(asked.includes('Notes'), asked.join(', '))
  t.end()
})

await t.test('what systems write for no manager is nobody whom the file lacks', (t) => {
  const table = (none: string) => {
    const header = ['external_id', 'First name', 'Last name', 'Manager']
    const rows = [`1,Ana,Ek,${none}`, '2,Bo,Ray,Ana Ek', '3,Cy,Poe,Ana Ek'].map((row) => row.split(','))
    return proposeFor(header, rows, TODAY).counts?.unknown_managers
  }
  t.equal(table('Zoe Quist'), 1)
  for (const none of ['-', 'N/A', 'NULL', 'No_manager']) t.equal(table(none), 0, none)
  t.end()
})

await t.test('what sounds like something else is asked where the file lacks it', (t) => {
  const rows = '1,Odis Ray,Adalwin,o@home.example\n2,Linda Jane,Anderson,l@post.example\n3,Li,Chuki,c@home.example'
  const { to } = propose(
    `Employee Id,First (& Middle) Name,Last Name,Personal.Email,Sub Unit\n${rows.replaceAll('\n', ',Ops\n')}`,
  )
  t.match(to, { 'First (& Middle) Name': null, 'Last Name': 'last_name', 'Personal.Email': null })
  const both = propose(
    `Employee Id,First Name,Last Name,Personal.Email,Email\n${rows.replaceAll(/([^\s,]+@[^\s,]+)/g, '$1,w.$1')}`,
  )
  t.match(both.to, { 'Personal.Email': 'nothing', Email: 'email' })
  t.end()
})

await t.test('salutations are not asked beside the titles of jobs', (t) => {
  const { to } = propose('Email,Title,Job title\na@x.example,Mrs,Director\nb@x.example,Mr,Clerk')
  t.match(to, { Title: 'nothing', 'Job title': 'job_title' })
  t.end()
})

await t.test('a full name is asked where rows have no other one', (t) => {
  const { to, asked } = propose(`Name [displayName] Required,User name [userPrincipalName] Required,First name,Last name
Ilse Falk,ilse@x.example,Ilse,Falk
Room Saale,saale@x.example,,
Rahul Rao,rahul@x.example,Rahul,Rao`)
  t.match(to, { 'User name [userPrincipalName] Required': 'email', 'First name': 'first_name' })
  t.strictSame(asked, ['Name [displayName] Required'])
  t.end()
})

await t.test(
  'however many words a file has, its mapping has few of them, and each column with others stays open',
  (t) => {
    const header = Array.from({ length: 500 }, (_, at) => `c${at}`)
    const rows = Array.from({ length: 300 }, (_, row) => header.map((name) => `word ${row} of ${name}`))
    const { sample, add } = collectSamples(header.length)
    for (const cells of rows) add(cells)
    const given = { ...USUAL_CHOICES, columns: header.map((name) => ({ header: name, to: 'status' as const })) }
    const mapping = countFor(doAtOnce(completeReadings(given, header, sample)), header, rows, TODAY)
    const count = (words: object[]) => words.reduce((sum, some) => sum + Object.keys(some).length, 0)
    t.ok(count(mapping.columns.map(({ words = {} }) => words)) <= MAX_FILE_WORDS + header.length)
    t.ok(count(mapping.columns.map(({ seen = {} }) => seen)) <= MAX_FILE_WORDS)
    t.equal(listQuestions(mapping).length, header.length)
    t.end()
  },
)

await t.test('names with the id behind them identify nobody beside a column of ids', (t) => {
  const { to } = propose(`Worker,Employee ID,Work email
Ana Perez (31),31,ana@x.example
Bo Van Ek (32),32,bo@x.example
Cy Fox (33),33,cy@x.example`)
  t.strictSame(to, { Worker: 'full_name', 'Employee ID': 'external_id', 'Work email': 'email' })
  t.end()
})

await t.test('a login is asked where another column may be the id', (t) => {
  const table = (codes: string[]) => `username,idnumber,firstname,lastname,email
alefevre,${codes[0]},Amélie,Lefèvre,amelie@x.example
bgarnier,${codes[1]},Bastien,Garnier,bastien@x.example
croussel,${codes[2]},Clémence,Roussel,clemence@x.example`
  t.strictSame(propose(table(['P300', 'P301', 'P302'])).asked, ['username', 'idnumber'])
  t.match(propose(table(['', '', ''])), { to: { username: 'external_id' }, asked: [] })
  t.end()
})

await t.test('yes and no are asked where the name of a column may say the opposite of active', (t) => {
  const table = (name: string, first: string, second: string) =>
    propose(`Email,First name,${name}\na@x.example,Ana,${first}\nb@x.example,Bo,${second}\nc@x.example,Cy,${second}`)
  t.strictSame(table('Collaborateur désactivé', 'Oui', 'Non').asked, ['Collaborateur désactivé'])
  t.strictSame(table('Active', 'Yes', 'No').asked, ['Active'], 'most of them would have left')
  t.strictSame(table('Active', 'No', 'Yes').asked, [])
  t.end()
})

await t.test('remarks that few rows have are asked where nothing else says who has left', (t) => {
  const table = (more: [string, string, string]) =>
    propose(`Email,First name,Reason for leaving,${more[0]}
a@x.example,Ana,,${more[1]}\nb@x.example,Bo,Retirement,${more[2]}\nc@x.example,Cy,,${more[1]}
d@x.example,Di,Better offer,${more[2]}\ne@x.example,Ed,,${more[1]}`)
  t.strictSame(table(['City', 'Bonn', 'Bonn']).asked, ['Reason for leaving'])
  t.strictSame(table(['End date', '', '2024-01-31']).asked, [])
  t.end()
})

await t.test('numbers that only number the rows are asked where managers are named by them', (t) => {
  const { asked } = propose(`Ansattnr,Fornavn,Etternavn,Nærmeste leder
1,Kari,Hansen,\n2,Bjørn,Lie,1\n3,Siri,Ås,2\n4,Pål,Moe,2`)
  t.ok(asked.includes('Ansattnr'))
  t.end()
})

await t.test('names without blanks are asked where no column has another part of names', (t) => {
  const names = '\nA1,王建国,a@x.example\nA2,李娜,b@x.example\nA3,张伟,c@x.example'
  t.ok(propose(`编码,名字,Email${names}`).asked.includes('名字'))
  t.equal(propose('No,First name,Email\n1,Ana,a@x.example\n2,Bo,b@x.example').to['First name'], 'first_name')
  t.end()
})

await t.test('ids that people share are asked, and those of one person are not', (t) => {
  const table = (address: string) => `Staff no,First name,Last name,Email
001,Ana,Perez,ana@x.example
002,Bo,Li,bo@x.example
001,Ana,Perez,${address}
002,Bo,Li,bo@x.example`
  t.ok(propose(table('other@x.example').replace(/bo@x(?!.*bo@x)/s, 'cy@x')).asked.includes('Staff no'))
  t.equal(propose(table('ana@x.example')).to['Staff no'], 'external_id')
  t.end()
})

await t.test('managers are found by what is no attribute', (t) => {
  const { to } = propose(`Position No,Reports to position,Employee ID,First name,Last name,Email
30010,,4471,Ana,Dale,ana@x.example
30020,30010,4482,Rosa,Eades,rosa@x.example
30040,30020,4495,Tess,Gower,tess@x.example`)
  t.equal(to['Position No'], 'key')
  t.end()
})

await t.test('texts below what may be short for employee are no ids, as titles of jobs are none', (t) => {
  const { to, asked } = propose(`Serv.,Nom,Empl.,Prén.,Code.,Cour.
Atelier,Bœuf,Comptable,Denis,F595,denis@x.example
Achats,Hébert,Acheteur,Jérôme,F602,jerome@x.example
Achats,Étienne,Menuisier,Léa,F610,lea@x.example`)
  t.not(to['Empl.'], 'external_id')
  t.ok(to['Code.'] === 'external_id' || asked.includes('Code.'))
  t.end()
})

await t.test('units of a directory that may say who has left are asked, by unit', (t) => {
  const table = (gone: string) => {
    const rows = ['Ana', 'Bo', 'Cy', 'Di', 'Ed'].map((name, at) => {
      const unit = at === 3 ? gone : 'Sales'
      const dn = `CN=Ek\\, ${name},OU=${unit},DC=corp,DC=example`
      const manager = at === 0 ? '' : `CN=Ek\\, Ana,OU=Sales,DC=corp,DC=example`
      return [dn, `A${at}`, name, `Ek${at}`, `${name.toLowerCase()}@x.example`, 'Sales', manager]
    })
    const header = ['DN', 'employeeID', 'First name', 'Last name', 'mail', 'department', 'manager']
    return { header, rows, mapping: proposeFor(header, rows, TODAY) }
  }
  for (const gone of ['Disabled Users', 'Ausgeschiedene', 'Xyz']) {
    const { mapping, rows, header } = table(gone)
    const [column] = listQuestions(mapping)
    t.match(column, { about: 'to', header: 'DN', likely: 'status' }, gone)
    const columns = mapping.columns.map((one) => (one.header === 'DN' ? { header: 'DN', to: 'status' as const } : one))
    const { sample, add } = collectSamples(header.length)
    for (const cells of rows) add(cells)
    const chosen = doAtOnce(completeReadings({ ...mapping, columns }, header, sample))
    const units = ['Sales', gone].map((unit) => `OU=${unit},DC=corp,DC=example`)
    t.strictSame(Object.keys(chosen.columns[0]!.words!).toSorted(), units.toSorted(), gone)
    const words = { [units[0]!]: 'active', [units[1]!]: 'inactive' } as const
    const file = openRows(
      { line: 1, cells: header },
      { ...chosen, columns: [{ ...chosen.columns[0]!, words }, ...chosen.columns.slice(1)] },
      TODAY,
    )
    const statuses = rows.map((cells, at) => JSON.parse(file.read({ line: at + 2, cells }).json).status)
    t.strictSame(statuses, ['active', 'active', 'active', 'inactive', 'active'], gone)
  }
  t.equal(table('Sales').mapping.columns[0]!.to, 'key', 'one unit says nothing')
  t.end()
})

await t.test('a path of a department of people who have left is asked', (t) => {
  const table = (path: string) => `Emp No,First Name,Last Name,Email,Org Unit Path
1,Ned,Owen,ned@x.example,/Staff/Sales
2,Oda,Park,oda@x.example,${path}`
  t.ok(propose(table('/Staff/Former employees')).asked.includes('Org Unit Path'))
  t.end()
})

await t.test('dates of a start are asked beside those of birth and of retirement', (t) => {
  const { asked } = propose(`Emp No,First Name,Last Name,Date A,Date B,Date C
1,Ned,Owen,1980-02-01,2010-05-01,2045-02-01
2,Oda,Park,1975-03-02,2001-06-15,2040-03-02
3,Pia,Roth,1990-11-20,2015-01-01,2055-11-20
4,Quin,Shaw,1985-07-07,2012-09-01,2050-07-07`)
  t.ok(asked.includes('Date B'))
  t.notOk(asked.includes('Date A'))
  t.end()
})

await t.test('the link to a manager names nobody', (t) => {
  const { to } = propose(`Employee ID,First Name,Last Name,Email,manager.display_value,manager.link
A1,Ana,Dale,ana@x.example,,
A2,Rosa,Eades,rosa@x.example,Ana Dale,https://x.example/api/users/7f01
A3,Tess,Gower,tess@x.example,Ana Dale,https://x.example/api/users/7f01`)
  t.match(to, { 'manager.display_value': 'manager', 'manager.link': 'nothing' })
  t.end()
})

await t.test('departments with numbers are asked', (t) => {
  const { asked } = propose(`Emp No,First Name,Last Name,Email,Padalinys
1,Ned,Owen,ned@x.example,Cechas 1
2,Oda,Park,oda@x.example,Cechas 2
3,Pia,Roth,pia@x.example,Cechas 1
4,Quin,Shaw,quin@x.example,Garažas`)
  t.ok(asked.includes('Padalinys'))
  t.end()
})

await t.test('people whom others name are asked about, as they may be managers or mentors', (t) => {
  const rows = Array.from(
    { length: 8 },
    (_, at) => `A${at}0,Ana${'abcdefgh'[at]},Ek,${at}@x.example,${at > 1 ? `A${at - 1}0` : ''}`,
  )
  const { to, asked } = propose(['Staff no,First name,Last name,Email,Buddy', ...rows].join('\n'))
  t.equal(to['Buddy'], null)
  t.ok(asked.includes('Buddy'))
  t.end()
})

await t.test('addresses that several rows share are asked, as they may be those of managers', (t) => {
  const rows = Array.from(
    { length: 20 },
    (_, at) => `A${at}0,Ana${'abcdefghijklmnopqrst'[at]},Ek,boss${at % 9}@x.example`,
  )
  t.ok(propose(['Staff no,First name,Last name,Kontakt', ...rows].join('\n')).asked.includes('Kontakt'))
  t.end()
})

await t.test('two columns of statuses that disagree are asked', (t) => {
  const table = (other: string) => `Staff no,First name,Last name,Email,Account status,Employment status
1,Ana,Ek,a@x.example,Active,Active
2,Bo,Li,b@x.example,Disabled,${other}
3,Cy,Roth,c@x.example,Active,Terminated`
  t.strictSame(propose(table('Active')).asked, ['Account status', 'Employment status'])
  const same = table('Disabled').replaceAll('Terminated', 'Active')
  t.strictSame(propose(same).asked, [], 'unless they are the same')
  t.end()
})
