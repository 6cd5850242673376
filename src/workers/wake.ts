import { PROJECTIONS } from '../../projections/index.ts'
import type { PgBoss } from './queues.ts'
import { queueOf } from './queues.ts'

/**
 * How long newly committed companies are gathered behind a job, in milliseconds. A job costs PostgreSQL 1.3 ms, as
 * much as a dozen events, so under load it pays to wait; what comes after a pause goes at once.
 */
const GATHER_MS = 50

export interface Waker {
  /** Companies that have new events. Returns at once: a lost wake-up only costs time, the sweep makes up for it. */
  wake(companyIds: string[]): void
  /** Sends what is gathered and waits until it is sent. */
  flush(): Promise<void>
}

/** Tells the projections which companies have new events: one job for each projection, at most one in a gathering time. */
export function openWaker(boss: PgBoss, onError: (error: unknown) => void): Waker {
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()

  /** What comes within the next gathering time goes together at its end. */
  function send(): void {
    const companies = [...dirty]
    dirty.clear()
    const jobs = PROJECTIONS.map((projection) => boss.insert(queueOf(projection), [{ data: { companies } }]))
    sending = Promise.all([sending, ...jobs]).catch(onError)
    timer = setTimeout(() => {
      timer = undefined
      if (dirty.size > 0) send()
    }, GATHER_MS)
  }

  return {
    wake(companyIds) {
      for (const id of companyIds) dirty.add(id)
      if (!timer && dirty.size > 0) send()
    },
    async flush() {
      clearTimeout(timer)
      timer = undefined
      if (dirty.size > 0) send()
      await sending
    },
  }
}
