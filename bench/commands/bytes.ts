import { setTimeout as pause } from 'node:timers/promises'
import { startCost } from '../compare/server-cost.ts'
import { makeEmployee, makeSmallPatch } from '../load/employee-bodies.ts'
import { change, NIGHTLY_CHANGED, withoutId } from '../load/http-work.ts'
import type { StockEmployee } from '../load/tenants.ts'
import { makeWriteRequest } from '../load/tenants.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { readPeakBytes } from '../processes/machine.ts'
import type { OurTenant } from '../peers/ours-peer.ts'
import { openOurs } from '../peers/ours-peer.ts'
import type { BenchServer } from '../processes/postgres.ts'

/** The groups of tables, by what they are for. */
export const GROUPS = ['events', 'deciding', 'employee list', 'log', 'other'] as const
type Group = (typeof GROUPS)[number]

/** What one record of a kind of bulk call costs: bytes, and milliseconds of processor time. */
export interface BytesResult {
  work: string
  walBytes: number
  storageBytes: number
  groups: Record<Group, number>
  serviceCpuMs: number
  postgresCpuMs: number
}

const DATABASE = 'bench_bytes'
/** Without a cache, because a sync that comes once a night finds none of its employees there. */
const COLD = { EMPLOYEE_CACHE: '0' }
const POLL_MS = 10
/** Folds, jobs and webhooks follow one another with pauses in between. */
const IDLE_POLLS = 100
const CATCHES_UP_WITHIN_MS = 60_000

/** Creates the employees of a company and sends all of them again and again, one call after the other. */
export async function measureBytes(
  server: BenchServer,
  { employees, records }: { employees: number; records: number },
  onProgress: (line: string) => void,
): Promise<BytesResult[]> {
  const ours = await openOurs(await server.createDatabase(DATABASE), { companies: [1], records }, { settings: COLD })
  try {
    const tenant = ours.tenants.get(1)![0]!
    const stock: StockEmployee[] = []
    const send = async (method: 'POST' | 'PUT' | 'PATCH', body: unknown[]) => {
      const request = makeWriteRequest(tenant, method, '/v1/employees', { employees: body })
      return (await ours.send({ request, status: method === 'POST' ? 201 : 200, tenant })).text
    }
    const create = async (count: number) => {
      const sent = Array.from({ length: count }, makeEmployee)
      const created = (JSON.parse(await send('POST', sent)) as { employees: { id: string }[] }).employees
      for (const [at, { id }] of created.entries()) stock.push({ id, ...sent[at]! })
    }
    const update =
      (method: 'PUT' | 'PATCH', body: (employee: StockEmployee, at: number) => unknown) =>
      async (count: number, from: number) => {
        await send(method, stock.slice(from, from + count).map(body))
      }
    const nightly = update('PUT', (employee, at) => {
      if (at % NIGHTLY_CHANGED === 0) change(employee, makeSmallPatch())
      return withoutId(employee)
    })
    const works: Record<string, (count: number, from: number) => Promise<void>> = {
      created: create,
      'first night after that': nightly,
      'one attribute changed': update('PATCH', (employee) => change(employee, makeSmallPatch())),
      'first night after such changes': nightly,
      'second night after such changes': nightly,
      'nightly sync, 1 % changed': nightly,
      unchanged: update('PUT', withoutId),
    }
    const results: BytesResult[] = []
    for (const [work, run] of Object.entries(works)) {
      const measured = await startBytes(server, tenant, ours.server.pid)
      for (let from = 0; from < employees; from += records) await run(Math.min(records, employees - from), from)
      results.push({ work, ...(await measured(employees)) })
      onProgress(`${work}: ${results.at(-1)!.storageBytes.toFixed(0)} bytes of storage for each record`)
    }
    return results
  } finally {
    await ours.stop()
    await server.dropDatabase(DATABASE)
  }
}

const LARGE_CALLS = { calls: 8, callers: 4 }

