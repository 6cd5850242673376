import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'
import { startService } from '../support/service.ts'

/* Files of more than MAX_RECORDS rows, which become several calls. */

const service = await startService(t, { MAX_RECORDS: '10', SWEEP_INTERVAL_MS: '100' }, { workers: true })
const PATH = '/settings/bulk-user-logs/upload'
const HEADER = 'external_id,first_name,last_name,email,manager_external_id'

/** Rows of new employees, numbered from a row on. */
const rowsOf = (prefix: string, from: number, to: number, change: (row: string, at: number) => string = (row) => row) =>
  Array.from({ length: to - from + 1 }, (_, at) => {
    const name = `${prefix}-${from + at}`
    return change(`${name},F${from + at},L,${name.toLowerCase()}@example.com,`, from + at)
  })
const fileOf = (rows: string[]) => [HEADER, ...rows, ''].join('\n')

async function openAs(user = service.company.admin) {
  const cookie = await cookieOf(service, user)
  const words = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  const read = async (path: string) => {
    const answer = await browse(service, path, { cookie })
    return { status: answer.status, words: words(answer.text) }
  }
  return {
    read,
    async upload(content: string, name = 'staff.csv') {
      const upload = new FormData()
      upload.set('file', new Blob([content]), name)
      const { location, text } = await browse(service, PATH, { cookie, upload })
      if (location === null) throw new Error(words(text))
      return location
    },
    press: async (path: string, form: Record<string, string> = {}) => browse(service, path, { cookie, form }),
    /** Waits until a page says something. */
    async until(path: string, says: RegExp) {
      let page = ''
      await eventually(`${says} on the page`, async () => says.test((page = (await read(path)).words)))
      return page
    },
  }
}

const admin = await openAs()
const PREVIEWED = /Nothing has been applied yet\..* Apply [\d,]+ /
const entriesOf = async (fileName: string) => {
  const { items } = (await service.admin('/bulk-user-logs?limit=200')).body
  return items.filter(({ file }: { file: { name: string } | null }) => file?.name === fileName).toReversed()
}

await t.test('a large file is applied in parts, each with its entry, after a preview of all of them', async (t) => {
  const path = await admin.upload(fileOf(rowsOf('A', 1, 25)))
  const page = await admin.until(path, PREVIEWED)
  t.match(page, /applied in 3 parts , one after the other/)
  t.match(page, /Created 25 Changed 0 Unchanged 0 Refused 0/)
  t.match(page, /1 1–10 10 0 0 0 2 11–20 10 0 0 0 3 21–25 5 0 0 0/)
  t.strictSame(await entriesOf('staff.csv'), [], 'nothing is applied yet')
  await admin.press(`${path}/apply`)
  t.match(await admin.until(path, /25 of 25 rows were applied\./), /3 21–25 Applied 5 0 Open its entry/)
  await service.project()
  const entries = await entriesOf('staff.csv')
  t.match(
    entries.map(({ file, status }: { file: unknown; status: string }) => ({ file, status })),
    [
      { status: 'Completed', file: { rows: 10, part: { number: 1, of: 3, first_row: 1, last_row: 10 } } },
      { status: 'Completed', file: { rows: 10, part: { number: 2, of: 3, first_row: 11, last_row: 20 } } },
      { status: 'Completed', file: { rows: 5, part: { number: 3, of: 3, first_row: 21, last_row: 25 } } },
    ],
  )
  t.match(
    (await admin.read(`/settings/bulk-user-logs/${entries[1].id}`)).words,
    /staff\.csv , rows 11–20 \(part 2 of 3\)/,
  )
  await admin.press(`${path}/apply`)
  t.equal((await entriesOf('staff.csv')).length, 3, 'a repeated click has no effect')
  const { rows } = await service.pool.query('select content from upload_parts where company_id = $1', [
    toUuid(service.company.id),
  ])
  t.ok(rows.length === 3 && rows.every(({ content }) => content === null), 'applied rows are deleted')
})

