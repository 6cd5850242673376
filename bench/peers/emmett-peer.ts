import { randomUUID } from 'node:crypto'
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import pg from 'pg'
import { makeEmployee } from '../load/employee-bodies.ts'
import type { Peer } from '../load/peer.ts'
import type { ServerUrls } from '../processes/postgres.ts'

type Created = { type: 'EmployeeCreated'; data: Record<string, unknown> }

/**
 * Opens Emmett's event store in this process: no HTTP, validation, key, or quota. Each call appends one event, or one
 * per record of a bulk call, to a new stream, with the data of a creation.
 */
export async function openEmmett(urls: ServerUrls, options: { connections: number; records: number }): Promise<Peer> {
  const pool = new pg.Pool({ connectionString: urls.ownerUrl, max: options.connections })
  const store = getPostgreSQLEventStore(urls.ownerUrl, { connectionOptions: { pool } })
  await store.schema.migrate()
  return {
    name: 'emmett',
    works: ['single-create', 'bulk-create'],
    prepare({ work }, count) {
      const size = work === 'bulk-create' ? options.records : 1
      return Array.from({ length: count }, () => {
        const events = Array.from({ length: size }, (): Created => ({ type: 'EmployeeCreated', data: makeEmployee() }))
        const stream = `employee-${randomUUID()}`
        return async () => void (await store.appendToStream<Created>(stream, events))
      })
    },
    async stop() {
      await store.close()
      await pool.end()
    },
  }
}
