import { pino } from 'pino'
import type { Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { startWorker } from '../../src/workers/worker.ts'
import type { Service } from './service.ts'

type WorkerOptions = Parameters<typeof startWorker>[0]
type Chosen = Pick<
  WorkerOptions,
  'boss' | 'projections' | 'foldingDb' | 'companiesTogether' | 'sweepIntervalMs' | 'turnMs'
> &
  Partial<Pick<WorkerOptions, 'maxRecords'>>

/** Starts a worker that only folds, in this process and for this test. */
export async function startTestWorker(t: Pick<Test, 'teardown'>, { db, pool }: Service, chosen: Chosen): Promise<void> {
  const worker = await startWorker({
    db,
    pool,
    log: pino({ level: 'silent' }),
    rejectedRecordsKeptDays: 0,
    maxRecords: readConfig({}).MAX_RECORDS,
    scheduled: {},
    ...chosen,
  })
  t.teardown(() => worker.stop())
}
