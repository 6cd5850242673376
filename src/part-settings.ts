import type { Config } from './config.ts'
import { defaultBodyBudget } from './config.ts'
import type { AppServices } from './http/app.ts'
import type { LaneOptions } from './ledger/lanes.ts'

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
    sessions: {
      idleMinutes: config.SESSION_IDLE_MINUTES,
      hours: config.SESSION_HOURS,
      publicUrl: config.PUBLIC_URL ?? null,
    },
    signInLimit: config.SIGN_IN_LIMIT,
    streamLimits: {
      perUser: config.STREAMS_PER_USER,
      heartbeatMs: config.STREAM_HEARTBEAT_MS,
      lifeMs: config.STREAM_LIFE_MS,
    },
  } satisfies Partial<AppServices>
}
