import t from 'tap'
import { findLogEntry } from '../../projections/bulk-user-logs/queries.ts'
import { readRefusals } from '../../projections/bulk-user-logs/records-queries.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t, { SIGN_IN_LIMIT: '0' })
const cookie = await cookieOf(service, service.company.admin)
const LOGS = '/settings/bulk-user-logs'

/** Calls the API and returns the path of the entry's page. */
async function call(method: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown, key = service.company.key) {
  const answer = await service.call(method, path, { body, key })
  await service.project()
  return `${LOGS}/${answer.body.log_id}`
}

async function open(path: string) {
  const { status, text } = await browse(service, path, { cookie })
  const main = text.slice(text.indexOf('<main'))
  const plain = (html = '') =>
    html
      .replaceAll('<td', ' <td')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  const find = (pattern: RegExp) => plain(pattern.exec(main)?.[1])
  return {
    status,
    main,
    title: plain(/<title>([^]*?)<\/title>/.exec(text)![1]),
    heading: find(/<h1>([^]*?)<\/h1>/),
    outcome: find(/<p class="entry-outcome">([^]*?)<\/p>/),
    causes: [...main.matchAll(/<li>\s*(<span class="unbroken">[^]*?<\/a>)/g)].map(([, cause]) => plain(cause)),
    counts: find(/<section class="entry-counts"[^>]*>([^]*?)<\/section>/),
    records: [...main.matchAll(/<tbody class="record"[^>]*>([^]*?)<\/tbody>/g)].map(([, body]) =>
      plain(body!.replaceAll(/<details>[^]*?<\/details>/g, '')),
    ),
  }
}

const people = Array.from({ length: 4 }, (_, at) =>
  employee({ first_name: `P${at}`, last_name: 'Pérez', external_id: `X-${at}`, department: 'Sales' }),
)
const created = await call('POST', '/v1/employees', people)
const locate = (at: number, patch: object) => ({ external_id: `X-${at}`, ...patch })

const faulty = await call('PATCH', '/v1/employees', [
  locate(0, { phone: '1', shoe_size: 42 }),
  locate(1, { phone: '2' }),
  locate(2, {}),
  { email: 'gone@example.com' },
])

await t.test('an entry begins with a sentence: which key asked for what, and what happened', async (t) => {
  const outcomes: [body: unknown, outcome: string][] = [
    [[locate(0, { department: 'A' })], 'updated 1 employee.'],
    [[locate(0, { department: 'A' })], 'tried to update 1 employee. The employee was already up to date.'],
    [
      [locate(0, { department: 'A' }), locate(1, { department: 'Sales' })],
      'tried to update 2 employees. All were already up to date.',
    ],
    [
      [locate(0, { department: 'B' }), locate(1, { department: 'Sales' })],
      'updated 1 of 2 employees; 1 was already up to date.',
    ],
    [
      [locate(0, { status: 'inactive' }), locate(1, { department: 'B' })],
      'updated 1 and deactivated 1 of 2 employees.',
    ],
    [[locate(1, { status: 'inactive' }), locate(2, { status: 'inactive' })], 'deactivated 2 employees.'],
    [[locate(0, { phone: '1' })], 'tried to update 1 employee. Nothing was applied: the record has errors.'],
    [
      [locate(0, { phone: '1' }), locate(9, {})],
      'tried to update 2 employees. Nothing was applied: all 2 records have errors.',
    ],
    [
      [locate(0, { phone: '1' }), locate(1, {})],
      'tried to update 2 employees. Nothing was applied: 1 of 2 records has errors; the other one was valid.',
    ],
    ['[', 'tried to update employees. Nothing was applied.'],
  ]
  for (const [body, outcome] of outcomes)
    t.equal((await open(await call('PATCH', '/v1/employees', body))).outcome, `HR sync ${outcome}`)
  t.equal((await open(created)).outcome, 'HR sync created 4 employees.')
  const upserted = await open(
    await call('PUT', '/v1/employees', [employee(), locate(2, { department: 'C' }), locate(3, { status: 'inactive' })]),
  )
  await call('PATCH', '/v1/employees', [locate(3, { status: 'active' })])
  t.match(upserted, {
    title: 'Create or update 3 · \u2068HR sync\u2069 · completed · employee-ledger',
    outcome: 'HR sync created 1, updated 1 and deactivated 1 of 3 employees.',
  })
  t.match(upserted.records[0], /^Record 1 .* Created .*@.* Status active/, 'what a created record set')
})

