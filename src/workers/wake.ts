import { PROJECTIONS } from '../../projections/index.ts'
import type { PgBoss } from './queues.ts'
import { queueOf } from './queues.ts'

/** How long newly committed companies are gathered before the projections are told, in milliseconds. */
const GATHER_MS = 20

export interface Waker {
  /** Companies that have new events. Returns at once: a lost wake-up only costs time, the sweep makes up for it. */
  wake(companyIds: string[]): void
  /** Sends what is gathered and waits until it is sent. */
  flush(): Promise<void>
}

/** Tells the projections which companies have new events: one job for each projection and gathering time. */
export function openWaker(boss: PgBoss, onError: (error: unknown) => void): Waker {
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()

  function send(): void {
    timer = undefined
    const companies = [...dirty]
    dirty.clear()
    sending = Promise.all(PROJECTIONS.map((projection) => boss.insert(queueOf(projection), [{ data: { companies } }]))).catch(
      onError,
    )
  }

  return {
    wake(companyIds) {
      for (const id of companyIds) dirty.add(id)
      timer ??= setTimeout(send, GATHER_MS)
    },
    async flush() {
      if (timer) {
        clearTimeout(timer)
        send()
      }
      await sending
    },
  }
}