/** The peak resident memory of the service, in MiB, while it creates and patches employees in four large calls at once. */
export async function measurePeak(server: BenchServer, records: number): Promise<number> {
  const settings = { ...COLD, MAX_RECORDS: String(records) }
  const ours = await openOurs(await server.createDatabase(DATABASE), { companies: [1], records }, { settings })
  try {
    const calls = ours.prepare({ work: 'bulk-patch', companies: 1 }, LARGE_CALLS.calls)
    assertNoFailures('patching', await runCalls(calls, LARGE_CALLS.callers))
    await ours.visible!()
    return (await readPeakBytes(ours.server.pid)) / 2 ** 20
  } finally {
    await ours.stop()
    await server.dropDatabase(DATABASE)
  }
}

/** Starts a measurement. Returns a function that ends it and returns the cost of each of so many records. */
async function startBytes(server: BenchServer, tenant: OurTenant, pid: number) {
  await untilCaughtUp(server, tenant)
  await untilIdle(server)
  // After a checkpoint, the log holds a whole page for the first change to it, as it does every few minutes in production.
  await server.run('vacuum', DATABASE)
  await server.run('checkpoint')
  const before = await readGroups(server)
  const cost = await startCost(server, DATABASE, pid)
  return async (records: number): Promise<Omit<BytesResult, 'work'>> => {
    await untilCaughtUp(server, tenant)
    // So that no later step pays for what this one leaves to do.
    await server.run('vacuum', DATABASE)
    const { walBytes, serviceSeconds, postgresSeconds } = await cost()
    const after = await readGroups(server)
    const each = GROUPS.map((group) => [group, (after[group] - before[group]) / records] as const)
    return {
      walBytes: walBytes / records,
      storageBytes: each.reduce((sum, [, bytes]) => sum + bytes, 0),
      groups: Object.fromEntries(each) as Record<Group, number>,
      serviceCpuMs: (serviceSeconds * 1000) / records,
      postgresCpuMs: (postgresSeconds * 1000) / records,
    }
  }
}

async function untilCaughtUp(server: BenchServer, { newest }: OurTenant): Promise<void> {
  const deadline = performance.now() + CATCHES_UP_WITHIN_MS
  for (;;) {
    const [row] = await server.run<{ position: string }>(
      `select least(min(c.position), ${newest?.position ?? 0}) as position from checkpoints c
        where company_id = (select company_id from heads order by position desc limit 1)`,
      DATABASE,
    )
    if (Number(row!.position) === (newest?.position ?? 0)) return
    if (performance.now() > deadline) throw new Error(`the projections have not caught up: ${row!.position}`)
    await pause(POLL_MS)
  }
}

/**
 * Waits until no session of the database is in a transaction: a vacuum would leave what it may still see, and a later one
 * pay for it.
 */
async function untilIdle(server: BenchServer): Promise<void> {
  for (let idle = 0; idle < IDLE_POLLS;) {
    const [row] = await server.run<{ busy: boolean }>(
      `select count(*) > 0 as busy from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          and (state <> 'idle' or backend_xmin is not null)`,
      DATABASE,
    )
    idle = row!.busy ? 0 : idle + 1
    await pause(POLL_MS)
  }
}

/** Reads the size of each group of tables, with their indexes. */
async function readGroups(server: BenchServer): Promise<Record<Group, number>> {
  const rows = await server.run<{ group: Group; bytes: string }>(
    `select case
        when nspname like 'employees\\_v%' then 'employee list'
        when nspname like 'bulk\\_user\\_logs\\_v%' then 'log'
        when relname = 'events' then 'events'
        when relname like 'employee\\_%' then 'deciding'
        else 'other'
      end as group, sum(pg_total_relation_size(c.oid)) as bytes
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg\\_toast%'
      group by 1`,
    DATABASE,
  )
  const sizes = Object.fromEntries(rows.map(({ group, bytes }) => [group, Number(bytes)]))
  return Object.fromEntries(GROUPS.map((group) => [group, sizes[group] ?? 0])) as Record<Group, number>
}
