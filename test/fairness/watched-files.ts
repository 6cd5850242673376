import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { HostileFile } from '../support/files/hostile-files.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import type { LoopUse } from '../support/processes/event-loop-watchdog.ts'
import { addressOf, startProcess } from '../support/processes/processes.ts'
import { prepareWatchdog } from '../support/processes/watched-process.ts'
import type { Answer } from '../support/service.ts'
import { send, startService } from '../support/service.ts'

const MIB = 1_048_576
/**
 * Several times what is promised for the largest files, so that no slow machine fails: 50 ms of the event loop, and
 * 100 MiB of memory. Without limits, a file of 1 MiB took seconds and 350 MiB.
 */
export const MAX_WORK_MS = 250
const MAX_MEMORY = 300 * MIB
/** How many times as much CPU time a file may take as an ordinary one of as many bytes, or as the ordinary one itself. */
const MAX_TIMES_ORDINARY = 5

/** Between two calls of the other company, and between two looks at a preview. Each takes as much as a small file. */
const BETWEEN_CALLS_MS = 50

interface Watched {
  /**
   * Uploads a file through the API and looks at all that it becomes, or only uploads it through the page, which stores
   * the same. Asserts what it costs others.
   */
  upload(t: Test, file: HostileFile, through: 'api' | 'page'): Promise<void>
}

/**
 * Starts the whole program in a process of its own, with a watchdog, and another company that makes calls. What an
 * ordinary file takes there tells how fast the machine is.
 */
export async function startWatched(t: Test, ordinary: HostileFile): Promise<Watched> {
  const owner = await startService(t)
  const watchdog = prepareWatchdog(t)
  const settings = { ...watchdog.variables, DATA_DIR: owner.config.DATA_DIR }
  const address = addressOf(await startProcess(t, 'start', owner.urls, settings))
  const other = await owner.makeCompany('Other')
  const { admin } = owner.company
  const cookie = await cookieOf(owner, admin)
  const authorization = `Bearer ${admin.token}`
  const manage = (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
    send(address, method, `/admin/v1/uploads${path}`, { key: null, headers: { authorization, ...headers }, body })

  /** Looks at all that a stored file becomes, also if all of its columns say who has left, and deletes it. */
  async function lookAt(id: string): Promise<void> {
    await lookAtPart(id)
    await manage('GET', `/${id}/not-applied.csv`)
    const { body: mapping } = await manage('GET', `/${id}/mapping`)
    if (mapping.columns) {
      const columns = (mapping.columns as { header: string }[]).map(({ header }) => ({ header, to: 'status' }))
      const body = Buffer.from(JSON.stringify({ ...mapping, columns }))
      await manage('PUT', `/${id}/mapping`, { 'content-type': 'application/json' }, body)
      await lookAtPart(id)
    }
    await cancel(id)
  }

  async function lookAtPart(id: string): Promise<void> {
    while ((await manage('GET', `/${id}`)).body.state === 'previewing') await pause(BETWEEN_CALLS_MS)
    await browse({ address }, `/settings/bulk-user-logs/upload/${id}`, { cookie })
    await manage('GET', `/${id}/parts/1/preview`)
  }

  async function cancel(id: string): Promise<void> {
    await manage('POST', `/${id}/cancel`)
  }

  async function throughApi({ type, content }: HostileFile): Promise<string | null> {
    const { status, body }: Answer = await manage('POST', '', { 'content-type': type }, content)
    if (status !== 201 && status !== 422) throw new Error(`${status} ${JSON.stringify(body)}`)
    return status === 201 ? (body.id as string) : null
  }

  async function throughPage({ content }: HostileFile): Promise<string | null> {
    const upload = new FormData()
    upload.set('file', new Blob([new Uint8Array(content)]), 'staff.csv')
    const { status, location } = await browse({ address }, '/settings/bulk-user-logs/upload', { cookie, upload })
    if (status !== 303 && status !== 422) throw new Error(String(status))
    return location?.split('/').at(-1) ?? null
  }

  /** Does something while the other company makes calls. Returns what it used, and how many calls were not answered. */
  async function besideCalls<Result>(task: () => Promise<Result>) {
    await watchdog.read()
    const idleBytes = (await watchdog.read()).peakBytes
    const over = new AbortController()
    let refused = 0
    const latencies: number[] = []
    const calls = (async () => {
      do {
        const began = performance.now()
        if ((await send(address, 'GET', '/v1/auth/verify', { key: other.key })).status !== 200) refused += 1
        latencies.push(performance.now() - began)
        await pause(BETWEEN_CALLS_MS)
      } while (!over.signal.aborted)
    })()
    const result = await task().finally(() => over.abort())
    await calls
    return { result, refused, latencies, idleBytes, use: await watchdog.read() }
  }

  const { use: ordinaryUse, result: ordinaryId } = await besideCalls(() => throughApi(ordinary))
  // Nobody looks at its preview, which would take time beside the files that are measured.
  if (ordinaryId !== null) await cancel(ordinaryId)

  return {
    async upload(t, file, through) {
      const reading = await besideCalls(() => (through === 'api' ? throughApi(file) : throughPage(file)))
      const { use, idleBytes, result: id } = reading
      const looking = id === null ? null : await besideCalls(() => (through === 'api' ? lookAt(id) : cancel(id)))
      t.equal(reading.refused + (looking?.refused ?? 0), 0, 'every call of the other company is answered')
      const isShort = ({ longestWorkMs }: LoopUse) => t.ok(longestWorkMs < MAX_WORK_MS, `${longestWorkMs} ms of a turn`)
      isShort(use)
      if (looking) isShort(looking.use)
      const times = MAX_TIMES_ORDINARY * Math.max(1, file.content.length / ordinary.content.length)
      t.ok(use.cpuMs < times * ordinaryUse.cpuMs, `${use.cpuMs} ms of CPU time; an ordinary file: ${ordinaryUse.cpuMs}`)
      t.ok(use.peakBytes - idleBytes < MAX_MEMORY, `${use.peakBytes - idleBytes} bytes`)
      t.comment(
        `${file.name}: ${describe(file.content.length, use, idleBytes)}, neighbor ${describeLatencies(reading.latencies)}${looking ? `; previews: ${describe(0, looking.use, looking.idleBytes)}` : ''}`,
      )
    },
  }
}

function describe(bytes: number, { longestPauseMs, longestWorkMs, cpuMs, peakBytes }: LoopUse, idle: number): string {
  const [size, memory] = [bytes, peakBytes - idle].map((some) => (some / MIB).toFixed(1))
  return `${size} MiB, pause ${longestPauseMs.toFixed(0)} ms, work ${longestWorkMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, memory +${memory} MiB`
}

function describeLatencies(latencies: readonly number[]): string {
  const sorted = latencies.toSorted((a, b) => a - b)
  const [median, most] = [sorted[sorted.length >> 1]!, sorted.at(-1)!].map((ms) => ms.toFixed(1))
  return `${median} ms, at most ${most}`
}
