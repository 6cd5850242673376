import type { CellResult, Measurement } from './compare.ts'
import type { Cell, PeerName } from '../load/peer.ts'
import type { Spread } from '../report/statistics.ts'
import { spreadOf } from '../report/statistics.ts'

/** How the program compares with a peer in a cell, round by round in the same run. */
export interface Ratio extends Cell {
  against: Exclude<PeerName, 'ours'>
  /** What of the program is compared: its answers, or its answers once they can be read in the log. */
  of: 'answered' | 'visible'
  spread: Spread
  /** What the ratio is to be at least; null where nothing is asked. */
  asked: number | null
}

/** All ratios of a cell. The visible ones are told where something is asked of them, or the difference is of interest. */
export function ratiosOf(result: CellResult): Ratio[] {
  const { work, companies, callers, peers } = result
  const ours = peers.ours
  if (!ours) return []
  const others = (['crud', 'emmett', 'raw'] as const).filter((name) => peers[name] !== undefined)
  return others.flatMap((against) =>
    (against === 'crud' && work !== 'verify' ? (['answered', 'visible'] as const) : (['answered'] as const)).map(
      (of) => {
        const cell = { work, companies, callers }
        const spread = spreadOf(ours.map((mine, round) => rateOf(mine, of) / peers[against]![round]!.perSecond))
        return { ...cell, against, of, spread, asked: askedOf({ ...cell, against, of }) }
      },
    ),
  )
}

function rateOf(measured: Measurement, of: Ratio['of']): number {
  return of === 'visible' ? measured.visiblePerSecond : measured.perSecond
}

/** What is asked of the ratios that fit. */
interface Asked {
  where: Partial<Omit<Ratio, 'spread' | 'asked'>>
  least: number
}

const CRUD = { against: 'crud', of: 'answered' } as const
const CRUD_VISIBLE = { against: 'crud', of: 'visible' } as const
const EMMETT = { against: 'emmett', of: 'answered' } as const

/** What this service sets itself. */
const ASKED: Asked[] = [
  ...(['single-create', 'single-patch'] as const).flatMap((work): Asked[] => [
    { where: { work, ...CRUD, companies: 1, callers: 32 }, least: 3 },
    { where: { work, ...CRUD, companies: 64, callers: 32 }, least: 2.5 },
    { where: { work, ...CRUD, callers: 1 }, least: 0.9 },
    { where: { work, ...EMMETT, callers: 32 }, least: 1.5 },
  ]),
  { where: { work: 'bulk-create', ...CRUD, callers: 4 }, least: 1 },
  { where: { work: 'bulk-create', ...CRUD_VISIBLE, callers: 4 }, least: 0.8 },
  { where: { work: 'bulk-create', ...EMMETT, callers: 4 }, least: 0.7 },
  { where: { work: 'bulk-patch', ...CRUD, companies: 1, callers: 4 }, least: 1.2 },
  { where: { work: 'bulk-patch', ...CRUD, companies: 64, callers: 4 }, least: 1 },
  { where: { work: 'bulk-patch-unchanged', ...CRUD, callers: 4 }, least: 2 },
  { where: { work: 'verify', ...CRUD, callers: 32 }, least: 2 },
]

function askedOf(ratio: Omit<Ratio, 'spread' | 'asked'>): number | null {
  const fits = ({ where }: Asked) =>
    Object.entries(where).every(([name, value]) => ratio[name as keyof typeof ratio] === value)
  return ASKED.find(fits)?.least ?? null
}
