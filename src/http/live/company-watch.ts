/** Tells those who listen that something of a company has moved. One for all listeners of a process. */
export interface CompanyWatch {
  /** Calls back with the company's position, soon for the first time and then whenever it has moved. Returns how to stop listening. */
  listen(companyId: string, onMoved: (position: number) => void): () => void
}

/**
 * Watches how far something is in each company, whatever process moves it: one small query for all companies that have
 * listeners, again and again, and none while there are no listeners.
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
      // Whoever is new has not been told where it is.
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
