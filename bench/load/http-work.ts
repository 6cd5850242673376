import { makeChangingPatch, makeEmployee, nextSerial } from './employee-bodies.ts'
import type { Request } from './http-client.ts'
import type { Work } from './peer.ts'
import type { Tenant } from './tenants.ts'
import { makeWriteRequest } from './tenants.ts'

/** A request and its expected status. */
export interface ExpectedRequest {
  request: Request
  status: number
}

/** A prime, so that successive patches go to different parts of the company. */
const STRIDE = 7919

/** Makes a request of this work to one company; `turn` counts its requests. */
function makeRequest(work: Work, tenant: Tenant, turn: number, records: number): ExpectedRequest {
  switch (work) {
    case 'single-create':
      return { request: makeWriteRequest(tenant, 'POST', '/v1/employees', makeEmployee()), status: 201 }
    case 'single-patch': {
      const { id } = tenant.stock[(turn * STRIDE) % tenant.stock.length]!
      return { request: makeWriteRequest(tenant, 'PATCH', `/v1/employees/${id}`, makeChangingPatch()), status: 200 }
    }
    case 'bulk-create': {
      const employees = Array.from({ length: records }, makeEmployee)
      return { request: makeWriteRequest(tenant, 'POST', '/v1/employees', { employees }), status: 201 }
    }
    case 'bulk-patch': {
      const employees = getSlice(tenant, turn, records).map(({ id }) => ({ id, ...makeChangingPatch() }))
      return { request: makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees }), status: 200 }
    }
    case 'bulk-patch-unchanged':
      return {
        request: makeWriteRequest(tenant, 'PATCH', '/v1/employees', { employees: getSlice(tenant, turn, records) }),
        status: 200,
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

/** The employees of a bulk patch: another slice each turn, so that concurrent calls do not collide. */
function getSlice({ stock }: Tenant, turn: number, records: number) {
  const slices = Math.floor(stock.length / records)
  const from = (turn % slices) * records
  return stock.slice(from, from + records)
}
