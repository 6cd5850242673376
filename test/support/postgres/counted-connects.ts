import type { Pool, PoolClient } from 'pg'
import { eventually } from '../eventually.ts'

/** How often a connection was asked for, as every query of a query builder does. */
interface Connects {
  count: number
  /** How often one was given back. */
  released: number
  /** Waits until nobody asks any longer, and returns the count. */
  end(): Promise<number>
}

/** Counts how often a connection of a pool is asked for. */
export function countConnects(pool: Pool): Connects {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<PoolClient>
  const connects: Connects = {
    count: 0,
    released: 0,
    async end() {
      let [last, same] = [-1, 0]
      await eventually('the queries have stopped', async () => {
        same = connects.count === last ? same + 1 : 0
        last = connects.count
        return last > 2 && same > 20
      })
      return last
    },
  }
  const countRelease = (client: PoolClient) => {
    const release = client.release.bind(client)
    client.release = (isBroken) => {
      connects.released += 1
      release(isBroken)
    }
    return client
  }
  Object.assign(pool, {
    connect(...args: unknown[]) {
      connects.count += 1
      const connecting = connect(...args)
      return args.length > 0 ? connecting : connecting.then(countRelease)
    },
  })
  return connects
}
