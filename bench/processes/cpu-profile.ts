import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

interface ProfileNode {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
  children?: number[]
}

interface CpuProfile {
  nodes: ProfileNode[]
  /** Microseconds of the monotonic clock. */
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** The processor time of a function or place. */
export interface TakenTime {
  name: string
  ms: number
  /** Share of the non-idle time, 0 to 1. */
  share: number
}

/** The processor time of a process, most expensive first. */
interface ProfileSummary {
  /** By package, folder of the program, or part of Node.js; adds up to the total. */
  places: TakenTime[]
  /** By function, without callees; adds up to the total. */
  functions: TakenTime[]
  /** By function of the program, with callees. */
  withCallees: TakenTime[]
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const IDLE = '(idle)'

/** The current time on the clock of profiles, in microseconds. */
export function readProfileClock(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Finds the profile that a process wrote to a folder. Throws when there is none. */
export async function findProfile(dir: string): Promise<string> {
  const file = (await readdir(dir)).find((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error(`there is no profile in ${dir}`)
  return path.join(dir, file)
}

/** Summarizes a profile between two times of `profileClock`. */
export async function readProfile(file: string, from: number, to: number): Promise<ProfileSummary> {
  const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile
  const selfTimes = computeSelfTimes(profile, from, to)
  const [places, functions] = [new Map<string, number>(), new Map<string, number>()]
  for (const { id, callFrame } of profile.nodes) {
    add(places, describePlace(callFrame), selfTimes.get(id) ?? 0)
    add(functions, describeFunction(callFrame), selfTimes.get(id) ?? 0)
  }
  const total = [...selfTimes.values()].reduce((sum, took) => sum + took, 0)
  const ranked = (sums: Map<string, number>) =>
    [...sums].map(([name, took]) => ({ name, ms: took / 1000, share: took / total })).sort((a, b) => b.ms - a.ms)
  return {
    places: ranked(places),
    functions: ranked(functions),
    withCallees: ranked(computeTotalTimes(profile, selfTimes)),
  }
}

/** The self time of each node of the call tree, in microseconds. */
function computeSelfTimes(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  from: number,
  to: number,
): Map<number, number> {
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === IDLE).map(({ id }) => id))
  const times = new Map<number, number>()
  let at = startTime
  samples.forEach((id, sample) => {
    at += timeDeltas[sample]!
    if (at >= from && at <= to && !idle.has(id)) times.set(id, (times.get(id) ?? 0) + timeDeltas[sample]!)
  })
  return times
}

function computeTotalTimes({ nodes }: CpuProfile, selfTimes: Map<number, number>): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const sums = new Map<string, number>()
  /** Counts a recursive function once: `above` has the functions on the stack. */
  function visit({ id, callFrame, children }: ProfileNode, above: ReadonlySet<string>): number {
    const name = describeFunction(callFrame)
    const isOurs = fileOf(callFrame).match(/^(?:src|projections|bench)\//) !== null
    const below = isOurs ? new Set([...above, name]) : above
    const took = (children ?? []).reduce((sum, child) => sum + visit(byId.get(child)!, below), selfTimes.get(id) ?? 0)
    if (isOurs && !above.has(name)) add(sums, name, took)
    return took
  }
  visit(nodes[0]!, new Set())
  return sums
}

type Frame = ProfileNode['callFrame']

function fileOf({ url }: Frame): string {
  return url.replace(`file://${ROOT}/`, '').replace(/^.*node_modules\//, 'node_modules/')
}

function describeFunction(frame: Frame): string {
  const file = fileOf(frame)
  return `${frame.functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${frame.lineNumber + 1}`}`
}

function describePlace(frame: Frame): string {
  const file = fileOf(frame)
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  if (name !== undefined) return name
  if (file.startsWith('node:')) return `node:${file.slice('node:'.length).replace('internal/', '').split('/')[0]}`
  if (file !== '') return path.dirname(file)
  return frame.functionName.startsWith('(') ? frame.functionName : '(built in)'
}

function add(sums: Map<string, number>, name: string, took: number): void {
  sums.set(name, (sums.get(name) ?? 0) + took)
}
