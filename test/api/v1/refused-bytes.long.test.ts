import { randomBytes } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'

/* A call that costs its key nothing must cost the database little, whatever is sent. */

/** More than the events, the rows, and the index entries of a refused call take, and much less than what is sent. */
const MAX_BYTES = 4_096
const CALLS = 5
/** PostgreSQL can't compress it much. */
const LARGE = randomBytes(30_000).toString('hex')

const service = await startService(t)
const { key } = service.company
const created = await service.call('POST', '/v1/employees', { body: employee() })
const path = `/v1/employees/${created.body.employees[0].id}`

/** The bytes of all rows of all tables. */
async function storedBytes(): Promise<number> {
  const client = new pg.Client({ connectionString: service.urls.superUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema', 'pgboss')`,
    )
    let bytes = 0
    for (const { name } of tables) {
      const { rows } = await client.query<{ bytes: number }>(
        `select coalesce(sum(pg_column_size(t.*)), 0)::integer as bytes from ${name} t`,
      )
      bytes += rows[0]!.bytes
    }
    return bytes
  } finally {
    await client.end()
  }
}

const REFUSALS: [code: string, change: object][] = [
  ['scope_missing', { scopes: ['employees:read'] }],
  ['address_not_allowed', { scopes: ['employees:read', 'employees:write'], allowed_networks: ['192.0.2.0/24'] }],
  ['quota_exceeded', { allowed_networks: [], quota_limit: 0 }],
  ['key_disabled', { quota_limit: 100 }],
]
for (const [code, change] of REFUSALS) {
  await t.test(`calls refused with ${code} keep their counts and nothing of what was sent`, async (t) => {
    t.equal((await service.manage('PATCH', `/api-keys/${key.api_id}`, change)).status, 200)
    if (code === 'key_disabled') await service.manage('POST', `/api-keys/${key.api_id}/disable`)
    const bodies = [
      ['PATCH', path, { first_name: LARGE }],
      ['PATCH', '/v1/employees', [{ email: LARGE }]],
      ['POST', '/v1/employees', [employee({ job_title: LARGE })]],
      ['PUT', '/v1/employees', [employee({ job_title: LARGE })]],
      ['PATCH', path, `{"job_title":"${LARGE}"`],
    ] as const
    for (const [method, to, body] of bodies) {
      await service.project()
      const before = await storedBytes()
      for (let call = 0; call < CALLS; call += 1) {
        const answer = await service.call(method, to, { body })
        t.equal(answer.body.code, code)
        const { entry, records } = await service.logOf(answer.body.log_id)
        t.match(entry, { status: 'Failed', counts: { total: 1, failed: 1 } })
        t.match(records, [{ record: null, errors: [{ code }] }])
      }
      const added = ((await storedBytes()) - before) / CALLS
      t.ok(added < MAX_BYTES, `${method} ${to.slice(0, 14)} added ${added} bytes`)
    }
  })
}
