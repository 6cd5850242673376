import { openCrud } from '../peers/crud-peer.ts'
import { openCold, openOurs } from '../peers/ours-peer.ts'
import type { Cell, Peer, PeerName, Work } from '../load/peer.ts'
import type { BenchServer } from '../processes/postgres.ts'
import type { LoadResult } from '../load/run-calls.ts'
import { assertNoFailures, runCalls } from '../load/run-calls.ts'
import { startCpu } from '../processes/cpu-time.ts'

export interface CompareOptions {
  rounds: number
  /** Target duration of one measurement. */
  seconds: number
  peers: PeerName[]
  works: Work[]
  companies: number[]
  /** Numbers of concurrent callers; null for the default of the work. */
  callers: number[] | null
  /** Records of a bulk call. */
  records: number
}

/** One measurement: a peer, a cell, a round. */
export interface Measurement extends LoadResult {
  /** Calls per second until the log showed the last one. */
  visiblePerSecond: number
  /** Processor time of the service and of PostgreSQL for each call until then, in milliseconds. */
  serviceMs: number
  postgresMs: number
}

export interface CellResult extends Cell {
  /** By peer; the index is the round. */
  peers: Partial<Record<PeerName, Measurement[]>>
}

const CALLERS: Record<Work, number[]> = {
  'single-create': [1, 8, 32, 128],
  'single-patch': [1, 8, 32, 128],
  'bulk-create': [1, 4],
  'first-load': [1, 4],
  'bulk-patch': [1, 4],
  'bulk-patch-unchanged': [1, 4],
  'nightly-sync': [1, 4],
  verify: [1, 32],
}

/** Opens the peers, each on its own database, runs a task with them, and stops them. */
export async function withPeers<Result>(
  server: BenchServer,
  options: Pick<CompareOptions, 'peers' | 'companies' | 'records'>,
  task: (peers: Peer[]) => Promise<Result>,
): Promise<Result> {
  const { peers: peerNames, ...sizes } = options
  const peers: Peer[] = []
  const names: string[] = []
  try {
    for (const name of peerNames) {
      const database = `bench_${name}_${process.pid}`
      const urls = await server.createDatabase(database)
      names.push(database)
      if (name === 'ours') peers.push(await openOurs(urls, sizes))
      if (name === 'cold') peers.push(await openCold(urls, sizes))
      if (name === 'crud') peers.push(await openCrud(urls, sizes))
    }
    return await task(peers)
  } finally {
    for (const peer of peers.toReversed()) await peer.stop()
    for (const name of names) await server.dropDatabase(name)
  }
}

/** Measures all cells round by round, in each round one peer after the other, in alternating order. */
export async function compare(
  server: BenchServer,
  peers: Peer[],
  options: CompareOptions,
  onProgress: (line: string) => void,
): Promise<CellResult[]> {
  const results: CellResult[] = []
  for (const cell of listCells(options)) {
    const able = peers.filter(({ works }) => works.includes(cell.work))
    const result: CellResult = { ...cell, peers: {} }
    // So that no peer pays for the dirty pages of the cell before.
    await server.run('checkpoint')
    for (const peer of able) await peer.begin?.(cell)
    const rates = new Map<Peer, number>()
    for (let round = 0; round < options.rounds; round += 1) {
      for (const peer of round % 2 === 0 ? able : able.toReversed()) {
        const measured = await measure(server, peer, cell, options.seconds, rates)
        ;(result.peers[peer.name] ??= []).push(measured)
        const { perSecond, p50Ms, p99Ms, failures } = measured
        const place = `${cell.work}, ${cell.companies} companies, ${cell.callers} callers, round ${round + 1}, ${peer.name}`
        onProgress(
          `${place}: ${perSecond.toFixed(1)}/s, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${failures} failed`,
        )
      }
    }
    results.push(result)
  }
  return results
}

function listCells({ works, companies, callers }: CompareOptions): Cell[] {
  return works.flatMap((work) =>
    companies.flatMap((count) =>
      (callers ?? CALLERS[work]).map((number) => ({ work, companies: count, callers: number })),
    ),
  )
}

const WARM_UP_SHARE = 0.5
const CALLS_OF_A_CALLER = 3

/** Warms up a peer to find its rate, then measures as many calls as `seconds` need at that rate. */
async function measure(
  server: BenchServer,
  peer: Peer,
  cell: Cell,
  seconds: number,
  rates: Map<Peer, number>,
): Promise<Measurement> {
  const rate = rates.get(peer)
  const least = cell.callers * CALLS_OF_A_CALLER
  const warmedUp = await warmUp(
    peer,
    cell,
    seconds * WARM_UP_SHARE,
    rate === undefined ? least : rate * seconds * WARM_UP_SHARE,
  )
  rates.set(peer, warmedUp)
  const calls = peer.prepare(cell, Math.max(least, Math.round(warmedUp * seconds)))
  await peer.visible?.()
  const endCpu = await startCpu(server, peer.server?.pid)
  const started = performance.now()
  const load = await runCalls(calls, cell.callers)
  await peer.visible?.()
  const untilVisible = (performance.now() - started) / 1_000
  const { serviceSeconds, postgresSeconds } = await endCpu()
  return {
    ...load,
    visiblePerSecond: load.calls / untilVisible,
    serviceMs: (serviceSeconds * 1_000) / load.calls,
    postgresMs: (postgresSeconds * 1_000) / load.calls,
  }
}

/**
 * Makes `first` calls and doubles the number until a batch lasts at least half of `seconds`. Returns the calls per second
 * of that batch. Throws when a call fails.
 */
export async function warmUp(peer: Peer, cell: Cell, seconds: number, first: number): Promise<number> {
  for (let count = Math.max(cell.callers, Math.round(first)); ; count *= 2) {
    const what = `${peer.name}, ${cell.work}`
    const load = assertNoFailures(what, await runCalls(peer.prepare(cell, count), cell.callers))
    if (load.seconds >= seconds / 2) return load.perSecond
  }
}
