import t from 'tap'
import { newId } from '../../../../src/ledger/new-id.ts'
import { issueApiKey } from '../../../../src/accounts/api-keys/api-keys.ts'
import { csvRecords, csvRows } from '../../../support/http/csv-rows.ts'
import { employee, startService } from '../../../support/service.ts'

const service = await startService(t)
const { body: made } = await service.call('POST', '/v1/employees', {
  body: [
    employee({ first_name: 'Zoë', last_name: 'O"Hara, Jr.', external_id: 'X-1' }),
    employee({ external_id: 'X-2' }),
  ],
})
const [first] = made.employees
const { body: updated } = await service.call('PATCH', '/v1/employees', {
  body: [
    { external_id: 'X-1', job_title: 'Dev "Lead", R&D', custom_attributes: { grade: 7 } },
    { external_id: 'X-2', status: 'inactive' },
  ],
})
const { body: refused } = await service.call('PATCH', '/v1/employees', {
  body: [{ email: 'gone@example.com', phone: '12' }, -1],
})
await service.project()

const csv = async (path: string) => {
  const answer = await service.admin(path)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return csvRecords(answer.body)
}

/** The whole list from JSON, with the columns of the file. */
async function listed(query = ''): Promise<Record<string, string>[]> {
  const { body } = await service.admin(`/bulk-user-logs?limit=200${query}`)
  return body.items.map(
    ({ counts, key, error, user, file, undoes, ...entry }: Record<string, Record<string, unknown>>) => {
      const named = { ...entry, ...counts, key_id: key!['id'], key_name: key!['name'] }
      const failure = { error_code: error?.['code'] ?? '', error_detail: error?.['detail'] ?? '' }
      const part = (file?.['part'] ?? {}) as Record<string, unknown>
      const upload = {
        user_id: user?.['id'] ?? '',
        user_name: user?.['name'] ?? '',
        file_name: file?.['name'] ?? '',
        first_row: part['first_row'] ?? '',
        last_row: part['last_row'] ?? '',
        undoes: undoes ?? '',
        notes: '',
      }
      return Object.fromEntries(
        Object.entries({ ...named, ...failure, ...upload }).map(([name, value]) => [name, String(value)]),
      )
    },
  )
}

await t.test('the list as CSV has the same entries as in JSON, in the same order', async (t) => {
  t.same(await csv('/bulk-user-logs.csv'), await listed())
  t.same(await csv('/bulk-user-logs.csv?status=Failed'), await listed('&status=Failed'))
  t.same(await csv('/bulk-user-logs.csv?q=x-1&operation=create'), await listed('&q=x-1&operation=create'))
  t.equal((await csv('/bulk-user-logs.csv?employee=gone@example.com')).length, 1)
})

await t.test('the CSV is a named file in UTF-8 that spreadsheets recognize, with a header row', async (t) => {
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  const response = await fetch(`${service.address}/admin/v1/bulk-user-logs.csv`, { headers })
  t.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  t.match(
    response.headers.get('content-disposition'),
    /^attachment; filename="bulk-user-logs-\d{4}-\d\d-\d\dT\d{4}Z\.csv"$/,
  )
  const bytes = Buffer.from(await response.arrayBuffer())
  t.same(bytes.subarray(0, 3), Buffer.of(0xef, 0xbb, 0xbf))
  const [names] = csvRows(bytes.toString('utf8').slice(1))
  t.strictSame(names, [
    ...['id', 'status', 'name', 'requested_at', 'operation', 'total', 'updated', 'deactivated', 'failed', 'no_updates'],
    ...['http_status', 'duration_ms', 'key_id', 'key_name', 'request_id', 'error_code', 'error_detail'],
    ...['user_id', 'user_name', 'file_name', 'corrects', 'undoes', 'first_row', 'last_row', 'notes'],
  ])
  const records = await service.admin(`/bulk-user-logs/${made.log_id}/records.csv`)
  const { requested_at: at } = (await service.admin(`/bulk-user-logs/${made.log_id}`)).body
  const minute = at.slice(0, 16).replace(':', '')
  t.equal(records.headers['content-disposition'], `attachment; filename="bulk-user-logs-${minute}Z-${made.log_id}.csv"`)
})

await t.test('an empty list is only the header', async (t) => {
  const { body } = await service.admin('/bulk-user-logs.csv?to=2000-01-01T00:00:00Z')
  t.equal(csvRows(body).length, 1)
})

