import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import type { LedgerTables } from '#ledger/tables'
import { trackCheckpoints, type Metrics } from '#observe/metrics/metrics'
import { openDatabase } from '#postgres/kysely'
import { openPool } from '#postgres/pool'
import { startRecorder } from '#workers/record-checkpoints'
import type { PartOptions, RunningPart } from './running-part.ts'

/** Starts recording checkpoints, on a connection of its own. Does nothing without a signing key. */
export function openRecorder(
  { config, urls, store, log }: PartOptions,
  signer: CheckpointSigner,
  metrics: Metrics,
): RunningPart {
  if (!signer.isSigning) return { stop: async () => undefined }
  const lock = { url: urls.serviceUrl, name: 'employee-ledger checkpoints', max: 1 }
  const lockDb = openDatabase<LedgerTables>(openPool(lock))
  const onRound = trackCheckpoints(metrics)
  const recorder = startRecorder({
    lockDb,
    pool: store.pool,
    signer,
    log,
    intervalMs: config.CHECKPOINT_INTERVAL_MS,
    onRound,
  })
  return {
    async stop() {
      await recorder.stop()
      await lockDb.destroy()
    },
  }
}
