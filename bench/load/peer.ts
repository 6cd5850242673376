import type { Call } from './run-calls.ts'

/** What can be asked of a peer. */
export const WORKS = [
  'single-create',
  'single-patch',
  'bulk-create',
  'bulk-patch',
  'bulk-patch-unchanged',
  'verify',
] as const
export type Work = (typeof WORKS)[number]

export const PEERS = ['crud', 'emmett', 'raw', 'ours'] as const
export type PeerName = (typeof PEERS)[number]

/** One kind of work, by so many callers, spread over so many companies. */
export interface Cell {
  work: Work
  companies: number
  callers: number
}

/** Something that is measured beside others, on a database of its own on the one server. */
export interface Peer {
  name: PeerName
  works: readonly Work[]
  /** Makes calls of a work, bodies included, so that nothing of that falls into the measured time. */
  prepare(cell: Pick<Cell, 'work' | 'companies'>, count: number): Call[]
  /** Resolves once everything that was answered can be read in the log; absent where it can be from the answer on. */
  visible?(): Promise<void>
  stop(): Promise<void>
}
