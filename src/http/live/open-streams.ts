import type { FastifyInstance, FastifyReply } from 'fastify'
import { tooMany } from '../access/rate-limits.ts'
import type { UserRef } from '#accounts/users/users'
import { createBudget } from '#admission/budget'

const RETRY_AFTER_SECONDS = 5

/** The open streams of this process. */
export interface OpenStreams {
  /**
   * Runs a stream. Throws a 429 if the user, or the company, has too many open. The signal is aborted when the server
   * stops.
   */
  run(owner: UserRef, reply: FastifyReply, stream: (stopping: AbortSignal) => Promise<void>): Promise<void>
}

interface MaxStreams {
  perUser: number
  perCompany: number
}

/** Limits streams by user and by company. Ends them when the server stops, which would otherwise wait for them forever. */
export function createOpenStreams(app: FastifyInstance, { perUser, perCompany }: MaxStreams): OpenStreams {
  const places = { ofUsers: createBudget({ share: perUser }), ofCompanies: createBudget({ share: perCompany }) }
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  app.addHook('preClose', async () => {
    stopping.abort()
    await Promise.allSettled(running)
  })
  const refuse = (reply: FastifyReply, whose: string, most: number) =>
    tooMany(reply, 'streams', RETRY_AFTER_SECONDS, `A ${whose} can have at most ${most} streams open at once`)

  /** Takes a place of the user and one of the company. Returns the function that releases them. */
  function takePlaces({ companyId, userId }: UserRef, reply: FastifyReply): () => void {
    const releaseUser = places.ofUsers.tryAcquire(userId, 1)
    if (!releaseUser) throw refuse(reply, 'user', perUser)
    const releaseCompany = places.ofCompanies.tryAcquire(companyId, 1)
    if (!releaseCompany) {
      releaseUser()
      throw refuse(reply, 'company', perCompany)
    }
    return () => {
      releaseUser()
      releaseCompany()
    }
  }

  return {
    async run(owner, reply, stream) {
      const release = takePlaces(owner, reply)
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