await t.test('the title and the heading tell tabs apart', async (t) => {
  const failed = await call('PATCH', '/v1/employees', [locate(0, { phone: '1' })])
  t.match(await open(failed), {
    title: 'Update 1 · \u2068HR sync\u2069 · failed · employee-ledger',
    heading: 'Update 1 · HR sync Failed',
  })
  t.match(await open(`${failed}/records/0`), {
    title: 'Record 1 · Update 1 · \u2068HR sync\u2069 · failed · employee-ledger',
    heading: 'Record 1 · Update 1 · HR sync Failed',
  })
  t.match(await open(created), { title: 'Create 4 · \u2068HR sync\u2069 · completed · employee-ledger' })
  t.match(await open(await call('POST', '/v1/employees', '[')), { heading: 'Create · HR sync Failed' })
})

await t.test('causes are grouped and counted, most frequent first', async (t) => {
  const page = await open(faulty)
  t.strictSame(page.causes, [
    '2 × phone is too short for a phone number',
    '1 × No such employee exists: email',
    '1 × This field does not exist; put your own fields into custom_attributes: shoe_size',
  ])
  t.match(page.counts, /Failed 4 .*Failed counts all records.*sends the others/)
  t.equal(page.records.length, 3)
})

await t.test('errors that name different employees have the same cause', async (t) => {
  const taken = [employee({ external_id: 'X-1' }), employee({ external_id: 'X-2' })]
  t.strictSame((await open(await call('POST', '/v1/employees', taken))).causes, [
    '2 × The inactive employee has this external id; reactivate that employee or send another value: external_id',
  ])
  const twice = [1, 2].flatMap((at) => [locate(at, { department: 'A' }), locate(at, { department: 'B' })])
  t.strictSame((await open(await call('PATCH', '/v1/employees', twice))).causes, [
    '4 × Another record of the call refers to the same employee: external_id',
  ])
})

await t.test('a cause filters the records and can be downloaded', async (t) => {
  const page = await open(faulty)
  for (const query of ['invalid_format%3A%2Fphone', 'employee_not_found%3A%2Femail', 'unknown_field%3A%2Fshoe_size']) {
    t.match(page.main, `href="${faulty}?error=${query}#causes"`)
    for (const file of ['failed-records.csv', 'failed-records.json'])
      t.match(page.main, `href="${faulty.replace('/settings', '/admin/v1')}/${file}?error=${query}"`)
  }
  const filtered = await open(`${faulty}?error=unknown_field%3A%2Fshoe_size`)
  t.match(filtered.records, [/^Record 1 P0 Pérez phone &quot;1&quot; .* number shoe_size 42 This field does not exist/])
  t.equal(filtered.causes.length, 3, 'the others stay, to choose another')
})

await t.test('a refused record shows who, where, what was sent and why', async (t) => {
  const { records } = await open(faulty)
  t.match(records[2], /^Record 4 gone@example\.com email &quot;gone@example\.com&quot; No such employee exists/)
})

