import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { migrateDatabase } from '../../../src/bootstrap/store.ts'
import { findDatabaseOsUser } from '../../../src/postgres/embedded/database-os-user.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { openPool } from '../../../src/postgres/pool.ts'
import { machineOfCompany } from '../../support/postgres/machine-of-company.ts'
import { distribute } from '../../../src/migration/distribute.ts'
import { makeServer } from '../../citus/own-cluster.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { createClusterDatabase, createMachineDatabase, createRoles } from '../../support/postgres/citus-cluster.ts'
import { NAMES } from '../../support/postgres/test-server.ts'
import type { Cluster, ClusterUrls } from '../cluster.ts'
import { startCluster } from '../cluster.ts'
import { copyServer, requireStandby } from './standby.ts'

/** The folder of the programs of a PostgreSQL with Citus, as `pg_config --bindir` prints it. */
export const CITUS_BIN = process.env['CITUS_BIN']

const HOST = '127.0.0.1'
const WORKERS = 2
const SHARDS = 4
const COORDINATOR = { shared_buffers: '64MB' }
/**
 * What the workers would do by themselves loses acknowledged calls in a crash: an asynchronous commit reaches the log's
 * file up to three times this delay later. What the service sets has to prevent that.
 */
const WORKER = { ...COORDINATOR, synchronous_commit: 'off', wal_writer_delay: '10s' }

/** The machines of a Citus cluster of its own, durable as in production. */
export interface Machines {
  coordinator: Cluster
  /** They have the companies. */
  workers: Cluster[]
  /** The machine that has a company now. */
  machineOf(companyId: string): Promise<Cluster>
  /** Starts another machine with the roles and an empty database, of which the cluster does not know. */
  start(): Promise<Cluster>
  /** Starts a synchronous standby of a worker. */
  startStandby(worker: Cluster): Promise<Cluster>
}

/** Starts a coordinator and two workers in a folder, and makes the database and distributes it. */
export async function openMachines(cleanup: Cleanup, folder: string): Promise<Machines> {
  const user = await findDatabaseOsUser(folder)
  const [superPassword, password] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')]

  async function startAt(makeFiles: (folder: string) => Promise<void>): Promise<Cluster> {
    const port = await freePort()
    const urlOf = (name: string, secret: string) => `postgres://${name}:${secret}@${HOST}:${port}/${NAMES.database}`
    const urls: ClusterUrls = {
      superUrl: urlOf('postgres', superPassword),
      ownerUrl: urlOf(NAMES.owner, password),
      serviceUrl: urlOf(NAMES.service, password),
    }
    const own = path.join(folder, String(port))
    await makeFiles(own)
    const machine = await startCluster(own, urls, {}, { pgCtl: path.join(CITUS_BIN!, 'pg_ctl'), port })
    cleanup.teardown(() => machine.stop(), `stopping the machine on port ${port}`)
    return machine
  }

  async function startMachine(settings: Record<string, string>): Promise<Cluster> {
    const machine = await startAt((own) =>
      makeServer(user, CITUS_BIN!, { folder: own, password: superPassword, settings }),
    )
    await createRoles(addressOf(machine), password)
    return machine
  }

  const coordinator = await startMachine(COORDINATOR)
  const workers: Cluster[] = []
  for (let at = 0; at < WORKERS; at += 1) workers.push(await startMachine(WORKER))
  await createClusterDatabase([coordinator, ...workers].map(addressOf), NAMES.database, password)
  const { urls } = coordinator
  await migrateDatabase(urls, () => undefined)
  await distribute(urls, { shards: SHARDS, isDryRun: false, onStep: () => undefined })
  return {
    coordinator,
    workers,
    async machineOf(companyId) {
      const pool = openPool({ url: urls.superUrl, name: 'test', max: 1 })
      const name = await machineOfCompany(pool, companyId)
      await pool.end()
      return workers.find((worker) => nameOf(worker) === name)!
    },
    async start() {
      const machine = await startMachine(WORKER)
      await createMachineDatabase(addressOf(machine), NAMES.database, password)
      return machine
    },
    async startStandby(worker) {
      const from = addressOf(worker)
      const standby = await startAt((own) => copyServer(user, CITUS_BIN!, { from, to: own }))
      await requireStandby(from)
      return standby
    },
  }
}

/** A machine's address, as the cluster has it. */
export function nameOf(machine: Cluster): string {
  return `${HOST}:${machine.port()}`
}

/** A superuser's address that needs no database of the service. */
function addressOf({ urls }: Cluster): string {
  return Object.assign(new URL(urls.superUrl), { pathname: '/postgres' }).href
}