await t.test('attributes are readable in one cell, whatever characters they have', async (t) => {
  const [row] = await csv(`/bulk-user-logs/${made.log_id}/records.csv`)
  t.match(row, { index: '0', employee_id: first.id, status: 'Created', changes: '', record: '', errors: '' })
  t.match(row!['attributes'], 'first_name: "Zoë"; last_name: "O\\"Hara, Jr."')
})

await t.test('a change shows the old and the new value', async (t) => {
  const rows = await csv(`/bulk-user-logs/${updated.log_id}/records.csv`)
  t.match(rows, [
    { status: 'Synced', attributes: '' },
    { status: 'Deactivated', changes: 'status: "active" → "inactive"' },
  ])
  t.equal(rows[0]!['changes'], 'custom_attributes.grade: null → 7; job_title: null → "Dev \\"Lead\\", R&D"')
  t.equal((await csv(`/bulk-user-logs/${updated.log_id}/records.csv?status=Deactivated`)).length, 1)
  t.equal((await csv(`/bulk-user-logs/${updated.log_id}/records.csv?q=X-1`)).length, 1)
})

await t.test('a record names the person: as of now, or as sent if nobody is known', async (t) => {
  const people = (logId: string) => csv(`/bulk-user-logs/${logId}/records.csv`)
  t.match(await people(made.log_id), [
    { name: 'Zoë O"Hara, Jr.', email: first.email, external_id: 'X-1' },
    { external_id: 'X-2' },
  ])
  t.match((await people(updated.log_id))[1], { name: 'Ana Pérez', external_id: 'X-2' })
  t.match(await people(refused.log_id), [
    { name: '', email: 'gone@example.com', external_id: '' },
    { name: '', email: '', external_id: '' },
  ])
})

await t.test('the CSV contains each refused record unchanged, with the messages of the API', async (t) => {
  const rows = await csv(`/bulk-user-logs/${refused.log_id}/records.csv`)
  t.match(rows[0], { status: 'Failed', employee_id: '', record: '{"email":"gone@example.com","phone":"12"}' })
  const messages = refused.errors
    .filter(({ index }: { index: number }) => index === 0)
    .map(({ pointer, code, message }: Record<string, string>) => `${pointer} ${code}: ${message}`)
  t.equal(rows[0]!['errors'], messages.join('; '))
})

await t.test('no cell begins like a formula', async (t) => {
  const formula = '=HYPERLINK("http://x.example","y")'
  const formulas = [formula, '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1']
  for (const name of formulas) {
    const key = await issueApiKey(
      { pool: service.pool, newId },
      { companyId: service.company.id, name, quotaLimit: 10, refreshPeriod: 'monthly' },
    )
    await service.call('POST', '/v1/employees', { key, body: employee(), headers: { 'x-request-id': '-1' } })
  }
  await service.project()
  const rows = (await csv('/bulk-user-logs.csv')).slice(0, formulas.length)
  t.strictSame(
    rows.map((row) => row['key_name']),
    formulas.map((name) => (name.startsWith('\n') ? name : `'${name}`)).toReversed(),
  )
  t.ok(rows.every((row) => row['request_id'] === "'-1"))
  const [, minusOne] = await csv(`/bulk-user-logs/${refused.log_id}/records.csv`)
  t.equal(minusOne!['record'], "'-1")
  const { body } = await service.admin('/bulk-user-logs.csv')
  t.notOk(
    csvRows(body)
      .flat()
      .some((cell) => /^[=+\-@\t\r]/.test(cell)),
  )
})

await t.test('the CSV has nothing of another company', async (t) => {
  const other = await service.makeCompany('Other')
  t.equal(csvRows((await service.admin('/bulk-user-logs.csv', other.admin.token)).body).length, 1)
})

await t.test('a bad parameter gets 400, even one that only a paged list has', async (t) => {
  for (const query of ['status=x', 'from=x', 'limit=5', 'cursor=MTox', 'q=%00']) {
    t.match(await service.admin(`/bulk-user-logs.csv?${query}`), { status: 400, body: { code: 'invalid_query' } })
    t.match(await service.admin(`/bulk-user-logs/${made.log_id}/records.csv?${query}`), {
      status: 400,
      body: { code: 'invalid_query' },
    })
  }
})
