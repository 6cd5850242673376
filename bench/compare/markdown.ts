import type { CellResult, Measurement } from './compare.ts'
import type { LagResult } from './lag.ts'
import type { Machine } from '../processes/machine.ts'
import { PEERS } from '../load/peer.ts'
import type { Ratio } from './ratios.ts'
import { median, computeSpread } from '../report/statistics.ts'

/* Formats the results of a run as Markdown tables. */

export function formatMachine({ settings, ...machine }: Machine): string {
  const { at, processor, processors, memoryGiB, system, node, postgres, syncMs, load } = machine
  return [
    `Run at ${at} on ${processors} × ${processor}, ${memoryGiB} GiB, ${system}, Node.js ${node}, PostgreSQL ${postgres}.`,
    `A write of 8 KiB is durable after ${syncMs} ms (median). Load of the machine at the start: ${load}.`,
    `PostgreSQL: ${Object.entries(settings)
      .map(([name, value]) => `\`${name} = ${value}\``)
      .join(', ')}.`,
  ].join('\n')
}

/** The throughput of each peer in each cell: medians of the rounds. */
export function formatThroughputTable(cells: CellResult[]): string {
  const rows = cells.flatMap(({ work, companies, callers, peers }) =>
    PEERS.flatMap((name) => {
      const rounds = peers[name]
      if (!rounds) return []
      const { median: middle, min, max } = computeSpread(rounds.map(({ perSecond }) => perSecond))
      const of = (pick: (round: Measurement) => number) => formatNumber(median(rounds.map(pick)))
      const visible = name === 'ours' && work !== 'verify' ? of(({ visiblePerSecond }) => visiblePerSecond) : ''
      const latencies = [of(({ p50Ms }) => p50Ms), of(({ p99Ms }) => p99Ms)]
      const failures = rounds.reduce((sum, round) => sum + round.failures, 0)
      return [
        [
          work,
          companies,
          callers,
          name,
          formatNumber(middle),
          `${formatNumber(min)}–${formatNumber(max)}`,
          visible,
          ...latencies,
          of(({ serviceMs }) => serviceMs),
          of(({ postgresMs }) => postgresMs),
          failures,
        ],
      ]
    }),
  )
  const names = [
    'work',
    'companies',
    'callers',
    'peer',
    'calls/s',
    'of the rounds',
    'calls/s until visible',
    'p50 ms',
    'p99 ms',
    'service, CPU ms',
    'PostgreSQL, CPU ms',
    'failed',
  ]
  return formatTable(names, rows)
}

/** The ratios of the service to crud, with their targets. */
export function formatRatioTable(ratios: Ratio[]): string {
  const rows = ratios.map(({ work, companies, callers, of, spread, byCpu, asked }) => {
    const range = `${spread.min.toFixed(2)}–${spread.max.toFixed(2)}`
    return [work, companies, callers, of, 'crud', spread.median.toFixed(2), range, byCpu.toFixed(2), asked ?? '']
  })
  return formatTable(
    ['work', 'companies', 'callers', 'ours', 'beside', 'ratio', 'of the rounds', 'by CPU', 'aim'],
    rows,
  )
}

export function formatLagTable(lags: LagResult[]): string {
  const rows = lags.map((lag) => [
    lag.companies,
    formatNumber(lag.perSecond),
    lag.followed,
    formatNumber(lag.p50Ms),
    formatNumber(lag.p99Ms),
    lag.failures,
  ])
  return formatTable(['companies', 'calls/s (half of the peak)', 'calls followed', 'p50 ms', 'p99 ms', 'failed'], rows)
}

export function formatTable(names: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(names), `|${'---|'.repeat(names.length)}`, ...rows.map(line)].join('\n')
}

/** Formats a number with three significant digits. */
export function formatNumber(value: number): string {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
