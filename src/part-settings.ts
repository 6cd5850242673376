import type { Config } from './config.ts'
import { defaultBodyBudget } from './config.ts'
import type { AppServices } from './http/app.ts'
import type { LaneOptions } from './ledger/append/lanes.ts'

/** The bounds of the lanes, as they are set. */
export function laneSettings(config: Config) {
  return {
    lanes: config.LANES,
    maxRecordsPerCommit: config.RECORDS_PER_COMMIT,
    maxWaiting: config.CALLS_WAITING,
    maxRecordsWaiting: config.RECORDS_WAITING,
    maxWaitMs: config.CALL_WAIT_MS,
  } satisfies Partial<LaneOptions>
}

/** The bounds of the HTTP server, its sessions and streams, as they are set. */
export function appSettings(config: Config) {
  return {
    trustProxy: config.TRUST_PROXY ?? null,
    bodyLimit: config.BODY_LIMIT,
    bodyBudget: { bytes: config.BODY_BUDGET ?? defaultBodyBudget(config.BODY_LIMIT), waitMs: config.CALL_WAIT_MS },
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    burstLimit: config.BURST_LIMIT,
    failureLimit: config.FAILURE_LIMIT,
    // One connection at least remains for others.
    heavyReads: Math.min(config.HEAVY_READS, config.POOL_SIZE - 1),
    sessions: {
      idleMinutes: config.SESSION_IDLE_MINUTES,
      hours: config.SESSION_HOURS,
      publicUrl: config.PUBLIC_URL ?? null,
    },
    signInLimits: { perPerson: config.SIGN_IN_LIMIT, perAddress: config.SIGN_IN_ADDRESS_LIMIT },
    streamLimits: {
      perUser: config.STREAMS_PER_USER,
      heartbeatMs: config.STREAM_HEARTBEAT_MS,
      lifeMs: config.STREAM_LIFE_MS,
    },
  } satisfies Partial<AppServices>
}

/** An answer is kept with what tells its request, which must not outlive what refused records said. Hours. */
export function answersKeptHours({ ANSWERS_KEPT_HOURS: hours, REJECTED_RECORDS_KEPT_DAYS: days }: Config): number {
  return days === 0 ? hours : Math.min(hours, 24 * days)
}
