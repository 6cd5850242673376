import { UPLOAD_LANES } from '#postgres/connections'
import { createCallsInProgress } from '#ledger/calls/calls-in-progress'
import { createLongCalls } from '#ledger/append/long-calls'
import { startUploads } from '#uploads/run-uploads'
import type { PgBoss } from '#workers/queues'
import { openAppendPool, startLanes } from './lanes.ts'
import { newId } from '#ledger/new-id'
import type { PartOptions, RunningPart } from './running-part.ts'

/** Starts the upload worker, on connections of its own: the parts of files are calls. */
export async function openUploads(
  options: PartOptions,
  boss: PgBoss,
  onCommitted: (companyIds: string[]) => void,
): Promise<RunningPart> {
  const { config, store, log } = options
  const appends = openAppendPool(options, UPLOAD_LANES)
  const lanes = startLanes(options, { pool: appends, onCommitted, lanes: UPLOAD_LANES })
  const uploads = await startUploads({
    boss,
    log,
    pool: store.pool,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    commands: {
      lanes,
      newId,
      maxRecords: config.MAX_RECORDS,
      keepsFailed: config.FAILED_CALLS_KEPT_DAYS > 0,
      maxWaitMs: config.CALL_WAIT_MS,
      inProgress: createCallsInProgress(createLongCalls(store.pool), config.CALL_WAIT_MS),
    },
  })
  return {
    async stop() {
      await uploads.stop()
      await lanes.idle()
      await appends.end()
    },
  }
}
