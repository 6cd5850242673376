import type { WriteCall } from '../../../src/domain/calls/commands.ts'
import type { Tracing } from '../../../src/observe/tracing/tracing.ts'

/** Counts, for each call, the transactions that began after it was handed in and before its own. */
interface WatchedCommits {
  /** Observes calls that are handed in, and transactions. */
  tracing: Pick<Tracing, 'traceLanes' | 'traceTransaction'>
  /** Resolves once a company has handed in this many calls that have not begun. */
  handedIn(companyId: string, count: number): Promise<void>
  /** How many transactions each call of a company waited for after the running one, in order of their start. */
  waitedFor(companyId: string): number[]
}

export function watchCommits(): WatchedCommits {
  const handedInAt = new Map<WriteCall, number>()
  const waited = new Map<string, number[]>()
  const watchers = new Set<() => void>()
  let begun = 0
  const waitingOf = (companyId: string) => [...handedInAt.keys()].filter((call) => call.companyId === companyId).length
  return {
    tracing: {
      traceLanes: (lanes) => ({
        ...lanes,
        append(call) {
          handedInAt.set(call, begun)
          for (const look of watchers) look()
          return lanes.append(call)
        },
      }),
      traceTransaction(calls) {
        for (const call of calls) {
          const at = handedInAt.get(call)
          // A retried call has already begun.
          if (at === undefined) continue
          handedInAt.delete(call)
          waited.set(call.companyId, [...(waited.get(call.companyId) ?? []), begun - at])
        }
        begun += 1
        return null
      },
    },
    handedIn(companyId, count) {
      return new Promise((resolve) => {
        const look = () => {
          if (waitingOf(companyId) < count) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      })
    },
    waitedFor: (companyId) => waited.get(companyId) ?? [],
  }
}
