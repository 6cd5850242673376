import type { CallFactory } from './demo-company.ts'
import { FAILURES } from './demo-failures.ts'
import type { RecordResult } from '#domain/employees/employee'
import { makeBulkUpdate, makeCreation, makeSingleUpdate } from './demo-successes.ts'
import type { SeededRandom } from './seeded-random.ts'

// The first import comes first, because the other calls need employees.
const FIRST_IMPORT = 100
const IMPORTS = [90, 60, 45, 35, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 2]
const SINGLE_CREATIONS = 60
const SINGLE_UPDATES: Record<RecordResult, number> = { synced: 82, no_updates: 26, deactivated: 18, reactivated: 12 }
const BULK_UPDATES = [
  1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 10, 12, 12, 15, 15, 18, 20, 20, 25, 25, 30, 30, 40, 50, 60, 80, 100,
]
const FAILURES_OF_A_KIND = 3

/** Plans all calls of the demo, in order. */
export function planCalls(random: SeededRandom): CallFactory[] {
  const factories = [
    ...IMPORTS.map(makeCreation),
    ...repeat(SINGLE_CREATIONS, makeCreation(1)),
    ...Object.entries(SINGLE_UPDATES).flatMap(([result, count]) =>
      repeat(count, makeSingleUpdate(result as RecordResult)),
    ),
    ...BULK_UPDATES.map(makeBulkUpdate),
    ...Object.values(FAILURES).flatMap((failure) => repeat(FAILURES_OF_A_KIND, failure)),
  ]
  return [makeCreation(FIRST_IMPORT), ...random.sample(factories, factories.length)]
}

function repeat(count: number, factory: CallFactory): CallFactory[] {
  return Array.from({ length: count }, () => factory)
}
