import type { Kysely } from 'kysely'

export interface DistributionStep {
  /** A description of the step. */
  line: string
  run(transaction: Kysely<unknown>): Promise<void>
}
