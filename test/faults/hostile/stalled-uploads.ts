import { readFileSync } from 'node:fs'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { readSamples, valueOf } from '../../support/processes/metrics.ts'
import type { Happened } from '../fault.ts'
import type { Finding } from '../oracle/finding.ts'
import type { Supervised } from '../program.ts'
import type { Stage } from '../stage.ts'
import type { LoadedCompany, Operation } from '../workload.ts'

/**
 * REQUEST_TIMEOUT_MS of the processes: less than a minute, but long enough for all bytes to arrive on a busy machine.
 */
export const UPLOADS_WITHIN_MS = 20_000
/** Node.js looks for slow requests every quarter of that; the rest is for a busy machine. */
const CLOSED_WITHIN_MS = UPLOADS_WITHIN_MS + 10_000
const UPLOADS = 40
/** One in so many uploads stalls early, the others near their end: together they send far more than the budget. */
const SOON = 10
const SEVERAL_KEYS = 4
const ANNOUNCED = 8_000_000
const LOOKS_EVERY_MS = 250

const MB = 1_000_000
/** How much memory one process's bodies may take together. */
const BUDGET = 64 * MB
/**
 * Allowance in the process's own count (heap in use and external buffers) for other calls and uncollected garbage.
 */
const COUNTED_SLACK = 96 * MB
/** Allowance for the whole process, whose heap grows under load and is not returned. */
const PROCESS_SLACK = 160 * MB

interface Upload {
  id: string
  company: LoadedCompany
  isClosed(): boolean
  /** The status of its answer; null until there is one. */
  answer(): string | null
  end(): void
}

/**
 * Forty connections to one process, of one key or of four depending on the seed, each announce a body of 8 MB, send
 * some of it, usually nearly all, and then nothing.
 */
export async function stalledUploads(stage: Stage, random: SeededRandom): Promise<Happened> {
  const companies = await stage.makeCompanies(random.chance(0.5) ? 1 : SEVERAL_KEYS)
  const api = random.pick(stage.apis)
  const name = `stalled-${random.below(1_000_000_000)}`
  const wrong: Finding[] = []
  const before = await memoryOf(api)
  const most = { ...before }
  const body = Buffer.alloc(ANNOUNCED, ' ')
  const uploads = Array.from({ length: UPLOADS }, (_, at) => {
    const sent = at % SOON === 0 ? 1 + random.below(100_000) : ANNOUNCED - 1 - random.below(100_000)
    return startUpload(api.address, companies[at % companies.length]!, `${name}-${at}`, body.subarray(0, sent))
  })
  const deadline = performance.now() + CLOSED_WITHIN_MS
  while (uploads.some(({ isClosed }) => !isClosed()) && performance.now() < deadline) {
    const now = await memoryOf(api)
    most.counted = Math.max(most.counted, now.counted)
    most.process = Math.max(most.process, now.process)
    await pause(LOOKS_EVERY_MS)
  }
  const open = uploads.filter(({ isClosed }) => !isClosed())
  if (open.length > 0)
    wrong.push({
      kind: 'open connection',
      text: `${open.length} of ${UPLOADS} uploads stand still and are open after ${CLOSED_WITHIN_MS} ms`,
    })
  uploads.forEach((upload) => upload.end())
  wrong.push(...growth('heap and the buffers', before.counted, most.counted, BUDGET + COUNTED_SLACK))
  wrong.push(...growth('process', before.process, most.process, BUDGET + PROCESS_SLACK))
  const operations = uploads.map(({ id, company: { companyId, key } }): Operation => ({
    id,
    companyId,
    apiId: key.api_id,
    method: 'POST',
    path: '/v1/employees',
    body: null,
    records: 0,
    isCutOff: true,
    attempts: [],
    final: null,
    again: null,
  }))
  const [grown, counted] = [most.process - before.process, most.counted - before.counted]
  const answers = Map.groupBy(uploads, (upload) => upload.answer() ?? 'nothing')
  const answered = [...answers].map(([answer, own]) => `${answer} to ${own.length}`).join(', ')
  const note = `the process grew by ${mb(grown)}, heap and buffers by ${mb(counted)}; it answered ${answered}`
  return { times: UPLOADS, note, wrong, companyIds: companies.map(({ companyId }) => companyId), operations }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`
}

function growth(what: string, before: number, most: number, atMost: number): Finding[] {
  const grown = most - before
  return grown <= atMost
    ? []
    : [
        {
          kind: 'memory',
          text: `the memory of the ${what} grew by ${mb(grown)} from ${mb(before)}, by more than ${mb(atMost)}`,
        },
      ]
}

/** A process's bytes: the heap in use and external buffers by its own count, and the memory by the kernel's. */
async function memoryOf({ metricsUrl, child }: Supervised): Promise<{ counted: number; process: number }> {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child().pid}/status`, 'utf8'))?.[1]
  const samples = await readSamples(metricsUrl!)
  return {
    counted: valueOf(samples, 'nodejs_heap_size_used_bytes') + valueOf(samples, 'nodejs_external_memory_bytes'),
    process: Number(kilobytes) * 1024,
  }
}

function startUpload(address: string, company: LoadedCompany, id: string, sent: Buffer): Upload {
  const { hostname, port } = new URL(address)
  const socket = net.connect({ host: hostname, port: Number(port) })
  const { api_id: apiId, api_key: apiKey } = company.key
  const head = [
    'POST /v1/employees HTTP/1.1',
    ...[`host: ${hostname}`, `x-api-id: ${apiId}`, `x-api-key: ${apiKey}`, `x-request-id: ${id}`],
    ...['content-type: application/json', `content-length: ${ANNOUNCED}`],
  ]
  let isClosed = false
  let answer: string | null = null
  // A reset is one way to close. An upload that is answered early also stops sending, and stays open.
  socket.on('error', () => undefined).on('close', () => (isClosed = true))
  socket.setEncoding('latin1').on('data', (text: string) => (answer ??= /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? text))
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(sent)
  return { id, company, isClosed: () => isClosed, answer: () => answer, end: () => socket.destroy() }
}