await t.test(
  'a part that is refused changes nothing, and the others are applied; its rows can be downloaded',
  async (t) => {
    const rows = rowsOf('B', 1, 30, (row, at) => (at === 15 ? row.replace('F15', 'x'.repeat(81)) : row))
    const path = await admin.upload(fileOf(rows), 'b.csv')
    const page = await admin.until(path, PREVIEWED)
    t.match(page, /One record has errors\..*Apply 29 of 30 records/)
    t.match(page, /Part 2 .*Line 16, column 2 .*first_name/)
    await admin.press(`${path}/apply`)
    t.match(
      await admin.until(path, /20 of 30 rows were applied; 10 were refused\./),
      /2 11–20 Refused 0 10 Open its entry 3 21–30 Applied 10 0/,
    )
    const csv = (await service.admin(`/uploads/${path.split('/').at(-1)}/not-applied.csv`)).body as string
    t.equal(csv.trim().split('\r\n').length, 11)
    t.match(csv, /log_\w+,4,"?first_name[^,]*,B-15,x+,L,b-15@example\.com/)
    await service.project()
    t.strictSame(
      (await entriesOf('b.csv')).map(({ status }: { status: string }) => status),
      ['Completed', 'Failed', 'Completed'],
    )
    // What was downloaded can be corrected and sent again.
    const corrected = await admin.upload(csv.replace('x'.repeat(81), 'F'), 'b-corrected.csv')
    await admin.press(`${corrected}/apply`)
    await service.project()
    t.match(await entriesOf('b-corrected.csv'), [{ status: 'Completed', corrects: [/^log_/] }])
  },
)

await t.test(
  'a process that dies after the call of a part, and before it records that, holds up nothing',
  async (t) => {
    const path = await admin.upload(fileOf(rowsOf('K', 1, 15)), 'killed.csv')
    await admin.until(path, PREVIEWED)
    await admin.press(`${path}/apply`)
    await admin.until(path, /15 of 15 rows were applied\./)
    const upload = [toUuid(service.company.id), toUuid(path.split('/').at(-1)!)]
    const stateOf = async () => {
      const { rows } = await service.pool.query(
        'select state from uploads where company_id = $1 and upload_id = $2',
        upload,
      )
      return rows[0].state as string
    }
    await eventually('the upload has ended', async () => (await stateOf()) === 'ended')
    await service.pool.query(
      `with part as (update upload_parts set state = 'waiting' where company_id = $1 and upload_id = $2 and part = 1)
     update uploads set state = 'applying' where company_id = $1 and upload_id = $2`,
      upload,
    )
    await eventually('the upload has ended again', async () => (await stateOf()) === 'ended')
    await service.project()
    t.equal((await entriesOf('killed.csv')).length, 2)
  },
)

await t.test(
  'managers may be in other parts: their rows come first, and the preview takes them for granted',
  async (t) => {
    const managerOf = async (id: string) => {
      const { items } = (await service.call('GET', `/v1/employees?external_id=${id}`)).body
      return items[0].manager_id
    }
    const idOf = async (id: string) => (await service.call('GET', `/v1/employees?external_id=${id}`)).body.items[0].id
    for (const [name, row, manager] of [
      ['C', 12, 'C-3'],
      ['D', 2, 'D-13'],
    ] as const) {
      const file = fileOf(rowsOf(name, 1, 15, (text, at) => (at === row ? `${text}${manager}` : text)))
      const path = await admin.upload(file, `${name}.csv`)
      t.match(await admin.until(path, PREVIEWED), /Created 15 Changed 0 Unchanged 0 Refused 0/)
      await admin.press(`${path}/apply`)
      await admin.until(path, /15 of 15 rows were applied\./)
      t.equal(await managerOf(`${name}-${row}`), await idOf(manager))
    }
  },
)

await t.test('two rows of one employee in different parts are both refused, each naming the other', async (t) => {
  const rows = rowsOf('E', 1, 25)
  rows[22] = rows[2]!.replace('F3', 'Other')
  const path = await admin.upload(fileOf(rows))
  const words = await admin.until(path, PREVIEWED)
  t.match(words, /Refused 0 Unreadable 2/)
  t.match(words, /Line 4 .*is in the file again: a file may change an employee only once \(line 24\)/)
  t.match((await admin.read(`${path}?part=3`)).words, /Line 24 .*only once \(line 4\)/)
})

await t.test('an administrator who loses the role applies nothing further, and can resume with it', async (t) => {
  const { body } = await service.manage('POST', '/users', { email: 'temp@example.com', name: 'Temp', role: 'admin' })
  await service.manage(
    'POST',
    '/invitations/accept',
    { token: body.invitation.token, password: 'a long enough password' },
    null,
  )
  const temporary = { ...service.company.admin, email: 'temp@example.com', password: 'a long enough password' }
  const setRole = (role: string) => service.manage('PATCH', `/users/${body.id}`, { role })

  const before = await openAs(temporary)
  const path = await before.upload(fileOf(rowsOf('F', 1, 25)), 'f.csv')
  await before.until(path, PREVIEWED)
  await setRole('member')
  t.match(await before.press(`${path}/apply`), { status: /40[13]/ }, 'between preview and apply')
  t.match(await admin.press(`${path}/apply`), { status: 409 }, 'nobody else applies it')
  await setRole('admin')

  const again = await openAs(temporary)
  const holder = await holdHead(service, service.company)
  await again.press(`${path}/apply`)
  await lockIsAwaited(service, 'heads')
  // The role is lost between the first part and the second.
  const demoted = setRole('member')
  await lockIsAwaited(service, 'heads', 2)
  await letGo(holder)
  t.equal((await demoted).status, 200)
  t.match(await admin.until(path, /Stopped, because the user/), /10 of 25 rows were applied; 15 are still to come/)
  await setRole('admin')
  const resumed = await openAs(temporary)
  await resumed.press(`${path}/apply`)
  await resumed.until(path, /25 of 25 rows were applied\./)
})

await t.test('cancelling keeps what was applied, and the other rows can be downloaded', async (t) => {
  const path = await admin.upload(fileOf(rowsOf('G', 1, 25)), 'g.csv')
  await admin.until(path, PREVIEWED)
  const holder = await holdHead(service, service.company)
  await admin.press(`${path}/apply`)
  await lockIsAwaited(service, 'heads')
  await admin.press(`${path}/cancel`)
  await letGo(holder)
  const page = await admin.until(path, /10 of 25 rows were applied; 15 were canceled\./)
  t.match(page, /Download rows not applied/)
})

await t.test('an erasure reaches stored rows, the names of their files, and people who are only there', async (t) => {
  const rows = rowsOf('H', 1, 25)
  const path = await admin.upload(fileOf(rows), 'about h-7@example.com.csv')
  await admin.until(path, PREVIEWED)
  t.equal((await service.manage('POST', '/erasures', { email: 'H-7@example.com' })).status, 200)
  t.equal((await service.manage('POST', '/erasures', { external_id: 'H-12' })).status, 200)
  const { rows: stored } = await service.pool.query('select content, erased from upload_parts where upload_id = $1', [
    toUuid(path.split('/').at(-1)!),
  ])
  t.notMatch(JSON.stringify(stored), /h-7@example|H-12\b/)
  t.match(await admin.until(path, PREVIEWED), /unnamed.*Apply 23 records.*1–10 \(1 erased\)/)
  await admin.press(`${path}/apply`)
  await admin.until(path, /23 of 25 rows were applied; 2 were erased\./)
  t.equal((await service.call('GET', '/v1/employees?external_id=H-7')).body.items.length, 0)
  t.equal((await service.manage('POST', '/erasures', { email: 'h-7@example.com' })).status, 404)
})

await t.test('a company can have 20 uploads, and a user keeps every preview of them', async (t) => {
  const company = await service.makeCompany('Many')
  const cookie = await cookieOf(service, company.admin)
  const upload = new FormData()
  upload.set('file', new Blob([fileOf(rowsOf('I', 1, 2))]), 'i.csv')
  for (let at = 0; at < 7; at += 1) t.equal((await browse(service, PATH, { cookie, upload })).status, 303)
  const count = async () => {
    const { rows } = await service.pool.query(
      'select count(*)::integer as n, (select count(*)::integer from upload_parts where company_id = $1) as parts from uploads where company_id = $1',
      [toUuid(company.id)],
    )
    return rows[0]
  }
  t.strictSame(await count(), { n: 7, parts: 7 })
  await service.pool.query(
    `insert into uploads (company_id, upload_id, user_id, file_name, operation, header, mapping, corrects, rows, parts, bytes,
       state, created_at, expires_at)
     select company_id, gen_random_uuid(), user_id, file_name, operation, header, mapping, corrects, rows, parts, bytes,
       'stopped', created_at, expires_at
     from (select * from uploads where company_id = $1 limit 1) u, generate_series(1, 13)`,
    [toUuid(company.id)],
  )
  const refused = await browse(service, PATH, { cookie, upload })
  t.match(refused, { status: 409, text: /A company can have 20 unfinished uploads/ })
})
