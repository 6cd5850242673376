import type { Samples } from './fill-ledger.ts'
import { expectStatus } from '../load/http-client.ts'
import { runCalls, assertNoFailures } from '../load/run-calls.ts'
import { makeWriteRequest } from '../load/tenants.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import type { BenchServer } from '../processes/postgres.ts'
import { median } from '../report/statistics.ts'

/** What opening a page once costs. */
export interface PageResult {
  page: string
  statements: number
  /** Blocks of 8 KiB that its statements read, in the cache or not. */
  blocks: number
  /** Milliseconds in which PostgreSQL planned and ran them. */
  databaseMs: number
  /** Milliseconds until the page had arrived, in the median. */
  wholeMs: number
}

/** Settings of the server: it counts statements, and what they read. */
export const COUNTING = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  // Transactions begin and end without reading anything.
  'pg_stat_statements.track_utility': 'off',
}

const FAILED_CALLERS = 16
/** A browser's request from a page of the service. */
const FROM_OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** Makes calls that fail, each with five records that name nobody. */
export async function makeFailedCalls(ours: Ours, tenant: OurTenant, count: number): Promise<void> {
  const calls = Array.from({ length: count }, (_, at) => async () => {
    const employees = [0, 1, 2, 3, 4].map((nth) => ({ email: `nobody.${at}.${nth}@example.com`, job_title: 'None' }))
    const request = makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees })
    await ours.send({ request, status: 422, tenant })
  })
  assertNoFailures('failing', await runCalls(calls, FAILED_CALLERS))
  await ours.visible!()
}

/** Opens each page several times, and measures what that costs. No other call may run meanwhile. */
export async function measurePages(
  server: BenchServer,
  database: string,
  { ours, tenant, samples, times }: { ours: Ours; tenant: OurTenant; samples: Samples; times: number },
): Promise<PageResult[]> {
  await server.run('create extension if not exists pg_stat_statements', database)
  const headers = { ...FROM_OWN_PAGE, cookie: await signIn(ours, tenant) }
  const results: PageResult[] = []
  for (const [page, path] of Object.entries(listPages(samples))) {
    const open = async () => {
      const startedAt = performance.now()
      await expectStatus(ours.client, { method: 'GET', path, headers }, 200)
      return performance.now() - startedAt
    }
    await open()
    await server.run('select pg_stat_statements_reset()', database)
    const took: number[] = []
    for (let time = 0; time < times; time += 1) took.push(await open())
    // A page sends the same statements each time. Workers send others meanwhile, hardly ever exactly as often.
    const [cost] = await server.run<{ statements: number; blocks: number; ms: number }>(
      `select coalesce(sum(calls), 0)::float8 as statements,
         coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks,
         coalesce(sum(total_plan_time + total_exec_time), 0)::float8 as ms
       from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
         and userid = 'ledger_service'::regrole and calls % ${times} = 0`,
      database,
    )
    const each = (sum: number) => sum / times
    const { statements, blocks, ms } = cost!
    results.push({
      page,
      statements: each(statements),
      blocks: each(blocks),
      databaseMs: each(ms),
      wholeMs: median(took),
    })
  }
  return results
}

async function signIn({ client }: Ours, { admin: { email, password } }: OurTenant): Promise<string> {
  const { headers } = await expectStatus(
    client,
    {
      method: 'POST',
      path: '/sign-in',
      headers: { ...FROM_OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(new URLSearchParams({ email, password }).toString()),
    },
    303,
  )
  return [headers['set-cookie'] ?? ''].flat()[0]!.split(';', 1)[0]!
}

/** The pages that are opened. Of the names, one person has the rarest, an eighth the common one, and all the last. */
function listPages({ employeeIds, logIds }: Samples): Record<string, string> {
  const log = '/settings/bulk-user-logs'
  const search = (query: Record<string, string>) => `${log}?${new URLSearchParams(query).toString()}`
  return {
    'invite a user': '/settings/users/new',
    'company settings': '/settings/company',
    'Bulk User Logs': log,
    'failed calls': search({ status: 'Failed' }),
    'one person by email address': search({ employee: 'employee.7@example.com' }),
    'a name that one person has': search({ q: 'Okonkwo-7 employee' }),
    'a name that 200 people have': search({ q: 'Ferreira' }),
    'a name that 1,000 people have': search({ q: 'Haddad' }),
    'a common name': search({ q: 'Chidi' }),
    'the name of all': search({ q: 'Okonkwo' }),
    'an error code': search({ q: 'employee_not_found' }),
    'an error code that no call has': search({ q: 'manager_cycle' }),
    'an address': search({ q: '127.0.0.1' }),
    'an entry': `${log}/${logIds.at(-1)!}`,
    'the undo of an entry': `${log}/${logIds.at(-1)!}/undo`,
    'refused records': `${log}/refusals`,
    employees: '/settings/employees',
    'a person': `/settings/employees/${employeeIds[0]!}`,
    'event stream': '/settings/events',
    usage: '/settings/usage',
  }
}
