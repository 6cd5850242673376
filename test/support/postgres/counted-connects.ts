import type { Pool } from 'pg'
import { eventually } from '../eventually.ts'

/** How often a connection was asked for, as every query of a query builder does. */
interface Connects {
  count: number
  /** Waits until nobody asks any longer, and returns the count. */
  end(): Promise<number>
}

/** Counts how often a connection of a pool is asked for. */
export function countConnects(pool: Pool): Connects {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown
  const connects: Connects = {
    count: 0,
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
  Object.assign(pool, {
    connect(...args: unknown[]) {
      connects.count += 1
      return connect(...args)
    },
  })
  return connects
}
