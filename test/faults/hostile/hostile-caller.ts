import { attempt } from '../workload.ts'
import type { LoadedCompany, Operation } from '../workload.ts'

/** A caller that ignores the harm it does. It sends each call once, whatever the answer. */
interface HostileCaller {
  /** The calls sent so far. */
  operations: Operation[]
  /** Sends a call to an address. `records` is how many its entry has to count. */
  send(address: string, call: HostileCall): Promise<Operation>
}

export interface HostileCall {
  method?: 'POST' | 'PATCH'
  path?: string
  /** JSON. */
  body: string
  records: number
}

export function hostileCaller(company: LoadedCompany, name: string): HostileCaller {
  const operations: Operation[] = []
  const started = performance.now()
  return {
    operations,
    async send(address, { method = 'POST', path = '/v1/employees', body, records }) {
      const id = `${name}-${operations.length}`
      const operation: Operation = {
        id,
        companyId: company.companyId,
        apiId: company.key.api_id,
        method,
        path,
        body,
        records,
        attempts: [],
        final: null,
        again: null,
        isHostile: true,
      }
      operations.push(operation)
      operation.final = await attempt(address, company, operation, () => performance.now() - started)
      return operation
    },
  }
}
