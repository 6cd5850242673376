import { setTimeout as pause } from 'node:timers/promises'
import type { Finding } from './oracle/finding.ts'
import type { Stage } from './stage.ts'

/*
 * What an orchestrator sees of each API process while things go wrong: `/livez` and `/readyz`, asked again and again.
 */

const ASKS_EVERY_MS = 200
/** `/readyz` gives the database 2 seconds; the rest is for a busy machine. */
const ANSWERS_WITHIN_MS = 5_000
const TICK_MS = 50

interface Probe {
  /** Stops asking; resolves with what was wrong. */
  end(): Promise<Finding[]>
}

/** Starts to probe every API process. */
export function startProbe({ apis, cluster, machines }: Pick<Stage, 'apis' | 'cluster' | 'machines'>): Probe {
  // A process of a cluster is ready as long as one of its machines is.
  const absenceNow = () => (machines === null ? cluster.absence() : null)
  const over = new AbortController()
  const wrong = new Map<string, Finding>()
  const asking = apis.flatMap(({ address }) => ['/livez', '/readyz'].map((path) => askOn(address, path)))

  async function askOn(address: string, path: string): Promise<void> {
    while (!over.signal.aborted) {
      const absence = absenceNow()
      const fault = await faultOf(address + path, path, () => absence !== null && absence === absenceNow())
      if (fault) wrong.set(fault.text, fault)
      await pause(ASKS_EVERY_MS)
    }
  }
  return {
    async end() {
      over.abort()
      await Promise.all(asking)
      return [...wrong.values()]
    },
  }
}

/** A killed process can't answer. A running one must answer correctly and in time. */
async function faultOf(url: string, path: string, wasAway: () => boolean): Promise<Finding | undefined> {
  const timeout = timeoutOfOwnTime(ANSWERS_WITHIN_MS)
  try {
    const { status } = await fetch(url, { signal: timeout.signal })
    if (status !== 200 && (path === '/livez' || status !== 503))
      return { kind: 'probe', text: `${path} is answered with ${status}` }
    return path === '/readyz' && status === 200 && wasAway()
      ? { kind: 'probe', text: '/readyz says ready while the database is away' }
      : undefined
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError'
      ? { kind: 'slow answer', text: `${path} is not answered within ${ANSWERS_WITHIN_MS} ms` }
      : undefined
  } finally {
    timeout.end()
  }
}

/**
 * Aborts after this process has run for some milliseconds. It also runs the load and the judge: while it is busy with
 * them, it reads no answers, and the server is not to blame.
 */
function timeoutOfOwnTime(ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  let left = Math.ceil(ms / TICK_MS)
  const ticking = setInterval(() => {
    left -= 1
    if (left === 0) controller.abort(new DOMException('no answer in time', 'TimeoutError'))
  }, TICK_MS)
  return { signal: controller.signal, end: () => clearInterval(ticking) }
}
