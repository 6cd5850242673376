import { utils, write } from '@e965/xlsx'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { encodeText } from '../support/files/encode-text.ts'
import { eventually } from '../support/eventually.ts'
import { holdHead, letGo } from '../support/postgres/held-rows.ts'
import { lockIsAwaited } from '../support/postgres/lock-awaited.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { send, startService } from '../support/service.ts'

/* The admin endpoints of uploaded files, for tools. */

const service = await startService(t)
const { admin } = service.company

const upload = (content: string | Buffer, query: string, type = 'text/csv', token = admin.token) =>
  send(service.address, 'POST', `/admin/v1/uploads?${query}`, {
    key: null,
    body: content,
    headers: { 'content-type': type, authorization: `Bearer ${token}` },
  })
const CSV = 'external_id,first_name,last_name,email,Shoe size\nU-1,Ada,L,ada@example.com,38\n'

await t.test('a file arrives whichever way curl sends it', async (t) => {
  const boundary = 'b0undary'
  const form = (content: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="form.csv"\r\n\r\n${content}\r\n--${boundary}--\r\n`
  const ways: [method: string, type: string, body: string, name: string][] = [
    ['POST', 'application/x-www-form-urlencoded', CSV, 'unnamed'],
    ['POST', 'application/csv', CSV, 'unnamed'],
    ['PUT', 'application/octet-stream', CSV, 'unnamed'],
    ['POST', `multipart/form-data; boundary=${boundary}`, form(CSV), 'form.csv'],
  ]
  for (const [method, type, body, name] of ways) {
    const headers = { 'content-type': type, authorization: `Bearer ${admin.token}` }
    const answer = await send(service.address, method, '/admin/v1/uploads', { key: null, body, headers })
    t.match(answer, { status: 201, body: { rows: 1, file_name: name } }, type)
    await service.manage('POST', `/uploads/${answer.body.id}/cancel`)
  }
  const torn = await upload(form(CSV).slice(0, 60), '', `multipart/form-data; boundary=${boundary}`)
  t.match(torn, { status: 400, body: { code: 'invalid_body' } })
})

await t.test('a tool uploads a file, looks at its preview, and applies it once', async (t) => {
  const made = await upload(CSV, 'file_name=staff.csv')
  t.match(made, {
    status: 201,
    headers: { location: /^\/admin\/v1\/uploads\/upl_/ },
    body: {
      state: 'previewed',
      file_name: 'staff.csv',
      operation: 'upsert',
      rows: 1,
      user_id: admin.user_id,
      parts: [{ counts: { created: 1, refused: 0 } }],
    },
  })
  const path = `/uploads/${made.body.id}`
  const preview = () => service.admin(`${path}/parts/1/preview`)
  t.match((await preview()).body, { counts: { created: 1, refused: 0 }, unknown_columns: ['Shoe size'] })
  const { body: mapping } = await service.admin(`${path}/mapping`)
  const columns = (mapping.columns as { header: string }[]).map((column) =>
    column.header === 'Shoe size' ? { header: 'Shoe size', to: 'custom', name: 'size' } : column,
  )
  t.match(await service.manage('PUT', `${path}/mapping`, { ...mapping, columns }), {
    status: 200,
    body: { questions: [], parts: [{ counts: { created: 1, refused: 0 } }] },
  })
  t.match((await preview()).body, { counts: { created: 1, refused: 0 }, errors: [], unknown_columns: [] })

  const applied = await service.manage('POST', `${path}/apply`)
  t.match(applied, { status: 200, body: { state: 'ended', parts: [{ number: 1, state: 'applied', log_id: /^log_/ }] } })
  t.match((await service.manage('POST', `${path}/apply`)).body, applied.body, 'a second time has no effect')
  await service.project()
  const { items } = (await service.admin('/bulk-user-logs')).body
  t.match(items, [{ id: applied.body.parts[0].log_id, name: 'File upload', user: { id: admin.user_id }, key: null }])
  t.equal(items.length, 1)
  t.match((await service.admin('/uploads')).body.items, [{ id: made.body.id, state: 'ended' }])
  t.equal((await service.admin(`${path}/parts/1/preview`)).status, 409)
})

await t.test(
  'a file whose encoding is not certain is refused with the likely ones, and read in the one that is named',
  async (t) => {
    const bytes = encodeText('external_id,first_name\nE-1,Ţugui\n', 'windows-1250')
    const asked = await upload(bytes, 'file_name=staff.csv')
    t.match(asked, { status: 422, body: { code: 'file_ambiguous', question: { parameter: 'encoding' } } })
    const { choices } = asked.body.question
    t.match(
      choices.find(({ value }: { value: string }) => value === 'windows-1250'),
      { name: 'Central European (Windows-1250)', samples: ['Ţugui'] },
    )
    for (const [query, type] of [
      ['encoding=windows-1250', 'text/csv'],
      ['', 'text/csv; charset=Windows-1250'],
    ]) {
      const made = await upload(bytes, query!, type)
      t.equal(made.status, 201)
      const rows = await service.admin(`/uploads/${made.body.id}/not-applied.csv`)
      t.match(rows.body, 'E-1,Ţugui')
      await service.manage('POST', `/uploads/${made.body.id}/cancel`)
    }
    for (const name of ['__proto__', 'constructor', 'toString'])
      t.match(await upload(bytes, `encoding=${name}`), { status: 400, body: { code: 'invalid_query' } }, name)
    t.match(await upload(bytes, 'encoding=cp850'), {
      status: 400,
      body: { code: 'invalid_query', detail: /Save the file as CSV \(UTF-8\) or as an Excel workbook/ },
    })
  },
)

await t.test('a workbook is read, and what is left out is listed', async (t) => {
  const book = utils.book_new()
  const rows = [
    ['Staff list'],
    ['external_id', 'first_name', 'email'],
    ['W-1', 'Ana', 'w1@example.com'],
    [],
    ['Total: 1'],
  ]
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Staff')
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Parameter', 'Value']]), 'Report')
  const bytes = write(book, { type: 'buffer' }) as Buffer
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const made = await upload(bytes, 'file_name=staff.xlsx', type)
  t.match(made.body, {
    rows: 1,
    header_row: 2,
    left_out: [
      { line: null, reason: 'other_sheet', message: 'Sheet "Report" is not read' },
      { line: 1, last_line: 1, reason: 'above_header' },
      { line: 4, reason: 'empty' },
      { line: 5, reason: 'total' },
    ],
    left_out_omitted: 0,
  })
  t.match((await service.admin(`/uploads/${made.body.id}`)).body, { header_row: 2, left_out: made.body.left_out })
  t.equal((await service.manage('POST', `/uploads/${made.body.id}/cancel`)).status, 204)
  t.match(await upload(bytes, 'sheet=Nope', type), { status: 422, body: { errors: [{ message: /no sheet/ }] } })
  t.match((await upload(bytes, 'sheet=Report', type)).body.errors, [{ message: /no records below/ }])
  t.match(await upload(bytes, 'header_row=0', type), { status: 400 })
})

await t.test('JSON is accepted, and an upload that was not applied can be deleted', async (t) => {
  const made = await upload(
    '[{"external_id":"U-1","job_title":"Dev"}]',
    'file_name=a.json&operation=update_many',
    'application/json',
  )
  t.match(made.body, { operation: 'update_many', parts: [{ rows: 1, counts: { changed: 1 } }] })
  t.equal((await service.manage('POST', `/uploads/${made.body.id}/cancel`)).status, 204)
  t.match(await service.admin(`/uploads/${made.body.id}`), { status: 404, body: { code: 'upload_not_found' } })
})

await t.test('what is wrong with a file is said with its line', async (t) => {
  t.match(await upload('email\n"a@example.com\n', 'file_name=a.csv'), {
    status: 422,
    body: { code: 'validation_failed', errors: [{ message: /^Line \d: A cell that begins with a quotation mark/ }] },
  })
  for (const type of ['image/png', 'application/csv', 'application/x-www-form-urlencoded', 'text/csv; charset=utf-8'])
    t.match(await upload(CSV, 'file_name=a.csv', type), { status: 201 }, `${type}: what a file is, its content tells`)
  t.match(await upload(CSV, 'file_name=a.csv', 'multipart/form-data; boundary=x'), {
    status: 400,
    body: { code: 'invalid_body', detail: /multipart/ },
  })
  t.match(await upload(CSV, 'file_name='), { status: 400, body: { code: 'invalid_query' } })
  t.match(await upload('x'.repeat(4 * service.config.BODY_LIMIT + 1), 'file_name=a.csv'), { status: 413 })
  const unreadable = await upload('email,phone\na@example.com,4.9E+12\n', 'file_name=a.csv')
  t.match(await service.manage('POST', `/uploads/${unreadable.body.id}/apply`), {
    status: 409,
    body: { code: 'upload_not_applicable', detail: 'The file has rows that cannot be read' },
  })
})

await t.test('an upload belongs to its company', async (t) => {
  const { body } = await upload(CSV, 'file_name=a.csv')
  const other = await service.makeCompany('Other')
  for (const path of ['', '/parts/1/preview', '/not-applied.csv'])
    t.equal((await service.admin(`/uploads/${body.id}${path}`, other.admin.token)).status, 404)
  for (const action of ['apply', 'cancel'])
    t.equal((await service.manage('POST', `/uploads/${body.id}/${action}`, undefined, other.admin.token)).status, 404)
  t.strictSame((await service.admin('/uploads', other.admin.token)).body.items, [])
})

await t.test(
  'a file names the failed entries that it corrects, 50 at most, and only those of its company',
  async (t) => {
    const { body: failed } = await service.call('POST', '/v1/employees', { body: [{ phone: '1' }] })
    await service.project()
    const made = await upload(CSV, `file_name=a.csv&corrects=${failed.log_id}`)
    t.strictSame(made.body.corrects, [failed.log_id])
    const ids = Array.from({ length: 51 }, () => failed.log_id).join(',')
    t.equal((await upload(CSV, `file_name=a.csv&corrects=${ids}`)).status, 400)
    const rows = Array.from({ length: 60 }, (_, at) => `${failed.log_id.slice(0, -2)}${10 + at},u${at}@example.com`)
    const many = await upload(['log_id,email', `${failed.log_id},u@example.com`, ...rows].join('\n'), 'file_name=a.csv')
    t.strictSame(many.body.corrects, [failed.log_id])
    const other = await service.makeCompany('Foreign')
    const foreign = await upload(CSV, `file_name=a.csv&corrects=${failed.log_id}`, 'text/csv', other.admin.token)
    t.strictSame(foreign.body.corrects, [])
  },
)

await t.test(
  'two previews of a company are made at once, and further ones wait without the rows of a part',
  async (t) => {
    const { body } = await upload(CSV, 'file_name=a.csv')
    const statements = watchStatements(t)
    const count = (start: string) => statements.filter(({ text }) => text.trimStart().startsWith(start)).length
    const holder = await holdHead(service)
    const previews = Array.from({ length: 6 }, () => service.admin(`/uploads/${body.id}/parts/1/preview`))
    await lockIsAwaited(service, 'heads')
    await eventually('all of them have found their part', async () => count('select p.part') === 6)
    for (let at = 0; at < 2; at += 1) t.equal((await service.admin('/uploads')).status, 200)
    t.equal(count('select content'), 2)
    await letGo(holder)
    for (const { status } of await Promise.all(previews)) t.equal(status, 200)
    t.equal(count('select content'), 6)
  },
)

await t.test('every preview is kept, up to 20 of a company, also of files that come at once', async (t) => {
  const other = await service.makeCompany('Many files')
  const { token } = other.admin
  const made = await Promise.all(
    Array.from({ length: 24 }, (_, at) => upload(CSV, `file_name=${at}.csv`, 'text/csv', token)),
  )
  const kept = made.filter(({ status }) => status === 201)
  t.equal(kept.length, 20)
  for (const { status, body } of made.filter((answer) => !kept.includes(answer)))
    t.match({ status, body }, { status: 409, body: { code: 'too_many_uploads' } })
  for (const { body } of kept) t.equal((await service.admin(`/uploads/${body.id}`, token)).status, 200)
  const { rows } = await service.pool.query(
    `select count(*)::integer as parts, count(distinct upload_id)::integer as uploads from upload_parts where company_id = $1`,
    [toUuid(other.id)],
  )
  t.strictSame(rows, [{ parts: 20, uploads: 20 }], 'nothing is left of a file that was refused')
  await service.manage('POST', `/uploads/${kept[0]!.body.id}/cancel`, undefined, token)
  t.equal((await upload(CSV, 'file_name=one-more.csv', 'text/csv', token)).status, 201)
})
