import type { Scene } from './demo-company.ts'
import { FAILURES } from './demo-failures.ts'
import type { SingleResult } from './demo-successes.ts'
import { bulkUpdate, creation, singleUpdate } from './demo-successes.ts'
import type { SeededRandom } from './seeded-random.ts'

// The first import comes before all else: the other calls need somebody to be about.
const FIRST_IMPORT = 100
const IMPORTS = [90, 60, 45, 35, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 2]
const SINGLE_CREATIONS = 60
const SINGLE_UPDATES: Record<SingleResult, number> = { synced: 82, no_updates: 26, deactivated: 18, reactivated: 12 }
const BULK_UPDATES = [
  ...[1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 10],
  ...[12, 12, 15, 15, 18, 20, 20, 25, 25, 30, 30, 40, 50, 60, 80, 100],
]
const FAILURES_OF_A_KIND = 3

/** All calls of the demo, in the order in which they are made. */
export function planCalls(random: SeededRandom): Scene[] {
  const scenes = [
    ...IMPORTS.map(creation),
    ...times(SINGLE_CREATIONS, creation(1)),
    ...Object.entries(SINGLE_UPDATES).flatMap(([result, count]) => times(count, singleUpdate(result as SingleResult))),
    ...BULK_UPDATES.map(bulkUpdate),
    ...Object.values(FAILURES).flatMap((failure) => times(FAILURES_OF_A_KIND, failure)),
  ]
  return [creation(FIRST_IMPORT), ...random.sample(scenes, scenes.length)]
}

function times(count: number, scene: Scene): Scene[] {
  return Array.from({ length: count }, () => scene)
}
