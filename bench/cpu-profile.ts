import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  /** Microseconds of the machine's monotonic clock. */
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** The time that something took itself, without what it called. */
export interface SelfTime {
  name: string
  ms: number
  /** Of the time in which the process did anything, 0 to 1. */
  share: number
}

const ROOT = path.dirname(import.meta.dirname)
const IDLE = '(idle)'

/** Microseconds of the clock that profiles are in. */
export function profileClock(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Reads the profile that a process left in a folder, between two instants of `profileClock`. */
export async function readProfile(dir: string, from: number, to: number): Promise<{ functions: SelfTime[]; places: SelfTime[] }> {
  const file = (await readdir(dir)).find((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error(`there is no profile in ${dir}`)
  const profile = JSON.parse(await readFile(path.join(dir, file), 'utf8')) as CpuProfile
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const functions = new Map<string, number>()
  const places = new Map<string, number>()
  let at = profile.startTime
  profile.samples.forEach((id, sample) => {
    const took = profile.timeDeltas[sample]!
    at += took
    const { functionName, url, lineNumber } = frames.get(id)!
    if (at < from || at > to || functionName === IDLE) return
    const file = url.replace(`file://${ROOT}/`, '').replace(/^.*node_modules\//, 'node_modules/')
    add(functions, `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`, took)
    add(places, placeOf(file, functionName), took)
  })
  return { functions: ranked(functions), places: ranked(places) }
}

/** The package, the folder of the program, or the part of node that a function belongs to. */
function placeOf(file: string, functionName: string): string {
  const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
  if (name !== undefined) return name
  if (file.startsWith('node:')) return `node:${file.slice('node:'.length).replace('internal/', '').split('/')[0]}`
  if (file !== '') return path.dirname(file)
  return functionName.startsWith('(') ? functionName : '(built in)'
}

function add(sums: Map<string, number>, name: string, took: number): void {
  sums.set(name, (sums.get(name) ?? 0) + took)
}

function ranked(sums: Map<string, number>): SelfTime[] {
  const total = [...sums.values()].reduce((sum, took) => sum + took, 0)
  return [...sums].map(([name, took]) => ({ name, ms: took / 1000, share: took / total })).sort((a, b) => b.ms - a.ms)
}
