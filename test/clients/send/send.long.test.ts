import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startSending } from '../../support/run-send.ts'

/* The command that sends a file, as a process of its own, against the service. */

const { service, proxy, folder, apiKey: API_KEY, start, run, write } = await startSending(t)

/** The entries of the calls that this file has made, oldest first. */
async function entries() {
  await service.project()
  const { items } = (await service.admin('/bulk-user-logs?limit=200')).body
  return (items as { status: string; counts: { total: number; updated: number } }[]).toReversed()
}

/** What a run adds to the log. */
async function entriesOf(act: () => Promise<unknown>) {
  const before = (await entries()).length
  await act()
  return (await entries()).slice(before).map(({ status, counts }) => [status, counts.total])
}

/** A file whose employees no other test has. */
function people(prefix: string, count: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `${prefix}-${at},Ana,Number ${at},${prefix}.${at}@example.com\n`,
  )
  return `external_id,First name,last_name,E-Mail\n${rows.join('')}`
}

await t.test('a CSV file is sent in calls, and its headers are matched as on the upload page', async (t) => {
  write('staff.csv', people('staff', 250))
  const made = await entriesOf(async () => {
    const { code, out, err } = await run(['send', 'staff.csv', '--max-records', '100'])
    t.equal(code, 0, err)
    t.equal(out, 'staff.csv: 250 records sent: 250 created, 0 changed, 0 unchanged\n')
    t.match(err, /^sent 100 of 250\nsent 200 of 250\nsent 250 of 250\n$/, 'plain lines without a terminal')
  })
  t.strictSame(made, [
    ['Completed', 100],
    ['Completed', 100],
    ['Completed', 50],
  ])
  const { items } = (await service.call('GET', '/v1/employees?external_id=staff-249')).body
  t.match(items, [{ first_name: 'Ana', email: 'staff.249@example.com' }])
  t.notOk(existsSync(path.join(folder, 'staff.csv.send-state.json')), 'nothing is left of the run')
  t.match(await run(['send', 'staff.csv']), { code: 0, out: /0 created, 0 changed, 250 unchanged/ })
})

