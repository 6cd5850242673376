import type { CellResult, Measurement } from './compare.ts'
import type { Cell } from '../load/peer.ts'
import type { Spread } from '../report/statistics.ts'
import { computeSpread, median } from '../report/statistics.ts'

/** The ratio of the service to crud in a cell, over the rounds of one run. */
export interface Ratio extends Cell {
  /** Compares the rate of answers, or the rate until the log shows the calls. `cold` is the former of that peer. */
  of: 'answered' | 'visible' | 'cold'
  spread: Spread
  /** The same of processor time, of service and PostgreSQL together until the log shows the calls: the median. */
  byCpu: number
  /** The minimum ratio; null without a target. */
  asked: number | null
}

/** Computes the ratios of a cell. */
export function computeRatios(result: CellResult): Ratio[] {
  const { work, companies, callers, peers } = result
  const pairs = [
    ['ours', 'answered'],
    ['ours', 'visible'],
    ['cold', 'cold'],
  ] as const
  return pairs.flatMap(([name, of]): Ratio[] => {
    const [measured, compared] = [peers[name], peers.crud]
    if (!measured || !compared || (of === 'visible' && work === 'verify')) return []
    const cell = { work, companies, callers }
    const spread = computeSpread(measured.map((one, round) => getRate(one, of) / compared[round]!.perSecond))
    const byCpu = median(measured.map((one, round) => getCpu(compared[round]!) / getCpu(one)))
    return [{ ...cell, of, spread, byCpu, asked: findTarget({ ...cell, of }) }]
  })
}

function getRate(measured: Measurement, of: Ratio['of']): number {
  return of === 'visible' ? measured.visiblePerSecond : measured.perSecond
}

function getCpu({ serviceMs, postgresMs }: Measurement): number {
  return serviceMs + postgresMs
}

/** A target for matching ratios. */
interface Asked {
  where: Partial<Omit<Ratio, 'spread' | 'byCpu' | 'asked'>>
  least: number
}

/** The performance targets of the service. */
const TARGETS: Asked[] = [
  ...(['single-create', 'single-patch'] as const).flatMap((work): Asked[] => [
    { where: { work, of: 'answered', companies: 1, callers: 32 }, least: 2.4 },
    { where: { work, of: 'answered', companies: 64, callers: 32 }, least: 1.5 },
    { where: { work, of: 'answered', callers: 1 }, least: 0.9 },
  ]),
  { where: { work: 'bulk-create', of: 'answered', callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-create', of: 'visible', callers: 4 }, least: 0.7 },
  { where: { work: 'first-load', of: 'answered', callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-patch', of: 'answered', companies: 1, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-patch', of: 'answered', companies: 64, callers: 4 }, least: 1 },
  { where: { work: 'bulk-patch-unchanged', of: 'answered', callers: 4 }, least: 2 },
  { where: { work: 'nightly-sync', of: 'answered', callers: 4 }, least: 2 },
  { where: { work: 'bulk-patch-unchanged', of: 'cold', callers: 4 }, least: 1.3 },
  { where: { work: 'nightly-sync', of: 'cold', callers: 4 }, least: 1.3 },
  { where: { work: 'verify', of: 'answered', callers: 32 }, least: 2 },
]

function findTarget(ratio: Omit<Ratio, 'spread' | 'byCpu' | 'asked'>): number | null {
  const fits = ({ where }: Asked) =>
    Object.entries(where).every(([name, value]) => ratio[name as keyof typeof ratio] === value)
  return TARGETS.find(fits)?.least ?? null
}
