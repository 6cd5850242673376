import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expectStatus, openHttpClient } from '../load/http-client.ts'
import { makeRequests } from '../load/http-work.ts'
import { openOurs, QUOTA, settingsOf, type Ours, type OurTenant } from '../peers/ours-peer.ts'
import { startCpu, type Cpu } from '../processes/cpu-time.ts'
import { readCpuSeconds } from '../processes/machine.ts'
import type { BenchServer, ServerUrls } from '../processes/postgres.ts'
import { startServerProcess } from '../processes/server-process.ts'

const run = promisify(execFile)
const POLL_MS = 5
const CATCHES_UP_WITHIN_MS = 600_000
/** The calls of a process that has just started. */
const FIRST_CALLS = 20

/** What calls used: processor time, and what PostgreSQL did for the service. */
export interface Used extends Cpu {
  calls: number
  statements: number
  rows: number
  walBytes: number
}

/** A version of the program with a company, on its own database. */
export interface Version {
  ours: Ours
  urls: ServerUrls
  database: string
  /** Records of a bulk call. */
  records: number
  /** Starts a measurement. Returns a function that waits until everything is folded, and returns what was used. */
  startUse(): Promise<(calls: number) => Promise<Used>>
  close(): Promise<void>
}

export interface VersionOptions {
  folder: string
  database: string
  records: number
  settings: Record<string, string>
}

/** Opens a version. Companies are made by its command line, which changes less than its functions. */
export async function openVersion(server: BenchServer, options: VersionOptions): Promise<Version> {
  const { folder, database, records, settings } = options
  const urls = await server.createDatabase(database)
  const sizes = { companies: [1], records }
  const ours = await openOurs(urls, sizes, { folder, settings, makeCompany: () => makeCompany(folder, urls) })
  const watcher = new pg.Client({ connectionString: urls.superUrl })
  await watcher.connect()
  const tenant = tenantOf(ours)
  const caughtUp = () => untilCaughtUp(watcher, tenant)
  return {
    ours,
    urls,
    database,
    records,
    async startUse() {
      await caughtUp()
      const counted = await readCounts(server, database)
      const endCpu = await startCpu(server, ours.server.pid)
      return async (calls) => {
        await caughtUp()
        const cpu = await endCpu()
        return { calls, ...cpu, ...subtract(await readCounts(server, database), counted) }
      }
    },
    async close() {
      await watcher.end()
      await ours.stop()
    },
  }
}

export function tenantOf(ours: Ours): OurTenant {
  return ours.tenants.get(1)![0]!
}

/** Adds up what was used. */
export function addUse(one: Used, other: Used): Used {
  return Object.fromEntries(
    (Object.keys(one) as (keyof Used)[]).map((name) => [name, one[name] + other[name]]),
  ) as unknown as Used
}

/** Makes a company with the command line of a version. */
export async function makeCompany(folder: string, urls: ServerUrls): Promise<OurTenant> {
  const cli = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, ['src/main.ts', ...args, '--json'], {
      cwd: folder,
      env: settingsOf(urls),
    })
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const person = ['--admin-email', 'admin@example.com', '--admin-name', 'Admin']
  const { company_id: id, admin } = await cli('company', 'create', '--name', 'Company', ...person)
  const companyId = id as string
  const key = await cli('key', 'issue', '--company', companyId, '--name', 'HR sync', '--quota-limit', String(QUOTA))
  const { email, password, token } = admin as { email: string; password: string; token: string }
  return {
    companyId,
    credentials: { 'x-api-id': key.api_id as string, 'x-api-key': key.api_key as string },
    admin: { email, password },
    adminToken: token,
    newest: null,
    stock: [],
  }
}

/** Waits until all projections have folded everything, without asking the service, which would count as its work. */
async function untilCaughtUp(watcher: pg.Client, { newest }: OurTenant): Promise<void> {
  const deadline = performance.now() + CATCHES_UP_WITHIN_MS
  for (;;) {
    const { rows } = await watcher.query<{ is_done: boolean }>(
      'select coalesce(min(position), 0) >= $1 as is_done from checkpoints',
      [newest?.position ?? 0],
    )
    if (rows[0]!.is_done) return
    if (performance.now() > deadline) throw new Error('the projections have not caught up')
    await pause(POLL_MS)
  }
}

type Counts = Omit<Used, 'calls' | keyof Cpu>

/** What the service's own roles have done in a database, all statements together. */
async function readCounts(server: BenchServer, database: string): Promise<Counts> {
  const [row] = await server.run<Record<keyof Counts, string>>(
    `select coalesce(sum(calls), 0) as statements, coalesce(sum(rows), 0) as rows,
        coalesce(sum(wal_bytes), 0) as "walBytes"
      from pg_stat_statements s join pg_database d on d.oid = s.dbid join pg_roles r on r.oid = s.userid
      where d.datname = '${database}' and not r.rolsuper`,
  )
  return { statements: Number(row!.statements), rows: Number(row!.rows), walBytes: Number(row!.walBytes) }
}

function subtract(after: Counts, before: Counts): Counts {
  return {
    statements: after.statements - before.statements,
    rows: after.rows - before.rows,
    walBytes: after.walBytes - before.walBytes,
  }
}

/** What a process uses until it listens, and then for its first calls. No other process of the version may run. */
export async function measureStart(
  server: BenchServer,
  { ours, urls }: Version,
  { folder, records }: VersionOptions,
): Promise<{ start: Used; firstCalls: Used }> {
  const endStart = await startCpu(server, undefined)
  const process = await startServerProcess(['src/main.ts', 'start'], settingsOf(urls), folder)
  const client = openHttpClient(process.address)
  const watcher = new pg.Client({ connectionString: urls.superUrl })
  await watcher.connect()
  const none = { statements: 0, rows: 0, walBytes: 0 }
  try {
    const { postgresSeconds } = await endStart()
    const start = { calls: 1, serviceSeconds: await readCpuSeconds(process.pid), postgresSeconds, ...none }
    const endCalls = await startCpu(server, process.pid)
    const tenant = tenantOf(ours)
    for (const { request, status } of makeRequests('first-load', [tenant], FIRST_CALLS, records)) {
      const { headers } = await expectStatus(client, request, status)
      tenant.newest = { position: Number(headers['x-ledger-position']), logId: '' }
    }
    await untilCaughtUp(watcher, tenant)
    return { start, firstCalls: { calls: FIRST_CALLS, ...(await endCalls()), ...none } }
  } finally {
    await watcher.end()
    await client.close()
    await process.stop()
  }
}
