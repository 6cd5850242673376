import type { BatchOutcome } from './run-batch.ts'

/* The combined results of many batches. */

export function sentIn(outcomes: BatchOutcome[]): number {
  return outcomes.reduce((sum, { sent }) => sum + sent, 0)
}

type Longest = BatchOutcome['slowest']

/** How many answers took longer than a second, the slowest, and the longest work of the event loop. */
export function summary(outcomes: BatchOutcome[]): { slow: number; slowest: Longest; longestWork: Longest } {
  return {
    slow: outcomes.reduce((sum, outcome) => sum + outcome.slow, 0),
    slowest: longestOf(outcomes.map(({ slowest }) => slowest)),
    longestWork: longestOf(outcomes.map(({ longestWork }) => longestWork)),
  }
}

function longestOf(all: readonly Longest[]): Longest {
  const [longest] = all.toSorted((a, b) => b.tookMs - a.tookMs)
  return { tookMs: Math.round(longest?.tookMs ?? 0), what: longest?.what ?? '' }
}

/**
 * How many requests and which answers the routes of each kind had; 0 is a connection cut while a large body was sent.
 */
export function byKind(outcomes: BatchOutcome[]): string {
  const counts = counted(outcomes, ({ kind }) => kind)
  return Object.entries(counts)
    .map(
      ([kind, statuses]) =>
        `${kind}: ${Object.entries(statuses)
          .map(([status, count]) => `${status} ${count} times`)
          .join(', ')}`,
    )
    .join('\n')
}

/** By `METHOD url`, how often each status was answered. */
export function byRoute(outcomes: BatchOutcome[]): Record<string, Record<string, number>> {
  return counted(outcomes, ({ route }) => route)
}

interface Place {
  kind: string
  route: string
}

function counted(outcomes: BatchOutcome[], nameOf: (place: Place) => string): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const { answers } of outcomes) {
    for (const [name, count] of answers) {
      const [kind, method, url, status] = name.split(' ') as [string, string, string, string]
      const statuses = (counts[nameOf({ kind, route: `${method} ${url}` })] ??= {})
      statuses[status] = (statuses[status] ?? 0) + count
    }
  }
  return counts
}
