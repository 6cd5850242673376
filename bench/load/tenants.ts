import type { SentEmployee } from './employee-bodies.ts'
import { makeEmployee } from './employee-bodies.ts'
import type { HttpClient, Request } from './http-client.ts'
import { expectStatus } from './http-client.ts'
import type { Call } from './run-calls.ts'
import { assertNoFailures, runCalls } from './run-calls.ts'

/** An employee to patch: the attributes as last sent. */
export interface StockEmployee extends SentEmployee {
  id: string
}

/** A company with an API key and employees that are created before the measurement. */
export interface Tenant {
  /** The headers that authenticate it. */
  credentials: Record<string, string>
  stock: StockEmployee[]
}

/** The companies of a run. */
export interface TenantSizes {
  /** The size of each group of companies. */
  companies: number[]
  /** Records of a bulk call. */
  records: number
}

/** Concurrent bulk patches that touch different employees when there is one company. */
const SLICES = 8
const STOCK_CALLERS = 4

/** Creates the groups of companies, and their employees through the API. */
export async function makeTenants<T extends Tenant>(
  client: HttpClient,
  sizes: TenantSizes,
  make: (name: string) => Promise<T>,
): Promise<Map<number, T[]>> {
  const groups = new Map<number, T[]>()
  for (const count of sizes.companies) {
    const tenants: T[] = []
    for (let at = 1; at <= count; at += 1) tenants.push(await make(`Company ${at} of ${count}`))
    const slices = Math.max(1, Math.ceil(SLICES / count))
    const calls = tenants.flatMap((tenant) =>
      Array.from({ length: slices }, () => makeStock(client, tenant, sizes.records)),
    )
    assertNoFailures('creating the employees', await runCalls(calls, STOCK_CALLERS))
    groups.set(count, tenants)
  }
  return groups
}

function makeStock(client: HttpClient, tenant: Tenant, records: number): Call {
  return async () => {
    const employees = Array.from({ length: records }, makeEmployee)
    const { text } = await expectStatus(client, makeWriteRequest(tenant, 'POST', '/v1/employees', { employees }), 201)
    const created = (JSON.parse(text) as { employees: { id: string }[] }).employees
    for (const [at, { id }] of created.entries()) tenant.stock.push({ id, ...employees[at]! })
  }
}

/** Makes a writing request with a serialized body. */
export function makeWriteRequest(
  { credentials }: Tenant,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: unknown,
): Request {
  return {
    method,
    path,
    headers: { ...credentials, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
}
