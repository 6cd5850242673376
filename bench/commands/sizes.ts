import { makeChangingPatch } from '../load/employee-bodies.ts'
import type { Samples } from './fill-ledger.ts'
import type { Request } from '../load/http-client.ts'
import { expectStatus } from '../load/http-client.ts'
import type { LagResult } from '../compare/lag.ts'
import { measureLag } from '../compare/lag.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import type { Call, LoadResult } from '../load/run-calls.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { makeWriteRequest } from '../load/tenants.ts'

/** The results at one size of the ledger. */
export interface SizeResult {
  events: number
  /** By kind of call. */
  results: Record<string, LoadResult>
  lag: LagResult
}

interface SizeOptions {
  companies: number
  /** Calls of each kind, by one caller. */
  calls: number
  /** Duration of the lag measurement. */
  seconds: number
  records: number
}

const WARM_UP_SHARE = 0.1
const LAG_CALLERS = 32

/** Measures the calls whose latency must not depend on the size of the ledger. Throws when one fails. */
export async function measureSize(ours: Ours, samples: Samples, options: SizeOptions): Promise<SizeResult> {
  const { companies, calls, seconds, records } = options
  const tenant = ours.tenants.get(companies)![0]!
  const events = tenant.newest!.position
  const works: Record<string, (count: number) => Call[]> = {
    'append: single create': (count) => ours.prepare({ work: 'single-create', companies }, count),
    'append: single patch': (count) => Array.from({ length: count }, () => makePatchCall(ours, tenant, samples)),
  }
  for (const [name, request] of Object.entries(makeReadRequests(tenant, samples, events))) {
    works[name] = (count) => Array.from({ length: count }, () => makeReadCall(ours, request()))
  }
  const results: Record<string, LoadResult> = {}
  for (const [name, prepare] of Object.entries(works)) {
    await runCalls(prepare(Math.ceil(calls * WARM_UP_SHARE)), 1)
    results[name] = assertNoFailures(name, await runCalls(prepare(calls), 1))
    await ours.visible!()
  }
  const lag = await measureLag(ours, { companies, seconds, callers: LAG_CALLERS, records })
  return { events, results, lag: assertNoFailures('lag', lag) }
}

/** Patches a random employee. */
function makePatchCall(ours: Ours, tenant: OurTenant, { employeeIds }: Samples): Call {
  const request = makeWriteRequest(tenant, 'PATCH', `/v1/employees/${pick(employeeIds)}`, makeChangingPatch())
  return async () => void (await ours.send({ request, status: 200, tenant }))
}

function makeReadCall({ client }: Ours, request: Request): Call {
  return async () => void (await expectStatus(client, request, 200))
}

/** Reading requests: the newest page and random pages, entries, and records. */
function makeReadRequests(
  tenant: OurTenant,
  { employeeIds, logIds }: Samples,
  events: number,
): Record<string, () => Request> {
  const asAdmin = (path: string): Request => ({
    method: 'GET',
    path,
    headers: { authorization: `Bearer ${tenant.adminToken}` },
  })
  const asClient = (path: string): Request => ({ method: 'GET', path, headers: tenant.credentials })
  const log = '/admin/v1/bulk-user-logs'
  return {
    'log: newest page': () => asAdmin(`${log}?limit=50`),
    'log: any page': () => asAdmin(`${log}?limit=50&cursor=${makeCursor(Math.ceil(Math.random() * events))}`),
    'log: entry': () => asAdmin(`${log}/${pick(logIds)}`),
    'log: records of an entry': () => asAdmin(`${log}/${pick(logIds)}/records?limit=50`),
    'employees: first page': () => asClient('/v1/employees?limit=50'),
    'employees: any page': () => asClient(`/v1/employees?limit=50&cursor=${makeCursor(pick(employeeIds))}`),
    'employees: one': () => asClient(`/v1/employees/${pick(employeeIds)}`),
  }
}

/** Builds a cursor of a list, at a position or an id. */
function makeCursor(place: number | string): string {
  return Buffer.from(`1:${place}`).toString('base64url')
}

function pick(values: readonly string[]): string {
  return values[Math.floor(Math.random() * values.length)]!
}
