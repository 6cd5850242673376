import type { BenchServer } from '../processes/postgres.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { computeSpread, median, type Spread } from '../report/statistics.ts'
import { KINDS, loadStock, type Kind } from './kinds.ts'
import { addUse, measureStart, openVersion, type Used, type Version, type VersionOptions } from './version.ts'

/** The two versions: the one that is compared with, and this one. */
export const SIDES = ['before', 'after'] as const
type Side = (typeof SIDES)[number]
type Both<Of> = Record<Side, Of>

export interface AgainstOptions {
  rounds: number
  /** The share of the calls of a full measurement that each makes. */
  share: number
  records: number
  /** Measures only kinds whose names contain one of these; all if there are none. */
  only: string[]
  /** The folders of the two versions. */
  folders: Both<string>
}

/** A kind of call, measured in turns. */
export interface AgainstResult {
  name: string
  callers: number
  isCold: boolean
  /** By version; the index is the round. */
  rounds: Both<Used[]>
}

const COLD = { EMPLOYEE_CACHE: '0' }
/** The code that a kind of call runs is compiled and optimized while the first calls run. */
const WARM_UP_SHARE = 0.75

/** Measures all kinds of calls in both versions, in turns. */
export async function measureAgainst(
  server: BenchServer,
  options: AgainstOptions,
  onProgress: (line: string) => void,
): Promise<AgainstResult[]> {
  const results: AgainstResult[] = []
  for (const isCold of [false, true]) {
    const kinds = KINDS.filter((kind) => kind.isCold === isCold && isWanted(kind.name, options))
    const isStarted = !isCold && isWanted(START, options)
    if (kinds.length === 0 && !isStarted) continue
    const of = optionsOf(options, isCold)
    const versions = { before: await openVersion(server, of.before), after: await openVersion(server, of.after) }
    try {
      for (const kind of kinds) {
        results.push(await measureKind(server, versions, kind, options))
        onProgress(formatResult(results.at(-1)!))
      }
    } finally {
      for (const side of SIDES) await versions[side].close()
    }
    if (!isStarted) continue
    for (const result of await measureStarts(server, versions, of, options.rounds)) {
      results.push(result)
      onProgress(formatResult(result))
    }
  }
  return results
}

const START = 'start'

function isWanted(name: string, { only }: AgainstOptions): boolean {
  return only.length === 0 || only.some((part) => name.includes(part))
}

function optionsOf({ folders, records }: AgainstOptions, isCold: boolean): Both<VersionOptions> {
  const of = (side: Side): VersionOptions => ({
    folder: folders[side],
    database: `bench_${side}_${isCold ? 'cold' : 'hot'}_${process.pid}`,
    records,
    settings: isCold ? COLD : {},
  })
  return { before: of('before'), after: of('after') }
}

/** One version after the other in each round, in alternating order. */
async function inTurns(rounds: number, measure: (side: Side) => Promise<void>): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) await measure(side)
}

async function measureKind(
  server: BenchServer,
  versions: Both<Version>,
  kind: Kind,
  { rounds, share }: AgainstOptions,
): Promise<AgainstResult> {
  const measured: Both<Used[]> = { before: [], after: [] }
  const scale = (by: number) => Math.max(kind.callers, Math.round(kind.calls * by))
  for (const side of SIDES) {
    await kind.begin?.(versions[side])
    await makeCalls(versions[side], kind, scale(WARM_UP_SHARE))
    // So that neither version pays for what a kind has left to do.
    await server.run('vacuum analyze', versions[side].database)
  }
  await server.run('checkpoint')
  await inTurns(rounds, async (side) => {
    if (!kind.isCold) await loadStock(versions[side])
    measured[side].push(await makeCalls(versions[side], kind, scale(share)))
  })
  return { name: kind.name, callers: kind.callers, isCold: kind.isCold, rounds: measured }
}

/** Makes this many calls. Returns what they used. */
async function makeCalls(version: Version, kind: Kind, count: number): Promise<Used> {
  let used: Used | undefined
  for (let left = count; left > 0;) {
    await kind.inSteps?.before(version)
    const calls = kind.prepare(version, Math.min(left, kind.inSteps?.calls(version) ?? left))
    left -= calls.length
    const endUse = await version.startUse()
    assertNoFailures(kind.name, await runCalls(calls, kind.callers))
    const step = await endUse(calls.length)
    used = used ? addUse(used, step) : step
  }
  return used!
}

/** Measures how processes start, on the databases of versions that are closed. */
async function measureStarts(
  server: BenchServer,
  versions: Both<Version>,
  of: Both<VersionOptions>,
  rounds: number,
): Promise<AgainstResult[]> {
  const starts: Both<Used[]> = { before: [], after: [] }
  const firstCalls: Both<Used[]> = { before: [], after: [] }
  await inTurns(rounds, async (side) => {
    const measured = await measureStart(server, versions[side], of[side])
    starts[side].push(measured.start)
    firstCalls[side].push(measured.firstCalls)
  })
  const facts = { callers: 1, isCold: false }
  return [
    { name: START, ...facts, rounds: starts },
    { name: `first calls after the ${START}`, ...facts, rounds: firstCalls },
  ]
}

/** The processor time of service and PostgreSQL for a call, in milliseconds. */
export function cpuMs({ serviceSeconds, postgresSeconds, calls }: Used): number {
  return ((serviceSeconds + postgresSeconds) * 1_000) / calls
}

/** The processor time of this version divided by that of the other, over the rounds. */
export function cpuRatio({ rounds: { before, after } }: AgainstResult, of: (used: Used) => number = cpuMs): Spread {
  return computeSpread(after.map((used, round) => of(used) / of(before[round]!)))
}

/** The median of what a call used. */
export function medianOf(rounds: Used[], of: (used: Used) => number): number {
  return median(rounds.map(of))
}

function formatResult(result: AgainstResult): string {
  const { median: middle, min, max } = cpuRatio(result)
  const name = `${result.name}${result.isCold ? ', cold' : ''}, ${result.callers} callers`
  return `${name}: ${middle.toFixed(3)} (${min.toFixed(3)}–${max.toFixed(3)}) of the processor time`
}