await t.test('an updated record shows each change, and outcomes are filters', async (t) => {
  const path = await call('PATCH', '/v1/employees', [
    locate(0, { department: 'C', job_title: 'Dev' }),
    locate(1, { department: 'B' }),
    locate(3, { status: 'inactive' }),
  ])
  const { records, main } = await open(path)
  t.strictSame(records, [
    'Record 1 P0 Pérez Synced Department from B → to C Job title from not set → to Dev',
    'Record 2 P1 Pérez No Updates No changes',
    'Record 3 P3 Pérez Deactivated Status from active → to inactive',
  ])
  t.match(main, `href="${path}?status=No+Updates#records"`)
  t.match(main, /href="[^"]*\?status=All#records"\s+aria-current="true"/)
  t.match((await open(`${path}?status=No+Updates`)).records, [/^Record 2 /])
})

await t.test(
  'an entry with more than a page of records opens on what changed, and the others are a click away',
  async (t) => {
    const body = Array.from({ length: 130 }, (_, at) => employee({ external_id: `M-${at}`, department: 'Old' }))
    await call('POST', '/v1/employees', body)
    const change = (at: number) => (at < 60 ? { department: 'New' } : at < 62 ? { status: 'inactive' } : {})
    const path = await call(
      'PATCH',
      '/v1/employees',
      body.map(({ external_id: id }, at) => ({ external_id: id, ...change(at) })),
    )
    const page = await open(path)
    const outcomes = [
      ...page.main.matchAll(
        /<a\s+href="([^"]*)"\s+(aria-current="true")?\s*>(\w[\w ]*?) <span class="unbroken">(\d+)/g,
      ),
    ]
    t.strictSame(
      outcomes.map(([, href, current, label, count]) => [href, current !== undefined, label, count]),
      [
        [`${path}?status=All#records`, false, 'All', '130'],
        [`${path}?status=Changed#records`, true, 'Changed', '62'],
        [`${path}?status=Synced#records`, false, 'Synced', '60'],
        [`${path}?status=Deactivated#records`, false, 'Deactivated', '2'],
        [`${path}?status=No+Updates#records`, false, 'No Updates', '68'],
      ],
    )
    t.match(page.main, `/records.csv?status=Changed"`)
    t.equal(page.records.length, 50)
    const [, next] = /<a[^>]*href="([^"]*cursor=[^"]*)#records"/.exec(page.main)!
    const second = await open(next!.replaceAll('&amp;', '&'))
    t.equal(second.records.length, 12, 'the next page has the rest of what changed')
    t.match(second.records.at(-1), /^Record 62 .* Deactivated/)
    t.equal((await open(`${path}?status=All`)).records.length, 50)
    t.match((await open(`${path}?q=M-129`)).records, [/^Record 130 .* No Updates/], 'a search looks in all of them')
  },
)

await t.test('with one kind of change, an entry opens on that', async (t) => {
  const path = await call(
    'PATCH',
    '/v1/employees',
    Array.from({ length: 60 }, (_, at) => ({ external_id: `M-${at}`, department: at === 7 ? 'Newer' : 'New' })),
  )
  const page = await open(path)
  t.match(page.records, [/^Record 8 .* Synced Department from New → to Newer/])
  t.notMatch(page.main, 'status=Changed')
})

