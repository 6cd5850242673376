import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { utils, write as writeWorkbook } from '@e965/xlsx'
import t from 'tap'
import { encodeText } from '../../support/files/encode-text.ts'
import { hostileWorkbooks } from '../../support/files/hostile-workbooks.ts'
import { startSending } from '../../support/run-send.ts'

/* How the command that sends a file reads it, as a process of its own, against the service. */

const { service, proxy, folder, run, write } = await startSending(t)
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `x-${at},Ana\n`).join('')

await service.call('POST', '/v1/employees', {
  body: ['staff-1', 'staff-5'].map((id) => ({ external_id: id, first_name: 'Ana', last_name: id })),
})

await t.test('a column that is not an attribute is named, and used as the options say', async (t) => {
  write('columns.csv', 'external_id;Shoe size;Note\nstaff-1;42;x\n')
  t.match(await run(['send', 'columns.csv']), {
    code: 1,
    err: /not attributes: Shoe size, Note\. Name each in --custom/,
  })
  const uses = ['--custom', 'Shoe size', '--ignore', 'Note']
  t.match(await run(['send', 'columns.csv', ...uses]), { code: 0, out: /1 changed/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=staff-1')).body
  t.match(items[0].custom_attributes, { 'Shoe size': 42 })
  t.match(await run(['send', 'columns.csv', ...uses, '--ignore', 'Nope']), { code: 2, err: /named Nope/ })
})

await t.test('what only a person knows is asked, and answered by a mapping; managers are sent first', async (t) => {
  const header = 'Personalnummer;Vorname;Nachname;Eintritt;Vorgesetzter'
  const rows = ['M1;Ana;Perez;03.04.2019;Cy Fox', 'M2;Bo;Ek;05.06.2020;Ana Perez', 'M3;Cy;Fox;01.02.2003;']
  write('mapped.csv', [header, ...rows].join('\n'))
  t.match(await run(['send', 'mapped.csv', '--max-records', '1']), {
    code: 1,
    err: /line 1, column 4: Column "Eintritt" has dates that may be two different days/,
  })
  const columns = [
    { header: 'Personalnummer', to: 'external_id' },
    { header: 'Vorname', to: 'first_name' },
    { header: 'Nachname', to: 'last_name' },
    { header: 'Eintritt', to: 'start_date', dates: 'day_first' },
    { header: 'Vorgesetzter', to: 'manager', by: 'full_name' },
  ]
  // The file has no phone numbers and no end dates, so what is open about these is not asked.
  write('mapping.json', JSON.stringify({ columns, country: null, past_end_dates: null }))
  const mapped = ['send', 'mapped.csv', '--max-records', '1', '--map', 'mapping.json']
  t.match(await run(mapped), { code: 0, out: /3 records sent: 3 created/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=M1')).body
  t.match(items, [{ start_date: '2019-04-03', manager_id: /^emp_/ }])
  write('mapping.json', '[]')
  t.match(await run(mapped), { code: 2, err: /mapping\.json is not a mapping/ })
})

await t.test('a proposal is sent once somebody has seen it, as a mapping that the command wrote', async (t) => {
  const header = 'Personalnummer;Vorname;Nachname;Eintritt;Zustand'
  const rows = ['S1;Ana;Perez;03.04.2019;da', 'S2;Bo;Ek;05.06.2020;weg']
  write('seen.csv', [header, ...rows].join('\n'))
  const { code, out } = await run(['send', 'seen.csv', '--save-map', 'seen.json'])
  t.equal(code, 0)
  t.match(
    out,
    /seen\.json; \d choices in it are open, and null; nothing was sent[^]*'Eintritt:dates=day_first\|month_first/,
  )
  const saved = JSON.parse(readFileSync(path.join(folder, 'seen.json'), 'utf8'))
  t.match(saved.columns[3], { header: 'Eintritt', to: 'start_date', dates: null })
  t.match(saved.columns[4], { header: 'Zustand', to: null, likely: 'status' })
  const open = await run(['send', 'seen.csv', '--map', 'seen.json'])
  t.match(open, { code: 1, err: /--answer 'Zustand:to=/ })
  const answers = [
    'Eintritt:dates=day_first',
    'Zustand:to=status',
    'Zustand:words:da=active',
    'Zustand:words:weg=inactive',
  ]
  const options = answers.flatMap((answer) => ['--answer', answer])
  t.match(await run(['send', 'seen.csv', ...options]), {
    code: 1,
    err: /nobody has confirmed the proposed meaning of these columns: Personalnummer/,
  })
  t.match(await run(['send', 'seen.csv', ...options, '--dry-run']), { code: 0, out: /2 created/ })
  t.match(await run(['send', 'seen.csv', ...options, '--save-map', 'seen.json']), {
    code: 0,
    out: /nothing in it is open/,
  })
  t.match(await run(['send', 'seen.csv', '--map', 'seen.json']), { code: 0, out: /2 created/ })
  const found = (await service.call('GET', '/v1/employees?external_id=S2')).body
  t.match(found.items, [{ start_date: '2020-06-05', status: 'inactive' }])

  write('seen.csv', [`${header};Ort`, ...rows.map((row) => `${row};Jena`)].join('\n'))
  const more = await run(['send', 'seen.csv', '--map', 'seen.json'])
  t.match(more, { code: 0, out: /2 unchanged/, err: /not used, because the mapping does not name it: Ort/ })
  write('seen.csv', [`${header};Austritt`, ...rows.map((row) => `${row};2024-05-31`)].join('\n'))
  const leaving = await run(['send', 'seen.csv', '--map', 'seen.json'])
  t.match(leaving, { code: 1, err: /--answer 'Austritt:to=/ }, 'a new column that says who has left is asked about')
  t.match(await run(['send', 'seen.csv', '--map', 'seen.json', '--ignore', 'Austritt']), { code: 0 })
  write('seen.csv', [header.replace('Zustand', 'Stand'), ...rows].join('\n'))
  t.match(await run(['send', 'seen.csv', '--map', 'seen.json']), {
    code: 1,
    err: /"Zustand", which the file doesn't have/,
  })
  write('seen.csv', [`Zustand;${header}`, ...rows.map((row) => `da;${row}`)].join('\n'))
  t.match(await run(['send', 'seen.csv', '--map', 'seen.json']), {
    code: 1,
    err: /"Zustand", which the file has more or fewer times/,
  })

  write('one.json', JSON.stringify({ columns: [{ header: 'Nachname', to: 'division' }] }))
  write('seen.csv', 'Personalnummer;Vorname;Nachname\nS1;Eva;Ops')
  t.match(await run(['send', 'seen.csv', '--map', 'one.json']), { code: 0, out: /1 changed/ })
  const [one] = (await service.call('GET', '/v1/employees?external_id=S1')).body.items
  t.match(one, { first_name: 'Eva', division: 'Ops', last_name: 'Perez' }, 'a mapping of one column keeps the others')
  t.match(await run(['send', 'seen.csv', '--answer', 'Vorname:to=nonsense']), { code: 2, err: /give COLUMN:QUESTION=/ })
})

await t.test('a mapping with a mistake is refused, and says where it is', async (t) => {
  write('ok.csv', 'Nummer,Vorname,Zustand\nX1,Ana,da')
  const mistakes: [change: Record<string, unknown>, err: RegExp][] = [
    [{ past_end_date: 'deactivate' }, /ok\.json: a mapping has no choice "past_end_date"/],
    [{ past_end_dates: 'yes' }, /ok\.json: past_end_dates is "yes", and must be keep\|deactivate/],
    [{ country: 'Germany' }, /ok\.json: country is "Germany", and must be company\|CODE/],
    [{ columns: [{ header: 'Nummer', to: 'staff_id' }] }, /column "Nummer": to is "staff_id", and must be id\|/],
    [{ columns: [{ header: 'Nummer', to: 5 }] }, /column "Nummer": to is 5/],
    [{ columns: [{ header: 'Nummer', to: 'custom', name: 5 }] }, /column "Nummer": name must be a text/],
    [{ columns: [{ header: 'Zustand', to: 'status', words: { da: 'here' } }] }, /"Zustand": words:da is "here"/],
    [{ columns: [{ header: 'Zustand', to: 'status', word: {} }] }, /"Zustand": a mapping has no choice "word"/],
  ]
  for (const [change, err] of mistakes) {
    write('ok.json', JSON.stringify({ columns: [], ...change }))
    t.match(await run(['send', 'ok.csv', '--map', 'ok.json']), { code: 2, out: '', err })
  }
  write('ok.json', '{"columns": [,]}')
  t.match(await run(['send', 'ok.csv', '--map', 'ok.json']), { code: 2, err: /ok\.json is not JSON: Unexpected token/ })
  const columns = [
    { header: 'Nummer', to: 'external_id' },
    { header: 'Vorname', to: 'first_name' },
    { header: 'Zustand', to: 'nothing' },
  ]
  write('ok.json', `\ufeff${JSON.stringify({ columns, needs_review: true })}`)
  t.match(await run(['send', 'ok.csv', '--map', 'ok.json']), { code: 0, out: /1 created/ })
})

await t.test('a manager whom nobody knows is asked about before anything is sent, and left out', async (t) => {
  const columns = [
    { header: 'Nummer', to: 'external_id' },
    { header: 'Vorname', to: 'first_name' },
    { header: 'Chef', to: 'manager' },
  ]
  write('chief.json', JSON.stringify({ columns }))
  const send = (...more: string[]) => run(['send', 'chief.csv', '--map', 'chief.json', ...more])
  write('chief.csv', 'Nummer,Vorname,Chef\nC1,Ana,staff-5\nC2,Bo,C1')
  t.match(await send(), { code: 0, out: /2 created/ }, 'what names managers is found by their values')
  const [bo] = (await service.call('GET', '/v1/employees?external_id=C2')).body.items
  t.match(bo, { manager_id: /^emp_/ })
  for (const header of ['Chef', 'manager_external_id']) {
    write('chief.csv', `Nummer,Vorname,${header}\nC1,Ana,staff-5\nC2,Bo,C1\nC3,Cy,C9`)
    write('chief.json', JSON.stringify({ columns: columns.slice(0, header === 'Chef' ? 3 : 2) }))
    const asked = await send()
    t.match(asked, { code: 1, out: '', err: /People in 1 rows have a manager[^]*--answer 'unknown_managers=refuse\|/ })
    const left = await send('--answer', 'unknown_managers=leave_out')
    t.match(left, { code: 0, err: /line 4, column 3: "C9" is nobody in the file: left out/ })
    const found = await service.call('GET', '/v1/employees?external_id=C3')
    t.match(found.body.items, [{ manager_id: null }])
    t.match(await send('--answer', 'unknown_managers=refuse'), { code: 1, err: /No employee matches this manager/ })
  }
  const many = Array.from({ length: 30 }, (_, at) => `D${at},Di,E${at}`)
  await service.project()
  write('chief.csv', ['Nummer,Vorname,manager_external_id', ...many, 'D30,Ed,C1'].join('\n'))
  t.match(await send(), { code: 1, err: /People in 30 rows have a manager/ })
})

await t.test('where values that cannot be read are left out, who has left is asked all the same', async (t) => {
  write('left.csv', 'Personalnummer,Vorname,Austritt\nL1,Ana,2024-01-31')
  const columns = [
    { header: 'Personalnummer', to: 'external_id' },
    { header: 'Vorname', to: 'first_name' },
    { header: 'Austritt', to: 'termination_date' },
  ]
  write('left.json', JSON.stringify({ columns, unreadable_values: 'leave_out' }))
  const asked = await run(['send', 'left.csv', '--map', 'left.json'])
  t.match(asked, { code: 1, err: /leaves open who has left[^]*--answer 'past_end_dates=/ })
  const answered = await run(['send', 'left.csv', '--map', 'left.json', '--answer', 'past_end_dates=deactivate'])
  t.match(answered, { code: 0, out: /1 created/ })
  const [one] = (await service.call('GET', '/v1/employees?external_id=L1')).body.items
  t.match(one, { status: 'inactive' })
})

await t.test('a repeated row is sent once, and marks at names and texts for end dates are asked', async (t) => {
  const rows = ['D1,Ana,Berg,offen', 'D2,Bo,Lind (ausgetreten),31.01.2024', 'D1,Ana,Berg,offen']
  write('marks.csv', ['external_id,first_name,last_name,termination_date', ...rows].join('\n'))
  const asked = await run(['send', 'marks.csv'])
  t.match(asked, { code: 1, err: /--answer 'termination_date:words:offen=active\|inactive'/ })
  t.match(asked.err, /--answer 'last_name:words:ausgetreten=/)
  const answers = ['termination_date:words:offen=active', 'last_name:words:ausgetreten=inactive']
  const sent = await run(['send', 'marks.csv', ...answers.flatMap((answer) => ['--answer', answer])])
  t.match(sent, { code: 0, out: /2 records sent: 2 created/, err: /line 4: Repeats line 2: left out/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=D2')).body
  t.match(items, [{ last_name: 'Lind', status: 'inactive', termination_date: '2024-01-31' }])
})

await t.test('a mapping is asked again where a later file has another word, or other dates, than before', async (t) => {
  const columns = [
    { header: 'Nummer', to: 'external_id' },
    { header: 'Vorname', to: 'first_name' },
    { header: 'Eintritt', to: 'start_date', dates: 'day_first' },
    { header: 'Zustand', to: 'status', words: { da: 'active', weg: 'inactive' } },
  ]
  write('nights.json', JSON.stringify({ columns, unreadable_values: 'leave_out' }))
  const night = async (rows: readonly string[], ...more: string[]) => {
    write('night.csv', ['Nummer,Vorname,Eintritt,Zustand', ...rows].join('\n'))
    return run(['send', 'night.csv', '--map', 'nights.json', '--partly', ...more])
  }
  t.match(await night(['T1,Ana,01.02.2019,da', 'T2,Bo,03.04.2020,da']), { code: 0, out: /2 created/ })
  const fired = await night(['T1,Ana,01.02.2019,da', 'T2,Bo,03.04.2020,freigestellt'])
  t.match(fired, { code: 1, err: /leaves open who has left[^]*--answer 'Zustand:words:freigestellt=active\|inactive'/ })
  const turned = ['T1,Ana,02/01/2019,da', 'T2,Bo,04/03/2020,weg']
  const proven = await night([...turned, 'T3,Cy,02/28/2021,da'])
  t.match(proven, { code: 1, err: /in a different order from before[^]*--answer 'Eintritt:dates=day_first/ })
  await service.project()
  const unproven = await night(turned)
  t.match(unproven, {
    code: 1,
    err: /the day and the month of 2 dates of start_date would be exchanged[^]*Eintritt:dates=/,
  })
  const stored = async () => (await service.call('GET', '/v1/employees?external_id=T2')).body.items[0]
  t.match(await stored(), { start_date: '2020-04-03', status: 'active' })
  t.match(await night(turned, '--answer', 'Eintritt:dates=month_first'), { code: 0, out: /1 changed, 1 unchanged/ })
  t.match(await stored(), { start_date: '2020-04-03', status: 'inactive' })
  t.match(await night(turned, '--answer', 'Eintritt:dates=day_first'), { code: 0, out: /2 changed/ })
})

await t.test(
  'a file whose ids are those of other people, or have other zeros, is refused before anything is sent',
  async (t) => {
    const people = ['Ana Alt', 'Bo Berg', 'Cy Chan', 'Di Dorn'].map((name, at) => [`0${at + 71}`, ...name.split(' ')])
    const night = (rows: readonly string[][], ...more: string[]) => {
      write('moved.csv', ['external_id,first_name,last_name', ...rows.map((cells) => cells.join(','))].join('\n'))
      return run(['send', 'moved.csv', ...more])
    }
    t.match(await night(people), { code: 0, out: /4 created/ })
    await service.project()
    const look = /Nothing was sent\. Correct the file; or upload it on the page Upload file/
    const others = people.map((cells, at) => cells.with(0, people[(at + 1) % 4]![0]!))
    for (const more of [[], ['--dry-run'], ['--partly']]) {
      const moved = await night(others, ...more)
      t.match(moved, { code: 1, out: '', err: /by names or email addresses, 4 of 4 rows are about other people than/ })
      t.match(moved.err, look)
    }
    const respelled = await night(people.map(([id = '', ...names]) => [id.slice(1), ...names]))
    t.match(respelled, { code: 1, out: '', err: /4 people have the external_id of their row with more or fewer zeros/ })
    t.match(respelled.err, look)
    const turned = await night(people.map(([id = '', first = '', last = '']) => [id, last, first]))
    t.match(turned, { code: 1, out: '', err: /the first_name and last_name of 4 of 4 people would be exchanged/ })
    t.match(await night(people.with(0, ['071', 'Ana', 'Neu'])), { code: 0, out: /1 changed, 3 unchanged/ })
    const { body: writing } = await service.manage('POST', '/api-keys', { name: 'Writes', scopes: ['employees:write'] })
    const unseen = await run(['send', 'moved.csv'], { API_ID: writing.id, API_KEY: writing.api_key })
    t.match(unseen, { code: 0, out: /4 unchanged/ }, 'a key that must not read people compares nothing')
  },
)

await t.test('encodings of spreadsheets are recognized', async (t) => {
  const csv = 'external_id\tlast_name\nstaff-5\tMüller\n'
  const encoded = [
    Buffer.from(`\ufeff${csv}`),
    Buffer.from(`\ufeff${csv}`, 'utf16le'),
    Buffer.from(`\ufeff${csv}`, 'utf16le').swap16(),
    Buffer.from(csv, 'latin1'),
  ]
  for (const bytes of encoded) {
    write('encoded.csv', bytes)
    const { code, err } = await run(['send', 'encoded.csv'])
    t.equal(code, 0, err)
    const { items } = (await service.call('GET', '/v1/employees?external_id=staff-5')).body
    t.equal(items[0].last_name, 'Müller')
  }
})

await t.test('an encoding that is not certain is asked for, with what each would make of the file', async (t) => {
  write('asked.csv', encodeText('external_id,last_name\nstaff-5,Ţugui\n', 'windows-1250'))
  t.match(await run(['send', 'asked.csv']), {
    code: 1,
    err: /encoding of the file is not certain[^]*--encoding windows-1250 {2}Central European \(Windows-1250\): "Ţugui"/,
  })
  t.match(await run(['send', 'asked.csv', '--encoding', 'cp1250']), { code: 0, out: /1 changed/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=staff-5')).body
  t.equal(items[0].last_name, 'Ţugui')
  t.match(await run(['send', 'asked.csv', '--encoding', 'ebcdic']), {
    code: 2,
    err: /the encoding ebcdic cannot be read\. Save/,
  })
})

await t.test('a file that cannot be read is refused at its line, before anything is sent', async (t) => {
  let seen = 0
  proxy.onRequest = () => void (seen += 1)
  const cases: [string, string | Buffer, RegExp][] = [
    ['empty', '', /line 1: The file is empty/],
    ['blank', ' \n\n', /line 1: The file is empty/],
    ['only a header', 'email\n', /line 1: The file has no records/],
    ['a column twice', 'email,email\na@example.com,b\n', /line 1, column 2: Column "email" isn't mapped/],
    ['NUL', 'email\na@example.com\nb\0@example.com\n', /line 3: This line contains U\+0000/],
    [
      'mixed encodings',
      Buffer.concat([Buffer.from('email\näöüß\n'), Buffer.from('é\n', 'latin1')]),
      /line 3: A character/,
    ],
    [
      'a damaged number',
      `external_id,first_name\n${numbered(1_500)}x,4.9E+12\n`,
      /line 1502, column 2: "4\.9E\+12" was shortened/,
    ],
    ['only separators', `email\n${','.repeat(1_000_000)}`, /line 2: The line has more than 2000 cells/],
    ['an open quotation mark', 'email\n"a@example.com\n', /line \d: A cell that begins with a quotation mark/],
    ['JSON that ends early', '[{"email": "a@example.com"},\n{"email"', /line 2: The list does not end/],
    ['an object', '{"email": "a@example.com"}', /line 1: The file must be a list of employees/],
    ['no JSON', '[\n{"email": "a@example.com"},\n{email: 1}]', /line 3: The record that begins here is not valid JSON/],
    ['five million numbers', `[${'0,'.repeat(5_000_000)}0]`, /line 1: The record that begins here is not an object/],
    ['a list in the list', '[{"email": "a@example.com"},\n[]]', /line 2: The record that begins here is not an object/],
    ['a comma too many', '[{"email": "a@example.com"},\n]', /line 2: The record that begins here is not valid JSON/],
    ['two lists', '[{"email": "a@example.com"}]\n[]', /line 2: Something else follows the list/],
    ['an empty list', '[]', /line 1: The file has no records/],
  ]
  for (const [name, content, err] of cases) {
    write('hostile', content)
    t.match(await run(['send', 'hostile']), { code: 1, err }, name)
  }
  proxy.onRequest = () => undefined
  t.equal(seen, 0)
})

await t.test('with --partly, the rows that can be read are sent, and the others are named', async (t) => {
  write('mixed.csv', 'external_id,first_name,start_date\nP1,Ana,2024-01-31\nP2,Bo,soon\nP3,Cy,2024-02-30\n')
  t.match(await run(['send', 'mixed.csv']), { code: 1, out: '', err: /line 3, column 3[^]*line 4, column 3/ })
  const counts = '1 created, 0 changed, 0 unchanged, 0 refused, 2 unreadable'
  t.match(await run(['send', 'mixed.csv', '--partly', '--dry-run']), { code: 1, out: `1 records checked: ${counts}` })
  const { code, out, err } = await run(['send', 'mixed.csv', '--partly'])
  t.match({ code, out }, { code: 1, out: `1 records sent: ${counts}` })
  t.match(err, /line 3, column 3[^]*line 4, column 3[^]*mixed\.csv: 0 refused, 2 unreadable/)
  t.equal((await service.call('GET', '/v1/employees?external_id=P1')).body.items.length, 1)
  write('mixed.csv', 'external_id,first_name,start_date\nP2,Bo,soon\n')
  t.match(await run(['send', 'mixed.csv', '--partly']), { code: 1, out: '', err: /line 2, column 3/ })
})

await t.test('a workbook is sent as it is, managers first', async (t) => {
  const rows = [
    ['Staff list'],
    [],
    ['External ID', 'First name', 'Last name', 'Manager ID'],
    ['W2', 'Bo', 'Ek', 'W1'],
    ['W1', 'Ana', 'Po'],
  ]
  const sheet = utils.aoa_to_sheet(rows)
  write('staff.xlsx', writeWorkbook({ SheetNames: ['Staff'], Sheets: { Staff: sheet } }, { type: 'buffer' }) as Buffer)
  const { code, out, err } = await run(['send', 'staff.xlsx', '--max-records', '1'])
  t.equal(code, 0, err)
  t.match(out, /2 records sent: 2 created/)
  t.match(err, /Stands above the line that names the columns/)
  const [{ manager_id: manager }] = (await service.call('GET', '/v1/employees?external_id=W2')).body.items
  t.equal((await service.call('GET', `/v1/employees/${manager}`)).body.external_id, 'W1')
})

await t.test('a small workbook that takes much ends with what was too much, before anything is sent', async (t) => {
  const wanted = ['the most repeated rows and cells', '20 million empty cells in a row', 'a cell that is repeated']
  for (const { name, content } of hostileWorkbooks((name) => wanted.includes(name))) {
    write('hostile.ods', content)
    t.match(await run(['send', 'hostile.ods']), { code: 1, out: '', err: /line \d+: .*(?:more|longer) than \d+/ }, name)
  }
})

await t.test('a named pipe is no file, also without anybody who writes to it', async (t) => {
  execFileSync('mkfifo', [path.join(folder, 'pipe')])
  t.match(await run(['send', 'pipe']), { code: 2, err: /pipe is not a file/ })
})
