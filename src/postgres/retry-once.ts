import { setTimeout as pause } from 'node:timers/promises'
import { isRetryable } from './database-errors.ts'

/** On Citus, the machines finish the switch of a table one after the other. */
const PAUSE_MS = 50

/** Runs a task, and a second time if its state was outdated. A task that fails so must have committed nothing. */
export async function retryOnce<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (error) {
    if (!isRetryable(error)) throw error
    await pause(PAUSE_MS)
    return task()
  }
}
