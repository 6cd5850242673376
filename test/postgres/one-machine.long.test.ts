import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import t, { type Test } from 'tap'
import { changeAlerts } from '../../src/accounts/attention/snooze.ts'
import { createConfiguredSecretBox } from '../../src/bootstrap/keys.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { placeOfEvidenceKey, readStoredFile, requestFile } from '../../src/ledger/evidence/stored-files.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { openPool } from '../../src/postgres/pool.ts'
import {
  CHECK_ATTENTION,
  DELETE_EXPIRED,
  PUBLISH_CHECKPOINTS,
  RECORD_SIGN_INS,
  RETIRE_RECORDS,
} from '../../src/workers/queues.ts'
import { openGround } from '../fuzz/open-ground.ts'
import { runBatch } from '../fuzz/run-batch.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/http/receiver.ts'
import { startMailServer } from '../support/mail/mail-server.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { machineOfCompany } from '../support/postgres/machine-of-company.ts'
import { planOnCluster, type Watched, watchStatements } from '../support/postgres/watch-statements.ts'
import { sendJob } from '../support/send-job.ts'
import { employee, send, type Service, startService, type TestCompany } from '../support/service.ts'
import { startWitness } from '../support/witnesses/test-witness.ts'

/* What a company does on a cluster touches its machine alone: a machine that hangs then holds up no other company. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

/**
 * Plans each statement that names a company, which must be one task on one machine. Returns how many of them use
 * distributed tables.
 */
async function planAll(t: Test, { db, urls }: Service, sent: Watched['sent']): Promise<number> {
  const rows = await db.selectFrom('companies').select('company_id').execute()
  const ids = rows.map((row) => row.company_id)
  const namesCompany = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(namesCompany) : typeof value === 'string' && ids.some((id) => value.includes(id))
  const client = new pg.Client({ connectionString: urls.serviceUrl })
  await client.connect()
  t.teardown(() => client.end())
  let distributed = 0
  // Without what this connection sends.
  for (const [text, values] of [...sent]) {
    if (!namesCompany(values)) continue
    const plan = await planOnCluster(client, text, values)
    if (plan?.isDistributed) distributed += 1
    t.not(plan?.isOneTask, false, text.replaceAll(/\s+/g, ' '), { plan, values })
  }
  return distributed
}

