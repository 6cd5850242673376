import { PROJECTIONS } from '#projections/index'
import { announceTo, type Announcer } from './announce.ts'
import { queueOf, type PgBoss } from './queues.ts'

/**
 * Milliseconds for which newly committed companies are batched into a job. A job is expensive compared with folding an
 * event, so batching pays off under load; after a pause, a job is sent at once.
 */
const GATHER_MS = 50

/** Wakes the projections for companies with new events: one job per projection, at most one per batching interval. */
export function createWaker(boss: PgBoss, onError: (error: unknown) => void): Announcer {
  return announceTo(boss, PROJECTIONS.map(queueOf), onError, GATHER_MS)
}
