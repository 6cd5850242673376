/** Notifies listeners when a company's position moves. Shared by all listeners of a process. */
interface CompanyWatch {
  /** Calls back with the company's position: once soon, then whenever it moves. Returns a function to stop listening. */
  listen(companyId: string, onMoved: (position: number) => void): () => void
}

/**
 * Watches a position of each company, whichever process moves it, by polling with one small query for all companies that
 * have listeners. Does not poll while there are none.
 */
export function openCompanyWatch(
  readReached: (companyIds: string[]) => Promise<Map<string, number>>,
  options: { intervalMs: number; onError(error: unknown): void },
): CompanyWatch {
  const listeners = new Map<string, Set<(position: number) => void>>()
  const reached = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  async function poll(): Promise<void> {
    const companyIds = [...listeners.keys()]
    try {
      // The last listener may have left since the timer was set.
      const positions = companyIds.length > 0 ? await readReached(companyIds) : []
      for (const [companyId, position] of positions) {
        if (reached.get(companyId) === position) continue
        reached.set(companyId, position)
        for (const onMoved of listeners.get(companyId) ?? []) onMoved(position)
      }
    } catch (error) {
      options.onError(error)
    }
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (listeners.size > 0) timer ??= setTimeout(() => void poll(), options.intervalMs).unref()
  }

  return {
    listen(companyId, onMoved) {
      const group = listeners.get(companyId) ?? new Set()
      listeners.set(companyId, group.add(onMoved))
      // A new listener must be told the current position.
      reached.delete(companyId)
      schedule()
      return () => {
        group.delete(onMoved)
        if (group.size > 0 || listeners.get(companyId) !== group) return
        listeners.delete(companyId)
        reached.delete(companyId)
      }
    },
  }
}
