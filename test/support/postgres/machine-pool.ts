import type { Pool } from 'pg'
import { newId } from '../../../src/ledger/new-id.ts'
import { clusterOf, poolOfMachine } from '../../../src/postgres/cluster/company-connections.ts'
import type { MachinePool } from '../../../src/postgres/cluster/machine-pools.ts'
import type { Service, TestCompany } from '../service.ts'

/** The connections of a pool to the machine of the service's company. */
export function machinePoolOf(pool: Pool, { company }: Service): MachinePool {
  const cluster = clusterOf(pool)
  if (!cluster) return { pool }
  return { pool: poolOfMachine(pool, cluster.find(company.id).machine), shardOf: (id) => cluster.find(id).shard }
}

/** Makes a company on the same machine as the service's company. */
export async function makeNeighbor(service: Service, name: string): Promise<TestCompany> {
  const cluster = clusterOf(service.pool)
  const machineOf = (id: string) => cluster?.find(id).machine
  let id = newId('com')
  while (machineOf(id) !== machineOf(service.company.id)) id = newId('com')
  return service.makeCompany(name, id)
}
