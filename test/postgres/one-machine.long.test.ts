import type { EventEmitter } from 'node:events'
import pg from 'pg'
import t from 'tap'
import { openPool } from '../../src/postgres/pool.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { machineOfCompany } from '../support/postgres/machine-of-company.ts'
import { employee, startService } from '../support/service.ts'

/* What a company does on a cluster touches its machine alone: a machine that hangs then holds up no other company. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

/** What is wrapped of a connection. */
interface Wire extends EventEmitter {
  query(text: string): void
  parse(query: { name?: string; text: string }, ...more: unknown[]): void
  bind(config: { statement?: string; values?: unknown[] }, ...more: unknown[]): void
}

/** Statements that this process has sent. */
interface Watched {
  /** Those with parameters, each with its last ones. */
  sent: Map<string, unknown[]>
  /** Those that came first in a transaction. */
  first: Set<string>
}

/** Watches the statements that this process sends from now on. */
function watchStatements(): Watched {
  const { connect } = pg.Client.prototype
  const watched: Watched = { sent: new Map(), first: new Set() }
  t.teardown(() => Object.assign(pg.Client.prototype, { connect }))
  function watch(this: { connection: Wire }, ...args: unknown[]): unknown {
    const { connection: wire } = this
    const texts = new Map<string, string>()
    const { query, parse, bind } = wire
    let hasBegun = false
    const note = (text: string) => {
      if (hasBegun) watched.first.add(text)
      hasBegun = /^(?:begin|start transaction)/i.test(text)
    }
    wire.query = (text) => {
      note(text)
      query.call(wire, text)
    }
    wire.parse = (query, ...more) => {
      texts.set(query.name ?? '', query.text)
      parse.call(wire, query, ...more)
    }
    wire.bind = (config, ...more) => {
      const text = texts.get(config.statement ?? '') ?? ''
      note(text)
      watched.sent.set(text, config.values ?? [])
      bind.call(wire, config, ...more)
    }
    return Reflect.apply(connect, this, args)
  }
  Object.assign(pg.Client.prototype, { connect: watch })
  return watched
}

await t.test('each statement of a company is one task on one machine', onCitus, async (t) => {
  const { sent, first } = watchStatements()
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

  const client = new pg.Client({ connectionString: service.urls.serviceUrl })
  await client.connect()
  t.teardown(() => client.end())
  let explained = 0
  for (const [text, values] of sent) {
    if (!/^\s*(?:select|insert|update|delete|with)\b/i.test(text)) continue
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({ text: `explain (costs off) ${text}`, values })
    const plan = rows.map((row) => row['QUERY PLAN'])
    const tasks = plan.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? [])
    if (plan.some((line) => line.includes('Citus'))) explained += 1
    t.ok(
      tasks.every((count) => count === '1') && !plan.some((line) => line.includes('repartition')),
      text.replaceAll(/\s+/g, ' '),
      { plan },
    )
  }
  t.ok(explained > 20, 'most statements are about the company')

  await t.test('and a transaction begins with a write, which keeps the company there', async (t) => {
    t.ok(first.size > 1)
    t.strictSame(
      [...first].filter((text) => !/^\s*(?:insert|update|delete)\b/i.test(text)),
      [],
    )
  })
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