await t.test('each statement of a company is one task on one machine', onCitus, async (t) => {
  const { sent, first } = watchStatements(t)
  const service = await startService(t)
  sent.clear()
  first.clear()
  const key = { headers: { 'idempotency-key': 'one' } }
  const { body: created } = await service.call('POST', '/v1/employees', { body: employee(), ...key })
  const [{ id, email }] = created.employees
  const many = Array.from({ length: 50 }, () => employee())
  t.equal((await service.call('POST', '/v1/employees', { body: many })).status, 201)
  t.equal((await service.call('POST', '/v1/employees', { body: employee({ email }) })).status, 409)
  t.equal((await service.call('POST', '/v1/employees', { body: '{' })).status, 400)
  t.equal((await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Engineer' } })).status, 200)
  await service.project()
  t.equal((await service.call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Manager' } })).status, 200)
  for (const path of [`/v1/employees/${id}`, '/v1/employees', '/v1/employees?q=ada'])
    t.equal((await service.call('GET', path)).status, 200)
  await service.project()
  const logId = created.log_id as string
  for (const path of ['/bulk-user-logs', `/bulk-user-logs/${logId}`, `/bulk-user-logs/${logId}/records`, '/attention'])
    t.equal((await service.admin(path)).status, 200)
  for (const path of ['/events', '/checkpoint']) t.equal((await service.audit(path)).status, 200)

  const distributed = await planAll(t, service, sent)
  t.ok(distributed > 20, 'most statements are about the company')

  await t.test('and a transaction begins with a write, which keeps the company there', async (t) => {
    t.ok(first.size > 1)
    t.strictSame(
      [...first].filter((text) => !/^\s*(?:insert|update|delete)\b/i.test(text)),
      [],
    )
  })
})

await t.test('whatever is sent to any route, each statement about a company is one task', onCitus, async (t) => {
  const { sent } = watchStatements(t)
  const ground = await openGround(t, 1)
  const { found } = await runBatch(ground, { seed: 21, inputs: 1_000 })
  t.strictSame(found, [])
  t.ok((await planAll(t, ground.service, sent)) > 100, 'most statements are about a company')
  t.strictSame(await ground.end(), [])
})

await t.test('the connections on which a company is served lead to its machine', onCitus, async (t) => {
  const service = await startService(t)
  t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
  const { rows } = await service.pool.query<{ name: string }>(
    `select nodename || ':' || nodeport as name from pg_dist_node where groupid > 0`,
  )
  const own = await machineOfCompany(service.pool, service.company.id)
  for (const { name } of rows) {
    const [hostname, port] = name.split(':') as [string, string]
    const url = Object.assign(new URL(service.urls.superUrl), { hostname, port }).href
    const pool = openPool({ url, name: 'test', max: 1 })
    const { rows: found } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'employee-ledger appends'`,
    )
    await pool.end()
    t.equal(found.length > 0, name === own, name)
  }
})

await t.test('what workers do for a company is one task on one machine, too', onCitus, async (t) => {
  const watched = watchStatements(t)
  const [witness, mails, receiver] = await Promise.all([
    startWitness(t, 'machines'),
    startMailServer(t),
    startReceiver(t),
  ])
  const service = await startService(
    t,
    {
      ...witness.settings,
      SMTP_URL: mails.url,
      MAIL_FROM: 'Ledger <ledger@ledger.example>',
      PUBLIC_URL: 'https://hr.example.com',
      SWEEP_INTERVAL_MS: '100',
    },
    { workers: true },
  )
  const { pool, db, urls } = service
  // With two companies, it shows if work for both is one statement.
  const companies = [service.company, await service.makeCompany('Elsewhere')]
  for (const company of companies) await giveWork(company)
  for (const queue of [RETIRE_RECORDS, RECORD_SIGN_INS, CHECK_ATTENTION, PUBLISH_CHECKPOINTS, DELETE_EXPIRED])
    await sendJob(urls.serviceUrl, queue)
  await receiver.waitFor(companies.length)
  for (const { id, admin } of companies) {
    await mails.take('new@example.com')
    await eventually(
      'the upload is applied',
      async () => (await get(admin.token, '/uploads')).items[0].state === 'ended',
    )
    await eventually('the file is made', async () => (await readStoredFile(db, id))?.state === 'done')
    await eventually('the problem is raised', () => hasRows('raised_attention', id))
    await eventually('the witness knows the ledger', async () => witness.heads.has(`employee-ledger/${id}`))
  }
  await eventually('the jobs have ended', async () => {
    const { rowCount } = await pool.query(`select from pgboss.job where state < 'completed'`)
    return rowCount === 0
  })

  const distributed = await planAll(t, service, watched.sent)
  t.ok(distributed > 50, 'most statements are about a company')

  async function get(token: string, path: string) {
    return (await service.admin(path, token)).body
  }

  async function hasRows(table: string, id: string) {
    const { rowCount } = await pool.query(`select from ${table} where company_id = $1`, [toUuid(id)])
    return rowCount !== 0
  }

  /** Lets a company want each kind of work. */
  async function giveWork({ id, key, admin, auditor }: TestCompany): Promise<void> {
    witness.know((await service.audit('/keys', auditor.token)).body.items[0].public_key)
    await service.manage('POST', '/webhooks', { url: receiver.url, types: ['employee.created'] }, admin.token)
    await service.manage('POST', '/users', { email: 'new@example.com', name: 'New', role: 'member' }, admin.token)
    await changeAlerts({ pool, newId }, { companyId: id, actor: admin.user_id }, true)
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    await service.manage(
      'POST',
      '/api-keys',
      { name: 'Expires', quota_limit: 10, refresh_period: 'monthly', expires_at: soon },
      admin.token,
    )
    await service.call('POST', '/v1/employees', { key, body: [employee(), { first_name: 'Refused' }] })
    await service.call('POST', '/v1/employees', { key, body: employee() })
    const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=staff.csv', {
      key: null,
      body: 'external_id,first_name,last_name\nP-1,Ada,Byron',
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
    })
    await service.manage('POST', `/uploads/${body.id}/apply`, undefined, admin.token)
    const requestId = randomUUID()
    const secrets = await createConfiguredSecretBox(service.config)
    await requestFile(db, id, {
      requestId,
      subject: { kind: 'period', from: null, to: null },
      requestedBy: auditor.user_id,
      sealedKey: secrets.encrypt(randomBytes(32), placeOfEvidenceKey(requestId)),
    })
  }
})
