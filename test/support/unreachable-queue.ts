import type { PgBoss } from '../../src/workers/queues.ts'

/** A job queue on a machine that does not answer: no job arrives, and none can be inserted. */
export const unreachableQueue = {
  work: async () => 'id',
  offWork: async () => undefined,
  insert: async () => {
    throw new Error('Connection terminated unexpectedly')
  },
} as unknown as PgBoss