await t.test('empty cells keep what people have, and the command says so where there are any', async (t) => {
  const of = (...rows: string[]) => `external_id,email,job_title\n${rows.map((row) => `staff-4,,${row}\n`).join('')}`
  const said = /empty cells of job_title keep what people have; \(empty\) in a cell clears it/
  write('titles.csv', of('Lead'))
  t.notMatch((await run(['send', 'titles.csv'])).err, said)
  write('titles.csv', of(''))
  t.match(await run(['send', 'titles.csv', '--dry-run']), { code: 0, out: /1 unchanged/, err: said })
  t.match(await run(['send', 'titles.csv']), { code: 0, out: /1 unchanged/, err: said })
  write('countries.csv', 'external_id,phone,country,record\nstaff-4,+491701234567,DE,\nstaff-5,+491701234568,,\n')
  t.notMatch((await run(['send', 'countries.csv'])).err, /keep what people have/, 'these columns clear nothing')
  write('titles.csv', of('(empty)'))
  t.match(await run(['send', 'titles.csv']), { code: 0, out: /1 changed/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=staff-4')).body
  t.match(items, [{ email: 'staff.4@example.com', job_title: null }])
})

await t.test('a JSON file is sent as it is written', async (t) => {
  write('list.json', '[\n {"external_id": "staff-1", "custom_attributes": {"grade": 7, "a\\/b": "x"}}\n]\n')
  t.match(await run(['send', 'list.json', '--update']), { code: 0, out: /0 created, 1 changed/ })
  const { items } = (await service.call('GET', '/v1/employees?external_id=staff-1')).body
  t.strictSame(items[0].custom_attributes, { grade: 7, 'a/b': 'x' })
  write('object.json', '{"employees": [{"external_id": "staff-2", "job_title": "Lead"}, {"external_id": "staff-3"}]}')
  t.match(await run(['send', 'object.json']), { code: 0, out: /1 changed, 1 unchanged/ })
  write('long.json', '[{"external_id": "staff-1", "custom_attributes": {"id": 12345678901234567890}}]')
  t.match(
    await run(['send', 'long.json']),
    { code: 1, err: /more digits than a double can hold/ },
    'nothing is rounded',
  )
})

await t.test('records that leave people inactive without saying so are counted', async (t) => {
  write('left.json', '[{"external_id": "staff-7", "status": "inactive"}]')
  t.match(await run(['send', 'left.json']), { code: 0, out: '1 changed, 0 unchanged\n' })
  write(
    'back.json',
    '[{"external_id": "staff-7", "job_title": "Nurse"}, {"external_id": "staff-8", "job_title": "Nurse"}]',
  )
  const out = '2 changed, 0 unchanged (1 set no status of people who stay inactive)'
  t.match(await run(['send', 'back.json', '--dry-run']), { code: 0, out })
  t.match(await run(['send', 'back.json']), { code: 0, out })
  write('back.json', '[{"external_id": "staff-7", "status": "active"}]')
  t.match(await run(['send', 'back.json']), { code: 0, out: '1 changed, 0 unchanged\n' })
})

await t.test('a dry run shows counts, and errors at line and column, and applies nothing', async (t) => {
  const rows = ['staff-1,Lead,', 'new-1,Lead,12', 'staff-9,Lead,', 'staff-8,,']
  write('dry.csv', `external_id,job_title,phone\n${rows.join('\n')}\n`)
  const made = await entriesOf(async () => {
    const { code, out, err } = await run(['send', 'dry.csv', '--dry-run', '--max-records', '2'])
    t.equal(code, 1)
    t.equal(out, 'dry.csv: 4 records checked: 0 created, 1 changed, 1 unchanged, 1 refused; nothing was applied\n')
    t.match(err, 'dry.csv: line 3, column 3: phone: phone needs a country code, unless the company has a country')
    t.match(err, /dry\.csv: line 3: first_name: /)
  })
  t.strictSame(made, [])
  t.notOk(existsSync(path.join(folder, 'dry.csv.send-state.json')))
})

await t.test('a refused call applies nothing, and says what was applied before it', async (t) => {
  write('refused.csv', `${people('refused', 5)}refused-5,Ana,X,nonsense\n`)
  const made = await entriesOf(async () => {
    const { code, err } = await run(['send', 'refused.csv', '--max-records', '2'])
    t.equal(code, 1)
    t.match(err, 'refused.csv: line 7, column 4: email: email must be a valid email address')
    t.match(err, '4 of 6 records were applied. Nothing of lines 6 to 7 was applied')
  })
  t.strictSame(
    made.map(([status]) => status),
    ['Completed', 'Completed', 'Failed'],
  )
  write('refused.csv', people('refused', 6))
  t.match(await run(['send', 'refused.csv']), { code: 0, out: /2 created, 0 changed, 4 unchanged/ }, 'corrected')
})

await t.test('with --partly, a run applies what can be applied, lists the rest, and goes on to the end', async (t) => {
  write(
    'partly.csv',
    `${people('partly', 2)}partly-2,Ana,X,nonsense\npartly-3,Ana,X,none@\npartly-4,Ana,X,p4@example.com\n`,
  )
  const made = await entriesOf(async () => {
    const preview = await run(['send', 'partly.csv', '--partly', '--dry-run', '--max-records', '3'])
    t.match(preview, { code: 1, out: /5 records checked: 3 created, 0 changed, 0 unchanged, 2 refused/ })
    const { code, out, err } = await run(['send', 'partly.csv', '--partly', '--max-records', '3'])
    t.equal(code, 1)
    t.equal(out, 'partly.csv: 5 records sent: 3 created, 0 changed, 0 unchanged, 2 refused\n')
    t.match(err, 'partly.csv: line 4, column 4: email: email must be a valid email address')
    t.match(err, 'partly.csv: line 5, column 4: email: email must be a valid email address')
  })
  t.strictSame(made, [
    ['Completed', 3],
    ['Completed', 2],
  ])
  write('partly.csv', 'external_id,first_name,email\npartly-2,Ana,p2@example.com\npartly-9,Ana,nonsense\n')
  const none = await run(['send', 'partly.csv', '--partly', '--max-records', '1'])
  t.match(none, { code: 1, out: /1 created, 0 changed, 0 unchanged, 1 refused/ }, 'a call of which nothing is applied')
  t.notOk(existsSync(path.join(folder, 'partly.csv.send-state.json')), 'the run is complete')
  write('partly.csv', people('partly', 2))
  t.match(await run(['send', 'partly.csv', '--partly']), { code: 0, out: /2 unchanged, 0 refused/ })
})

await t.test('with --link-by-email, people who have no external id get the one in the file', async (t) => {
  const body = [{ first_name: 'Ana', email: 'linked@example.com' }]
  const { employees } = (await service.call('POST', '/v1/employees', { body })).body
  write('link.csv', 'external_id,first_name,email\nlink-1,Ana,linked@example.com\n')
  t.match(await run(['send', 'link.csv']), { code: 1, err: /link_by_email=true/ })
  t.match(await run(['send', 'link.csv', '--link-by-email']), { code: 0, out: /0 created, 1 changed/ })
  t.match((await service.call('GET', `/v1/employees/${employees[0].id}`)).body, { external_id: 'link-1' })
  t.match(await run(['send', 'link.csv', '--link-by-email', '--update']), { code: 2, err: /--link-by-email/ })
})

await t.test('what was refused because of other employees is judged anew by the next run', async (t) => {
  write('conflict.csv', 'external_id,email\nconflict-1,staff.1@example.com\n')
  t.match(await run(['send', 'conflict.csv']), { code: 1 })
  await service.call('PUT', '/v1/employees', {
    body: [{ external_id: 'conflict-1', first_name: 'A', last_name: 'B', email: 'conflict@example.com' }],
  })
  await service.call('PATCH', '/v1/employees', { body: [{ external_id: 'staff-1', email: 'moved@example.com' }] })
  t.match(await run(['send', 'conflict.csv']), { code: 0, out: /1 changed/ })
})

await t.test('a run that is killed at any point goes on, with one entry for each part', async (t) => {
  write('killed.csv', people('killed', 1_000))
  const args = ['send', 'killed.csv', '--max-records', '100']
  const made = await entriesOf(async () => {
    for (const moment of ['onRequest', 'onAnswer', 'onRequest', 'onAnswer'] as const) {
      let seen = 0
      const { child, done } = start(args)
      proxy[moment] = async () => {
        seen += 1
        if (seen < 3) return
        child.kill('SIGKILL')
        await done
      }
      await done
      t.equal(child.signalCode, 'SIGKILL')
      proxy[moment] = () => undefined
    }
    const { code, out, err } = await run(args)
    t.equal(code, 0, err)
    t.match(err, /continuing after \d00 records/)
    t.match(out, '1,000 records sent: 1,000 created, 0 changed, 0 unchanged', 'counts those of earlier runs')
  })
  t.strictSame(
    made,
    Array.from({ length: 10 }, () => ['Completed', 100]),
  )
})

await t.test('two processes that send the same file at once apply each part once', async (t) => {
  write('twice.csv', people('twice', 300))
  const args = ['send', 'twice.csv', '--max-records', '100']
  // Both have begun when two requests wait, as each process sends one at a time.
  const { promise: bothWait, resolve: letGo } = Promise.withResolvers<void>()
  let waiting = 0
  proxy.onRequest = () => {
    waiting += 1
    if (waiting === 2) letGo()
    return bothWait
  }
  const made = await entriesOf(async () => {
    for (const { code, err } of await Promise.all([run(args), run(args)])) t.equal(code, 0, err)
  })
  proxy.onRequest = () => undefined
  t.strictSame(
    made,
    Array.from({ length: 3 }, () => ['Completed', 100]),
  )
})

await t.test('a signal ends the run, which goes on later', async (t) => {
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    write('stopped.csv', people(signal.toLowerCase(), 300))
    const args = ['send', 'stopped.csv', '--max-records', '100']
    const made = await entriesOf(async () => {
      let seen = 0
      const { child, done } = start(args)
      proxy.onAnswer = async () => {
        seen += 1
        if (seen < 2) return
        child.kill(signal)
        await done
      }
      t.match(await done, { code: exitCode, err: /interrupted: run the same command again/ })
      proxy.onAnswer = () => undefined
      t.match(await run(args), { code: 0, out: '300 created' })
    })
    t.strictSame(
      made,
      Array.from({ length: 3 }, () => ['Completed', 100]),
    )
  }
})

await t.test('429 and 503 are waited for as Retry-After says', async (t) => {
  write('busy.csv', people('busy', 2))
  const answers = [429, 503].map((status) => new Response('', { status, headers: { 'retry-after': '1' } }))
  const startedAt = performance.now()
  proxy.onRequest = () => answers.shift()
  t.match(await run(['send', 'busy.csv']), { code: 0, out: /2 created/ })
  proxy.onRequest = () => undefined
  t.ok(performance.now() - startedAt >= 2_000)
})

await t.test(
  'a service without room, or that does not answer, is exit code 3, and the run goes on later',
  async (t) => {
    write('later.csv', people('later', 3))
    const quota = { status: 429, code: 'quota_exceeded', title: 'Quota', detail: 'The quota is used up', errors: [] }
    proxy.onRequest = () => Response.json(quota, { status: 429, headers: { 'retry-after': '90000' } })
    t.match(await run(['send', 'later.csv']), {
      code: 3,
      err: /The quota is used up[^]*0 of 3 records were applied[^]*Run the same command again later/,
    })
    proxy.onRequest = () => undefined
    const alone = await run(['send', 'later.csv', '--url', 'http://127.0.0.1:1'])
    t.match(alone, {
      code: 3,
      out: '',
      err: /connection to the service failed[^]*Nothing was sent[^]*Run the same command again later/,
    })
    t.match(await run(['send', 'later.csv']), { code: 0, out: /3 created/ })
  },
)

await t.test(
  'a service of another version, and a key that must not read missing people, are told from the file',
  async (t) => {
    write('older.csv', people('older', 1))
    const unknown = {
      status: 400,
      code: 'invalid_query',
      title: 'Query',
      detail: 'all_or_none is not known',
      errors: [],
    }
    proxy.onRequest = () => Response.json(unknown, { status: 400 })
    t.match(await run(['send', 'older.csv', '--partly']), {
      code: 2,
      err: /all_or_none[^]*run the one that it serves at/,
    })
    proxy.onRequest = () => undefined
    const { body: key } = await service.manage('POST', '/api-keys', { name: 'Writes', scopes: ['employees:write'] })
    const missing = ['send', 'older.csv', '--deactivate-missing', '--at-most', '1']
    const blind = await run(missing, { API_ID: key.id, API_KEY: key.api_key })
    t.match(blind, { code: 2, out: '', err: /scope employees:read[^]*Nothing was sent/ })
  },
)

await t.test('wrong usage is exit code 2, and says what to do', async (t) => {
  write('ok.csv', people('ok', 1))
  write('empty.key', '\n')
  const cases: [string, string[], Record<string, string>, RegExp][] = [
    ['no file', ['send', 'missing.csv'], {}, /cannot read missing\.csv: ENOENT/],
    ['a folder', ['send', '.'], {}, /\. is not a file/],
    ['no command', ['ok.csv'], {}, /the command is send/],
    ['no name', ['send'], {}, /name one file/],
    ['the key as an argument', ['send', 'ok.csv', '--key', API_KEY], {}, /Unknown option '--key'/],
    ['no key', ['send', 'ok.csv'], { API_KEY: '' }, /pass the API key in API_KEY, or its file with --key-file/],
    ['an empty key file', ['send', 'ok.csv', '--key-file', 'empty.key'], {}, /the file empty\.key is empty/],
    ['no key file', ['send', 'ok.csv', '--key-file', 'none'], {}, /cannot read the key file none: ENOENT/],
    ['a key of two lines', ['send', 'ok.csv'], { API_KEY: 'a\nb' }, /apiKey must be one or more visible/],
    ['a wrong key', ['send', 'ok.csv'], { API_KEY: 'wrong' }, /invalid_credentials/],
    ['no address', ['send', 'ok.csv'], { API_URL: 'localhost' }, /must be an http or https URL/],
    ['a password', ['send', 'ok.csv'], { API_URL: 'http://u:hush@127.0.0.1:1' }, /^(?!.*hush).*user name or password/],
    ['a query', ['send', 'ok.csv'], { API_URL: 'http://127.0.0.1:1/?x=1' }, /query/],
    ['the address of the API', ['send', 'ok.csv'], { API_URL: 'http://127.0.0.1:1/v1/' }, /without \/v1/],
    ['standard input', ['send', '-'], {}, /cannot read -: ENOENT\. Save standard input in a file first/],
    ['no records', ['send', 'ok.csv', '--max-records', '0'], {}, /--max-records must be/],
    ['a state that is none', ['send', 'ok.csv', '--state', 'ok.csv'], {}, /ok\.csv is not the state of a run/],
    ['a state in no folder', ['send', 'ok.csv', '--state', 'no/x'], {}, /cannot write the state file no\/x: ENOENT/],
  ]
  for (const [name, args, env, err] of cases) {
    const answer = await run(args, env)
    t.match(answer, { code: 2, err }, name)
    t.notMatch(answer.err, /\n\s+at /, `${name}: no stack`)
  }
  t.match(await run(['--help']), { code: 0, out: /^Usage: employee-ledger-client send FILE/ })
  t.match(await run(['--version']), { code: 0, out: /^\d+\.\d+\.\d+\n$/ })
})

await t.test('settings of a file that Windows wrote are read', async (t) => {
  write('windows.csv', people('windows', 1))
  const settings = { API_KEY: `${API_KEY}\r`, API_ID: `${service.company.key.api_id}\r`, API_URL: `${proxy.address}\r` }
  t.match(await run(['send', 'windows.csv'], settings), { code: 0, out: /1 created/ })
})

await t.test('a run whose output cannot be written tells by its code what became of the file', async (t) => {
  write('full.csv', people('full', 1))
  const { child, done } = start(['send', 'full.csv'])
  // Their ends are read nowhere.
  done.catch(() => undefined)
  child.stdout!.destroy()
  child.stderr!.destroy()
  t.strictSame(await once(child, 'exit'), [0, null])
  t.match(await run(['send', 'full.csv']), { code: 0, out: /1 unchanged/ })
})

await t.test('the key may be in a file', async (t) => {
  write('api.key', `${API_KEY}\n`)
  t.match(await run(['send', 'ok.csv', '--key-file', 'api.key'], { API_KEY: '' }), { code: 0, out: /1 created/ })
})

await t.test('the state of a run holds no secret and nothing of the file', async (t) => {
  write('state.csv', `${people('state', 2)}state-2,Ana,X,nonsense\n`)
  t.match(await run(['send', 'state.csv', '--max-records', '2']), { code: 1 })
  const state = readFileSync(path.join(folder, 'state.csv.send-state.json'), 'utf8')
  t.match(JSON.parse(state), { applied: 2, totals: { created: 2 } })
  t.notMatch(state, API_KEY)
  t.notMatch(state, 'Ana')
})
