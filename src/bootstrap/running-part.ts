import type { KeyProtocol } from '#http/calls/writing-call'
import type { Logger } from 'pino'
import type { PROJECTIONS } from '#projections/index'
import type { Config } from '../config.ts'
import type { RecentEvents } from '#ledger/append/recent-events'
import type { Metrics } from '#observe/metrics/metrics'
import type { Tracing } from '#observe/tracing/tracing'
import type { DatabaseUrls } from '#postgres/database-urls'
import type { SingleDeliveries } from '#delivery/webhooks/single-deliveries'
import type { OpenedPool } from './store.ts'

/** A part of the program that runs until it is stopped. */
export interface RunningPart {
  /** Makes load balancers leave this part, which serves on; undefined if it has none. */
  turnAway?(): void
  stop(): Promise<void>
}

/** What the API and the workers are started with. */
export interface PartOptions {
  config: Config
  urls: DatabaseUrls
  store: OpenedPool
  log: Logger
  /** The projections that the API reads and the workers fold. Default: all. */
  projections?: typeof PROJECTIONS
  /** Whether everything that clients wait for is there, such as the demo company. Default: it is. */
  isSetUp?(): boolean
  /** Default: metrics that nobody scrapes. */
  metrics?: Metrics
  tracing?: Tracing | null
  /** Events that the API has just committed, shared with workers in the same process. */
  recent?: RecentEvents | undefined
  /** Messages that administrators send. Default: over the network. */
  singleDeliveries?: SingleDeliveries | undefined
  /** The protocols of API keys. Default: all. */
  keyProtocols?: readonly KeyProtocol[] | undefined
}
