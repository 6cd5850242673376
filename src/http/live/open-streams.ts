import type { FastifyInstance, FastifyReply } from 'fastify'
import { tooMany } from '../access/rate-limits.ts'
import { createBudget } from '../../admission/budget.ts'

const RETRY_AFTER_SECONDS = 5

/** The open streams of this process. */
export interface OpenStreams {
  /**
   * Runs a stream. Throws a 429 if the user has too many open. The signal is aborted when the server stops.
   */
  run(userId: string, reply: FastifyReply, stream: (stopping: AbortSignal) => Promise<void>): Promise<void>
}

/** Limits streams by user. Ends them when the server stops, which would otherwise wait for them forever. */
export function createOpenStreams(app: FastifyInstance, perUser: number): OpenStreams {
  const places = createBudget({ share: perUser })
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  app.addHook('preClose', async () => {
    stopping.abort()
    await Promise.allSettled(running)
  })
  return {
    async run(userId, reply, stream) {
      const release = places.tryAcquire(userId, 1)
      if (!release)
        throw tooMany(reply, 'streams', RETRY_AFTER_SECONDS, `A user can have at most ${perUser} streams open at once`)
      const run = stream(stopping.signal)
      running.add(run)
      try {
        await run
      } finally {
        running.delete(run)
        release()
      }
    },
  }
}
