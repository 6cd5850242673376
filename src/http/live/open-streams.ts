import type { FastifyInstance, FastifyReply } from 'fastify'
import { tooMany } from '../access/rate-limits.ts'
import { openSlots } from '../../admission/slots.ts'

const RETRY_AFTER_SECONDS = 5

/** The streams that are open in this process. */
export interface OpenStreams {
  /**
   * Runs a stream of a user, who may have a few at once; beyond that it is a 429. The signal is aborted when the server
   * stops.
   */
  run(userId: string, reply: FastifyReply, stream: (stopping: AbortSignal) => Promise<void>): Promise<void>
}

/** Counts streams by user. When the server stops it ends them first, or it would wait for them for ever. */
export function openStreams(app: FastifyInstance, perUser: number): OpenStreams {
  const slots = openSlots(perUser)
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  app.addHook('preClose', async () => {
    stopping.abort()
    await Promise.allSettled(running)
  })
  return {
    async run(userId, reply, stream) {
      const release = slots.take(userId)
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
