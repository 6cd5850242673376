import { createEmployeeCache } from '#ledger/append/employee-cache'
import { createLanes, type Lanes, type LaneOptions } from '#ledger/append/lanes'
import { appendConnections, LOOK_UP_ONLY } from '#postgres/connections'
import { loggedTrace } from './log.ts'
import type { PartOptions } from './running-part.ts'

/** Opens the connections on which calls are committed and credentials looked up. */
export function openAppendPool({ store }: PartOptions, lanes: number) {
  const appending = { name: 'employee-ledger appends', max: appendConnections(lanes) }
  return store.open({ ...appending, settings: LOOK_UP_ONLY })
}

/** Opens the group commit of writing calls. */
export function startLanes(
  { config, store, log, tracing, recent }: PartOptions,
  options: Pick<LaneOptions, 'pool' | 'onCommitted' | 'onTransaction' | 'onFailed'> & { lanes?: number },
): Lanes {
  return createLanes({
    companiesTogether: store.companiesTogether,
    lanes: config.LANES,
    ...options,
    maxRecordsPerCommit: config.RECORDS_PER_COMMIT,
    maxWaiting: config.CALLS_WAITING,
    maxRecordsWaiting: config.RECORDS_WAITING,
    cache: createEmployeeCache(config.EMPLOYEE_CACHE),
    maxWaitMs: config.CALL_WAIT_MS,
    ...(recent ? { onStored: recent.keep } : {}),
    ...(tracing ? { onBegin: tracing.traceTransaction } : {}),
    onUnstorable: (error, { companyId, callId, traceparent }) =>
      log.error({ err: error, companyId, callId, ...loggedTrace(traceparent) }, 'could not store a call'),
  })
}