await t.test('a chosen cause stays among the causes that are shown', async (t) => {
  const body = Array.from({ length: 9 }, (_, at) => ({ ...locate(0, {}), [`field${at}`]: 1 }))
  const path = await call('PATCH', '/v1/employees', body)
  const { main } = await open(`${path}?error=unknown_field%3A%2Ffield8`)
  const [shown] = main.split('<details class="further">')
  t.match(shown, /field8#causes" aria-current="true"/)
  t.match(main, /<a href="[^"]*#causes" aria-label="Remove this filter">/)
})

await t.test('a call refused as a whole shows the message of the API instead of records', async (t) => {
  const page = await open(await call('POST', '/v1/employees', '['))
  t.match(page.main, /<span id="api-error">The body is not valid JSON/)
  t.strictSame([page.records, page.causes], [[], []])
  t.notMatch(page.main, /download/)
})

await t.test('a filter that is not valid is a 400 that names it and leads back to all records', async (t) => {
  for (const query of ['status=Lost', 'error=Bad', `q=${'x'.repeat(255)}`]) {
    const { status, main, outcome } = await open(`${faulty}?${query}`)
    t.equal(status, 400, query)
    t.match(main, `This filter is not valid: ${query.split('=')[0]}`)
    t.match(main, 'Show all records')
    t.not(outcome, '')
  }
})

await t.test('the page says how many failed records are not in the JSON', async (t) => {
  const large = locate(0, { job_title: 'x'.repeat(70_000) })
  const { main } = await open(await call('PATCH', '/v1/employees', [large, locate(1, { phone: '1' })]))
  t.match(main, '1 failed record is not in the JSON: it was erased or too large to keep.')
  t.match(main, 'failed-records.json')
  t.notMatch((await open(faulty)).main, 'not in the JSON')
  t.notMatch((await open(await call('PATCH', '/v1/employees', [large]))).main, 'failed records as JSON')
})

await t.test('any number of causes is shown as far as a page can show it', async (t) => {
  const body = Array.from({ length: 60 }, (_, at) => ({ ...locate(0, {}), [`field${at}`]: 1 }))
  const { main, causes } = await open(await call('PATCH', '/v1/employees', body))
  t.equal(causes.length, 50)
  t.match(main, '45 or more further causes')
})

await t.test('a limited number of errors is grouped, and the result says so', async (t) => {
  const { id: companyId } = service.company
  const entry = (await findLogEntry(service.db, companyId, faulty.split('/').at(-1)!))!
  const whole = await readRefusals(service.db, companyId, entry)
  t.equal(whole.isPartial, false)
  const total = whole.causes.reduce((sum, { records }) => sum + records, 0)
  const part = await readRefusals(service.db, companyId, entry, total - 1)
  t.equal(part.isPartial, true)
  t.equal(
    part.causes.reduce((sum, { records }) => sum + records, 0),
    total - 1,
  )
})

await t.test(
  'the entry of a call that left records out shows its causes, both kinds of records, and the way out',
  async (t) => {
    const sent = [
      locate(0, { job_title: 'Lead' }),
      locate(1, { phone: 'x' }),
      { external_id: 'nobody', job_title: 'x' },
    ]
    const url = await call('PATCH', '/v1/employees?all_or_none=false', sent)
    const page = await open(url)
    t.match(page.heading, /Completed$/)
    t.match(page.outcome, 'updated 1 of 3 employees; 2 records were refused.')
    t.match(page.counts, /Total 3 Updated 1 Deactivated 0 Failed 2 No Updates 0/)
    t.match(page.causes, [/^1 × /, /^1 × /])
    t.match(page.records, [
      /^Record 1 .*Job title/,
      /^Record 2 .*Failed phone &quot;x&quot; phone is not/,
      /^Record 3 .*Failed.*No such employee exists/,
    ])
    for (const text of ['Fix and send again', 'failed-records.json', 'records.csv']) t.match(page.main, text)
    const failed = await open(`${url}?status=Failed`)
    t.match(failed.main, '>Sent</th>', 'refused records alone have columns of their own')
    t.match(failed.main, 'failed-records.csv')
    t.equal(failed.records.length, 2)
    const upload = (await browse(service, `/settings/bulk-user-logs/upload?log=${url.split('/').at(-1)}`, { cookie }))
      .text
    t.match(upload.replaceAll(/\s+/g, ' '), '2 records were not applied.')
  },
)

await t.test('a large entry that left records out opens on these', async (t) => {
  const many = Array.from({ length: 60 }, (_, at) => employee(at === 7 ? { phone: 'x' } : {}))
  const { main, records } = await open(await call('POST', '/v1/employees?all_or_none=false', many))
  t.equal(records.length, 1)
  t.match(main, /aria-current="true"\s*>Failed /)
})
