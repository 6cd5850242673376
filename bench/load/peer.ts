import type { ServerProcess } from '../processes/server-process.ts'
import type { Call } from './run-calls.ts'

/** The kinds of calls. */
export const WORKS = [
  'single-create',
  'single-patch',
  'bulk-create',
  'first-load',
  'bulk-patch',
  'bulk-patch-unchanged',
  'nightly-sync',
  'verify',
] as const
export type Work = (typeof WORKS)[number]

/** `cold` is `ours` without employees in memory, as for a company that comes once a night. */
export const PEERS = ['crud', 'ours', 'cold'] as const
export type PeerName = (typeof PEERS)[number]

/** A kind of call with a number of companies and of concurrent callers. */
export interface Cell {
  work: Work
  companies: number
  callers: number
}

/** A system to measure, on its own database on the shared server. */
export interface Peer {
  name: PeerName
  works: readonly Work[]
  /** The process of the service. */
  server: ServerProcess
  /** Makes calls, including their bodies, so that this takes no measured time. */
  prepare(cell: Pick<Cell, 'work' | 'companies'>, count: number): Call[]
  /** Brings a peer into the state in which a kind of call is measured; absent when that is any state. */
  begin?(cell: Cell): Promise<void>
  /** Waits until the log shows all answered calls; absent when it shows them immediately. */
  visible?(): Promise<void>
  stop(): Promise<void>
}
