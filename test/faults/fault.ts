import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Finding } from './oracle/finding.ts'
import type { Stage } from './stage.ts'
import type { LoadedCompany, Operation } from './workload.ts'

/** Something bad that happens to an installation under load, and is over when it returns. */
export type Fault = (stage: Stage, random: SeededRandom, load: LoadUnder) => Promise<Happened | void>

/** The load it happens under. */
export interface LoadUnder {
  companyIds: string[]
  companies: readonly LoadedCompany[]
  /** Milliseconds since the load began. */
  now(): number
  /** From here on, clients use what the previous release doesn't know. */
  useAll(): void
}

/** A time in which some companies may have to wait, and no others. */
export interface Spell {
  from: number
  to: number
  companyIds: string[]
  /** Whether they may also be refused, because their machine is away. */
  isAway: boolean
}

/** The result: how often it happened, if not once, and what went wrong during it. */
export interface Happened {
  times?: number
  /** A measurement. */
  note?: string
  wrong?: Finding[]
  /** On a cluster: when some companies had to wait, in the time of the load. */
  spell?: Spell
  /** Hostile companies and what they sent, which the oracle also judges. */
  companyIds?: string[]
  operations?: Operation[]
}
