import { setTimeout as pause } from 'node:timers/promises'
import { findings } from './oracle/finding.ts'
import type { Happened } from './fault.ts'
import { runProgram } from './program.ts'
import type { Stage } from './stage.ts'
import { startLoad } from './workload.ts'

const NEXT = { name: 'the next version' }
const READS_EVERY_MS = 20
const STAFF_CALLS_MS = 1_000
const ANSWERS_WITHIN_MS = 14_000

/**
 * A rolling deploy of the next version, which has a migration and a new version of a projection: migrate, the workers, the API processes. Both versions
 * run on one database meanwhile, and a list is complete at any time.
 */
export async function deploy(stage: Stage): Promise<Happened> {
  const { apis, workers } = stage
  const reading = await startReading(stage)
  if ((await runProgram(stage, ['migrate'], NEXT)) !== 0) throw new Error('the next version could not be migrated to')
  for (const part of [...workers, ...apis]) {
    await part.restart('SIGTERM', NEXT)
    await part.ready()
    // A process serves once it says that it is ready.
    if (apis.includes(part)) await untilReady(part.address)
  }
  stage.projections = stage.projections.map((projection) =>
    projection.name === 'employees' ? { ...projection, version: projection.version + 1 } : projection,
  )
  return { wrong: findings('fault', await reading.end()) }
}

/** Waits until a restarted API process serves. */
export async function untilReady(address: string): Promise<void> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await pause(READS_EVERY_MS)) {
    if (
      await fetch(`${address}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    )
      return
  }
  throw new Error(`${address} was never ready`)
}

/** Makes a company whose employees never change, and keeps reading them from every process. */
async function startReading(stage: Stage): Promise<{ end(): Promise<string[]> }> {
  const companies = await stage.makeCompanies(1)
  const [{ companyId, key }] = companies as [(typeof companies)[0]]
  const load = startLoad(
    stage.apis.map(({ address }) => address),
    companies,
    { clients: 1, seed: 1 },
  )
  await pause(STAFF_CALLS_MS)
  await load.end()
  await stage.settled([companyId])
  const headers = { 'x-api-id': key.api_id, 'x-api-key': key.api_key }
  const read = async (address: string) => {
    const response = await fetch(`${address}/v1/employees?limit=200`, {
      headers,
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    })
    return { status: response.status, text: await response.text() }
  }
  const expected = await read(stage.apis[0]!.address)
  const wrong = new Set<string>()
  const over = new AbortController()
  const reading = stage.apis.map(async ({ address }) => {
    while (!over.signal.aborted) {
      // A restarting process can't be reached; one that is not ready says so.
      const answer = await read(address).catch(() => null)
      if (answer?.status === 200 && answer.text !== expected.text)
        wrong.add('a list was not the whole list during the deploy')
      if (answer && answer.status !== 200 && answer.status !== 503)
        wrong.add(`a list was answered with ${answer.status} during the deploy`)
      await pause(READS_EVERY_MS)
    }
  })
  return {
    async end() {
      over.abort()
      await Promise.all(reading)
      return [...wrong]
    },
  }
}
