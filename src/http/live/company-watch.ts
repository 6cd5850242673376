import { divide } from '#domain/pieces'
import { inCompany, outsideCompany } from '#postgres/company-scope'

/** Notifies listeners when a company's position moves. Shared by all listeners of a process. */
interface CompanyWatch {
  /** Calls back with the company's position: once soon, then whenever it moves. Returns a function to stop listening. */
  listen(companyId: string, onMoved: (position: number) => void): () => void
}

interface CompanyWatchOptions {
  intervalMs: number
  onError(error: unknown): void
  /** How many companies are read, and fail, together. Default: any number. */
  companiesTogether?: number | undefined
}

/**
 * Watches a position of each company, whichever process moves it, by polling with one small query for all companies
 * that have listeners. Does not poll while there are none.
 */
export function createCompanyWatch(
  readReached: (companyIds: string[]) => Promise<Map<string, number>>,
  { intervalMs, onError, companiesTogether = Infinity }: CompanyWatchOptions,
): CompanyWatch {
  const listeners = new Map<string, Set<(position: number) => void>>()
  const reached = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  async function poll(): Promise<void> {
    // The last listener may have left since the timer was set.
    await Promise.all(
      divide([...listeners.keys()], companiesTogether).map((companyIds) => pollTogether(companyIds).catch(onError)),
    )
    timer = undefined
    schedule()
  }

  async function pollTogether(companyIds: string[]): Promise<void> {
    const positions = await inCompany(companyIds[0]!, () => readReached(companyIds))
    for (const [companyId, position] of positions) {
      if (reached.get(companyId) === position) continue
      reached.set(companyId, position)
      for (const onMoved of listeners.get(companyId) ?? []) onMoved(position)
    }
  }

  function schedule(): void {
    if (listeners.size > 0) timer ??= outsideCompany(() => setTimeout(() => void poll(), intervalMs).unref())
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
