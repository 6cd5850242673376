import type { CellResult, Measurement } from './compare.ts'
import type { Cell } from '../load/peer.ts'
import type { Spread } from '../report/statistics.ts'
import { computeSpread, median } from '../report/statistics.ts'

/** The ratio of the service to a peer in a cell, over the rounds of one run. */
export interface Ratio extends Cell {
  against: 'crud' | 'raw'
  /** Compares the rate of answers, or the rate until the log shows the calls. `cold` is the former of that peer. */
  of: 'answered' | 'visible' | 'cold'
  spread: Spread
  /** The same of processor time, of service and PostgreSQL together until the log shows the calls: the median. */
  byCpu: number
  /** The minimum ratio; null without a target. */
  asked: number | null
}

/** Computes the ratios of a cell; those of `visible` and `cold` only against crud. */
export function computeRatios(result: CellResult): Ratio[] {
  const { work, companies, callers, peers } = result
  const pairs = [
    ['ours', 'answered', 'crud'],
    ['ours', 'visible', 'crud'],
    ['ours', 'answered', 'raw'],
    ['cold', 'cold', 'crud'],
  ] as const
  return pairs.flatMap(([name, of, against]): Ratio[] => {
    const [measured, compared] = [peers[name], peers[against]]
    if (!measured || !compared || (of === 'visible' && work === 'verify')) return []
    const cell = { work, companies, callers }
    const spread = computeSpread(measured.map((one, round) => getRate(one, of) / compared[round]!.perSecond))
    const byCpu = median(measured.map((one, round) => getCpu(compared[round]!) / getCpu(one)))
    return [{ ...cell, against, of, spread, byCpu, asked: findTarget({ ...cell, against, of }) }]
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

const CRUD = { against: 'crud', of: 'answered' } as const
const CRUD_VISIBLE = { against: 'crud', of: 'visible' } as const

/** The performance targets of the service. */
const TARGETS: Asked[] = [
  ...(['single-create', 'single-patch'] as const).flatMap((work): Asked[] => [
    { where: { work, ...CRUD, companies: 1, callers: 32 }, least: 2.4 },
    { where: { work, ...CRUD, companies: 64, callers: 32 }, least: 1.5 },
    { where: { work, ...CRUD, callers: 1 }, least: 0.9 },
  ]),
  { where: { work: 'bulk-create', ...CRUD, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-create', ...CRUD_VISIBLE, callers: 4 }, least: 0.7 },
  { where: { work: 'first-load', ...CRUD, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-patch', ...CRUD, companies: 1, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-patch', ...CRUD, companies: 64, callers: 4 }, least: 1 },
  { where: { work: 'bulk-patch-unchanged', ...CRUD, callers: 4 }, least: 2 },
  { where: { work: 'nightly-sync', ...CRUD, callers: 4 }, least: 2 },
  { where: { work: 'bulk-patch-unchanged', against: 'crud', of: 'cold', callers: 4 }, least: 1.3 },
  { where: { work: 'nightly-sync', against: 'crud', of: 'cold', callers: 4 }, least: 1.3 },
  { where: { work: 'verify', ...CRUD, callers: 32 }, least: 2 },
]

function findTarget(ratio: Omit<Ratio, 'spread' | 'byCpu' | 'asked'>): number | null {
  const fits = ({ where }: Asked) =>
    Object.entries(where).every(([name, value]) => ratio[name as keyof typeof ratio] === value)
  return TARGETS.find(fits)?.least ?? null
}
