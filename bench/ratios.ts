import type { CellResult, Measurement } from './compare.ts'
import type { Cell, PeerName } from './peer.ts'
import type { Spread } from './statistics.ts'
import { spreadOf } from './statistics.ts'

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
    (against === 'crud' && work !== 'verify' ? (['answered', 'visible'] as const) : (['answered'] as const)).map((of) => {
      const cell = { work, companies, callers }
      const spread = spreadOf(ours.map((mine, round) => rateOf(mine, of) / peers[against]![round]!.perSecond))
      return { ...cell, against, of, spread, asked: askedOf({ ...cell, against, of }) }
    }),
  )
}

function rateOf(measured: Measurement, of: Ratio['of']): number {
  return of === 'visible' ? measured.visiblePerSecond : measured.perSecond
}

type Asked = Partial<Omit<Ratio, 'spread' | 'asked'>> & { least: number }

/** What this service sets itself; the first that fits a ratio holds. */
const ASKED: Asked[] = [
  ...(['single-create', 'single-patch'] as const).flatMap((work): Asked[] => [
    { work, against: 'crud', of: 'answered', companies: 1, callers: 32, least: 3 },
    { work, against: 'crud', of: 'answered', companies: 64, callers: 32, least: 2.5 },
    { work, against: 'crud', of: 'answered', callers: 1, least: 0.9 },
    { work, against: 'emmett', of: 'answered', callers: 32, least: 1.5 },
  ]),
  { work: 'bulk-create', against: 'crud', of: 'answered', callers: 4, least: 1 },
  { work: 'bulk-create', against: 'crud', of: 'visible', callers: 4, least: 0.8 },
  { work: 'bulk-create', against: 'emmett', of: 'answered', callers: 4, least: 0.7 },
  { work: 'bulk-patch', against: 'crud', of: 'answered', companies: 1, callers: 4, least: 1.2 },
  { work: 'bulk-patch', against: 'crud', of: 'answered', companies: 64, callers: 4, least: 1 },
  { work: 'bulk-patch-unchanged', against: 'crud', of: 'answered', callers: 4, least: 2 },
  { work: 'verify', against: 'crud', of: 'answered', callers: 32, least: 2 },
]

function askedOf(ratio: Omit<Ratio, 'spread' | 'asked'>): number | null {
  const fits = ({ least: _, ...asked }: Asked) =>
    Object.entries(asked).every(([name, value]) => ratio[name as keyof typeof ratio] === value)
  return ASKED.find(fits)?.least ?? null
}
