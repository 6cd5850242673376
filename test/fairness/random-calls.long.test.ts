import fc from 'fast-check'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { eventually } from '../support/eventually.ts'
import { startDistantClient, type DistantAnswer, type ReadyRequest } from '../support/http/distant-client.ts'
import { cookieOf, OWN_PAGE } from '../support/http/sessions.ts'
import { inputs } from '../support/quick.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'
import { startService } from '../support/service.ts'
import { anyCall } from './random-records.ts'

/*
 * Calls whose records are composed at random from nasty texts and from the limits: neither they, nor what follows in the
 * background, nor the pages and files that show them take the event loop for long, and none is answered with a failure of
 * the service.
 */

/** Several times what a request may take, in milliseconds of CPU time, as for the largest requests. */
const MAX_WORK_MS = 250
const TRIES = 3
const SEED = 64
const MAX_BYTES = 8 * 1_048_576

const watchdog = watchEventLoop()
t.teardown(() => watchdog.stop())
const limitsOff = { BURST_LIMIT: '0', HEAVY_READS: '199' }
const service = await startService(t, limitsOff, { workers: true })
const client = startDistantClient(t)
const { key, admin } = service.company
const cookie = await cookieOf(service, admin)
const keyHeaders = { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' }
const token = { authorization: `Bearer ${admin.token}` }
const page = { ...OWN_PAGE, cookie }

const longest: { workMs: number; bytes: number; name: string }[] = []
const statuses: Record<number, number> = {}

/** Sends a request and lets the workers finish what follows it, again if this took the event loop for long. */
async function measure(name: string, request: ReadyRequest): Promise<DistantAnswer> {
  let [workMs, bytes, answer] = [Infinity, 0, undefined as DistantAnswer | undefined]
  for (let attempt = 1; attempt <= TRIES && workMs > MAX_WORK_MS; attempt += 1) {
    await client.prepare(request)
    await watchdog.read()
    const latest = await client.send()
    answer ??= latest
    await eventually('the workers have folded everything', () => isCaughtUp(service.db))
    const use = await watchdog.read()
    workMs = Math.min(workMs, use.longestWorkMs)
    bytes = use.peakBytes
  }
  const { status, beginning } = answer!
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === 0 || status >= 500) t.fail(`${name} is answered with ${status}: ${beginning}`)
  if (workMs > MAX_WORK_MS) t.fail(`${name} took the event loop for ${Math.round(workMs)} ms of CPU time`)
  longest.push({ workMs, bytes, name })
  return answer!
}

/** What shows an entry: its page, its records, its files, and what counts and finds them. */
const shownBy = (log: string): [headers: Record<string, string>, path: string][] => [
  [page, `/settings/bulk-user-logs/${log}?limit=200`],
  [token, `/admin/v1/bulk-user-logs/${log}/records?limit=200`],
  [token, `/admin/v1/bulk-user-logs/${log}/records.csv`],
  [token, `/admin/v1/bulk-user-logs/${log}/failed-records.csv`],
  [token, `/admin/v1/bulk-user-logs/${log}/failed-records.json`],
  [page, `/settings/bulk-user-logs/${log}/fix`],
  [page, '/settings/bulk-user-logs/refusals'],
  [page, '/settings/events'],
  [token, '/admin/v1/bulk-user-logs?q=V-1'],
]

await t.test('no call takes the event loop for long, and neither does what shows it', async (t) => {
  const calls = fc.sample(anyCall(readConfig({}).MAX_RECORDS, MAX_BYTES), { numRuns: inputs(4, 60), seed: SEED })
  for (const { name, method, query, body } of calls) {
    const url = `${service.address}/v1/employees${query}`
    const { beginning } = await measure(name, { method, url, headers: keyHeaders, body })
    const [log] = /log_[0-9a-z]{26}/.exec(beginning) ?? []
    if (log === undefined) continue
    for (const [headers, path] of shownBy(log))
      await measure(`${path} after ${name}`, { method: 'GET', url: service.address + path, headers, body: null })
  }
  const most = longest.toSorted((one, other) => other.workMs - one.workMs).slice(0, 15)
  for (const { workMs, bytes, name } of most)
    t.comment(`${workMs.toFixed(0)} ms, ${(bytes / 1_048_576).toFixed(0)} MiB: ${JSON.stringify(name)}`)
  t.comment(JSON.stringify(statuses))
})
