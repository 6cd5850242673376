import { existsSync } from 'node:fs'
import pg from 'pg'
import t from 'tap'
import type { LogEntry } from '../../projections/bulk-user-logs/queries.ts'
import { openEmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'
import type { Ended, Server } from '../support/processes/cli.ts'
import {
  failsWithLine,
  hasDatabaseServer,
  makeDataDir,
  readDemo,
  runCommand,
  runJson,
  startServer,
} from '../support/processes/cli.ts'
import { send } from '../support/service.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

const tests = t
const DATA_DIR = makeDataDir(t)
const SETTINGS = { DATA_DIR, LOG_LEVEL: 'warn' }

type Entry = LogEntry['entry']

const FAILURES: Record<string, number> = {
  malformed_json: 400,
  invalid_body: 400,
  employee_not_found: 404,
  already_exists: 409,
  inactive_employee_exists: 409,
  precondition_failed: 412,
  batch_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  empty_batch: 422,
  idempotency_key_reused: 422,
}

/** The number of employees and of each outcome, as the command printed them. */
function readSummary({ stdout }: Ended): { employees: number; calls: number; outcomes: Record<string, number> } {
  const [, employees, calls, list] = /^([0-9]+) employees created in ([0-9]+) calls: (.+)\n$/.exec(stdout) ?? []
  const pairs = (list ?? '')
    .split(', ')
    .map((pair) => pair.split(' '))
    .map(([count, outcome]) => [outcome, Number(count)])
  return {
    employees: Number(employees),
    calls: Number(calls),
    outcomes: Object.fromEntries(pairs) as Record<string, number>,
  }
}

/** All entries in the demo company's log. */
async function wholeLog(address: string): Promise<Entry[]> {
  const headers = { authorization: `Bearer ${readDemo(DATA_DIR).admin.token}` }
  const entries: Entry[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await send(address, 'GET', `/admin/v1/bulk-user-logs?limit=200${more}`, { headers })
    entries.push(...(body.items as Entry[]))
    cursor = body.next_cursor as string | null
  }
  return entries
}

async function employeesOf(dataDir: string): Promise<{ external_id: string; email: string; status: string }[]> {
  const database = await openEmbeddedDatabase({ dataDir, purpose: 'visit' })
  const client = new pg.Client({ connectionString: database.serviceUrl })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select external_id, email, case when deactivated_at is null then 'active' else 'inactive' end as status
        from employee_directory join ${EMPLOYEES} using (company_id, employee_id)`,
    )
    return rows as { external_id: string; email: string; status: string }[]
  } finally {
    await client.end()
    await database.release()
  }
}

await t.test('without a demo company it says what to do first, and creates nothing', async (t) => {
  const ended = await runCommand(t, ['demo', 'seed'], SETTINGS)
  failsWithLine(t, ended, /^employee-ledger: there is no demo company; run `npm start` first/)
  t.notOk(existsSync(DATA_DIR))
})

await t.test("the first start's demo company has no employees and an empty log", async (t) => {
  const starting = await startServer(t, ['start'], SETTINGS)
  await starting.prints('The credentials are saved in')
  t.same(await wholeLog(starting.address), [])
  t.same(await employeesOf(DATA_DIR), [])
  await starting.end('SIGTERM')
})

let first: ReturnType<typeof readSummary>
let server: Server

await t.test('it fills the demo while no server runs, shows its progress, and leaves no server behind', async (t) => {
  const ended = await runCommand(t, ['demo', 'seed'], SETTINGS)
  t.equal(ended.exitCode, 0)
  t.equal(ended.stderr.match(/^demo calls [0-9]+\/[0-9]+ \([0-9]+ %\) .+ left$/gm)?.length, 10)
  t.equal(ended.stderr.trimEnd().split('\n').length, 10, 'nothing else')
  t.notOk(hasDatabaseServer(DATA_DIR))

  first = readSummary(ended)
  t.ok(first.employees >= 450 && first.employees <= 550, `${first.employees} employees`)
  t.ok(first.calls >= 250 && first.calls <= 400, `${first.calls} calls`)
  const expected = [
    'created',
    'bulk_updated',
    'synced',
    'no_updates',
    'deactivated',
    'reactivated',
    ...Object.keys(FAILURES),
  ]
  t.same(Object.keys(first.outcomes), expected.sort())
})

await t.test('the log is complete when it ends', async (t) => {
  const projections = await runJson<{ lagging: number; parked: unknown[] }[]>(t, ['projections', 'list'], SETTINGS)
  t.match(projections, [
    { lagging: 0, parked: [] },
    { lagging: 0, parked: [] },
  ])
  t.equal((await employeesOf(DATA_DIR)).length, first.employees)
})

await t.test('the log holds every call with its outcome', async (t) => {
  server = await startServer(tests, ['start'], SETTINGS)
  const entries = await wholeLog(server.address)
  t.equal(entries.length, first.calls)
  for (const [code, status] of Object.entries(FAILURES)) {
    const failed = entries.filter(({ error }) => error?.code === code)
    t.equal(failed.length, first.outcomes[code], code)
    t.ok(
      failed.every((entry) => entry.status === 'Failed' && entry.http_status === status),
      `${code} is ${status}`,
    )
  }
  const completed = (of: string) =>
    entries.filter(({ status, operation }) => status === 'Completed' && operation === of)
  t.equal(completed('create').length, first.outcomes['created'])
  t.equal(completed('update_many').length, first.outcomes['bulk_updated'])
  t.equal(
    completed('create').reduce((sum, { counts }) => sum + counts.total, 0),
    first.employees,
  )
  const single = completed('update_one')
  t.equal(single.filter(({ counts }) => counts.deactivated === 1).length, first.outcomes['deactivated'])
  t.equal(single.filter(({ counts }) => counts.no_updates === 1).length, first.outcomes['no_updates'])
  const updated = single.filter(({ counts }) => counts.updated === 1).length
  t.equal(updated, first.outcomes['synced']! + first.outcomes['reactivated']!)
  for (const size of [1, 100])
    t.ok(
      completed('create').some(({ counts }) => counts.total === size),
      `a creation of ${size}`,
    )
})

await t.test('a second run, beside the running server, adds more and continues the numbering', async (t) => {
  const ended = await runCommand(t, ['demo', 'seed'], SETTINGS)
  t.equal(ended.exitCode, 0, ended.stderr)
  const second = readSummary(ended)
  t.same(second.outcomes, first.outcomes)
  t.equal((await wholeLog(server.address)).length, first.calls + second.calls)

  const employees = await employeesOf(DATA_DIR)
  const numbers = employees.map(({ external_id }) => Number(external_id.slice('demo-'.length))).sort((a, b) => a - b)
  t.same(
    numbers,
    Array.from({ length: first.employees + second.employees }, (_, at) => at + 1),
  )
  t.ok(employees.some(({ status }) => status === 'inactive'))
})
