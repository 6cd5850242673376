import { makeChangingPatch, makeEmployee, makeSmallPatch, nextSerial } from './employee-bodies.ts'
import type { SentEmployee } from './employee-bodies.ts'
import type { Request } from './http-client.ts'
import type { Work } from './peer.ts'
import type { StockEmployee, Tenant } from './tenants.ts'
import { makeWriteRequest } from './tenants.ts'

/** A request and its expected status. */
export interface ExpectedRequest {
  request: Request
  status: number
}

/** In a nightly sync, which sends all attributes of all employees, one of this many employees has changed. */
export const NIGHTLY_CHANGED = 100

/** A prime, so that successive patches go to different parts of the company. */
const STRIDE = 7919

/** Makes a request of this work to one company; `turn` counts its requests. */
function makeRequest(work: Work, tenant: Tenant, turn: number, records: number): ExpectedRequest {
  switch (work) {
    case 'single-create':
      return { request: makeWriteRequest(tenant, 'POST', '/v1/employees', makeEmployee()), status: 201 }
    case 'single-patch': {
      const { id, ...patch } = change(tenant.stock[(turn * STRIDE) % tenant.stock.length]!, makeChangingPatch())
      return { request: makeWriteRequest(tenant, 'PATCH', `/v1/employees/${id}`, patch), status: 200 }
    }
    case 'bulk-create': {
      const employees = Array.from({ length: records }, makeEmployee)
      return { request: makeWriteRequest(tenant, 'POST', '/v1/employees', { employees }), status: 201 }
    }
    case 'first-load': {
      const employees = Array.from({ length: records }, makeEmployee)
      return { request: makeWriteRequest(tenant, 'PUT', '/v1/employees', { employees }), status: 200 }
    }
    case 'bulk-patch': {
      const employees = getSlice(tenant, turn, records).map((employee) => change(employee, makeChangingPatch()))
      return { request: makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees }), status: 200 }
    }
    case 'bulk-patch-unchanged': {
      const employees = getSlice(tenant, turn, records).map(({ id, department, employee_number }) => {
        return { id, department, employee_number }
      })
      return { request: makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees }), status: 200 }
    }
    case 'nightly-sync': {
      const employees = getSlice(tenant, turn, records)
      for (let at = 0; at < employees.length; at += NIGHTLY_CHANGED) change(employees[at]!, makeSmallPatch())
      const sent = employees.map(withoutId)
      return { request: makeWriteRequest(tenant, 'PUT', '/v1/employees', { employees: sent }), status: 200 }
    }
    case 'verify': {
      const headers = { ...tenant.credentials, accept: 'application/json' }
      return { request: { method: 'GET', path: '/v1/auth/verify', headers }, status: 200 }
    }
  }
}

/** Makes requests of this work to the companies in turn. */
export function makeRequests<T extends Tenant>(
  work: Work,
  tenants: readonly T[],
  count: number,
  records: number,
): (ExpectedRequest & { tenant: T })[] {
  // Starts at a different slice in each measurement.
  const start = nextSerial()
  return Array.from({ length: count }, (_, at) => {
    const tenant = tenants[at % tenants.length]!
    return { tenant, ...makeRequest(work, tenant, start + Math.floor(at / tenants.length), records) }
  })
}

/** Changes an employee of the stock. Returns the patch that says so. */
export function change(employee: StockEmployee, patch: Record<string, unknown>): { id: string } {
  Object.assign(employee, patch)
  return { id: employee.id, ...patch }
}

/** The record of an upsert, which finds its employee by the external id. */
export function withoutId(employee: StockEmployee): SentEmployee {
  return { ...employee, id: undefined }
}

/** The employees of a bulk update: another slice each turn, so that concurrent calls do not collide. */
function getSlice({ stock }: Tenant, turn: number, records: number) {
  const slices = Math.floor(stock.length / records)
  const from = (turn % slices) * records
  return stock.slice(from, from + records)
}
