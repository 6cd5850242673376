import type { CellResult, Measurement } from './compare.ts'
import type { Cell, PeerName } from '../load/peer.ts'
import type { Spread } from '../report/statistics.ts'
import { computeSpread } from '../report/statistics.ts'

/** The ratio of the service to a peer in a cell, over the rounds of one run. */
export interface Ratio extends Cell {
  against: Exclude<PeerName, 'ours'>
  /** Compares the rate of answers, or the rate until the log shows the calls. */
  of: 'answered' | 'visible'
  spread: Spread
  /** The minimum ratio; null without a target. */
  asked: number | null
}

/** Computes the ratios of a cell; those of `visible` only against crud, for work that the log shows. */
export function computeRatios(result: CellResult): Ratio[] {
  const { work, companies, callers, peers } = result
  const ours = peers.ours
  if (!ours) return []
  const others = (['crud', 'raw'] as const).filter((name) => peers[name] !== undefined)
  return others.flatMap((against) =>
    (against === 'crud' && work !== 'verify' ? (['answered', 'visible'] as const) : (['answered'] as const)).map(
      (of) => {
        const cell = { work, companies, callers }
        const spread = computeSpread(ours.map((mine, round) => getRate(mine, of) / peers[against]![round]!.perSecond))
        return { ...cell, against, of, spread, asked: findTarget({ ...cell, against, of }) }
      },
    ),
  )
}

function getRate(measured: Measurement, of: Ratio['of']): number {
  return of === 'visible' ? measured.visiblePerSecond : measured.perSecond
}

/** A target for matching ratios. */
interface Asked {
  where: Partial<Omit<Ratio, 'spread' | 'asked'>>
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
  { where: { work: 'bulk-patch', ...CRUD, companies: 1, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-patch', ...CRUD, companies: 64, callers: 4 }, least: 1 },
  { where: { work: 'bulk-patch-unchanged', ...CRUD, callers: 4 }, least: 2 },
  { where: { work: 'nightly-sync', ...CRUD, callers: 4 }, least: 2 },
  { where: { work: 'verify', ...CRUD, callers: 32 }, least: 2 },
]

function findTarget(ratio: Omit<Ratio, 'spread' | 'asked'>): number | null {
  const fits = ({ where }: Asked) =>
    Object.entries(where).every(([name, value]) => ratio[name as keyof typeof ratio] === value)
  return TARGETS.find(fits)?.least ?? null
}
