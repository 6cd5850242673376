import { setTimeout as pause } from 'node:timers/promises'
import { typeidUnboxed as newId } from 'typeid-js'
import { changeWebhook, createWebhook } from '../../src/accounts/webhooks/change-webhook.ts'
import { WEBHOOK_TYPES } from '../../src/domain/webhook-types.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { makeRequests } from '../load/http-work.ts'
import { assertNoFailures, runCalls, sendEvenly } from '../load/run-calls.ts'
import type { Ours, OurTenant } from '../peers/ours-peer.ts'
import { openOurs } from '../peers/ours-peer.ts'
import { readCpuSeconds } from '../processes/machine.ts'
import type { BenchServer } from '../processes/postgres.ts'
import type { ServerProcess } from '../processes/server-process.ts'
import { startServerProcess } from '../processes/server-process.ts'
import { percentile } from '../report/statistics.ts'
import { fillLedger } from './fill-ledger.ts'

/** How many webhooks there are, in how many companies. */
export interface WebhookFleet {
  webhooks: number
  companies: number
}

/** How fast webhooks deliver a ledger from its beginning. */
export interface ReplayResult extends WebhookFleet {
  concurrency: number
  deliveries: number
  /** From the first message to the last. */
  seconds: number
  /** Processor time of the service, without PostgreSQL and the receiver. */
  cpuSeconds: number
}

/** The time from an event to its arrival, while some of the webhooks have a receiver that never answers. */
export interface WebhookLag extends WebhookFleet {
  /** The share of the webhooks whose receiver never answers. */
  silent: number
  callsPerSecond: number
  /** Messages that the others received. */
  deliveries: number
  /** Until each of the others had its first message, in seconds. */
  firstSeconds: number
  p50Ms: number
  p99Ms: number
}

interface BenchStage {
  server: BenchServer
  onProgress(line: string): void
}

interface Opened {
  ours: Ours
  receiver: ServerProcess
  tenants: OurTenant[]
  add(tenant: OurTenant, path: string, concurrency: number): Promise<string>
  change(tenant: OurTenant, webhookId: string, concurrency: number): Promise<void>
  replay(tenant: OurTenant, webhookId: string): Promise<void>
}

const KEY = Buffer.alloc(32, 7)
const DATABASE = 'bench_webhooks'
const MAX_CALL = 1_000
const CALLERS = 16
const LOOKS_EVERY_MS = 20
const WITHIN_MS = 900_000
const DEFAULT_CONCURRENCY = 4

/** Replays a ledger through one webhook, or small ledgers through many, once for each concurrency in each round. */
export async function measureReplay(
  stage: BenchStage,
  fleet: WebhookFleet,
  { deliveries, concurrencies, rounds }: { deliveries: number; concurrencies: number[]; rounds: number },
): Promise<ReplayResult[]> {
  const events = Math.ceil(deliveries / fleet.webhooks)
  return withFleet(stage, fleet, events, async ({ ours, receiver, tenants, add, change, replay }) => {
    const { companies } = fleet
    if (companies === 1) await fillLedger(ours, 1, events, MAX_CALL, { employeeIds: [], logIds: [] }, stage.onProgress)
    await ours.visible!()
    const messageCount = await countTold(stage.server)
    const webhooks: { tenant: OurTenant; id: string }[] = []
    for (let at = 0; at < fleet.webhooks; at += 1) {
      const tenant = tenants[at % companies]!
      webhooks.push({ tenant, id: await add(tenant, `/${at}`, DEFAULT_CONCURRENCY) })
    }
    const expected = messageCount * (fleet.webhooks / companies)
    const results: ReplayResult[] = []
    for (let round = 0; round < rounds; round += 1) {
      for (const concurrency of concurrencies) {
        for (const { tenant, id } of webhooks) await change(tenant, id, concurrency)
        await takeLags(receiver)
        const cpu = await readCpuSeconds(ours.server.pid)
        const replays = webhooks.map((webhook) => () => replay(webhook.tenant, webhook.id))
        assertNoFailures('replaying', await runCalls(replays, CALLERS))
        // Nobody tells the service of a change made here, so it begins with its next sweep.
        const seconds = (await untilCounted(receiver, ({ accepted }) => accepted >= expected)).ms / 1_000
        const cpuSeconds = (await readCpuSeconds(ours.server.pid)) - cpu
        results.push({ ...fleet, concurrency, deliveries: expected, seconds, cpuSeconds })
        stage.onProgress(
          `${fleet.webhooks} webhooks at concurrency ${concurrency}: ${expected} in ${seconds.toFixed(1)} s`,
        )
      }
    }
    return results
  })
}

/** Sends calls at a constant rate, and measures when their messages arrive. */
export async function measureWebhookLag(
  stage: BenchStage,
  fleet: WebhookFleet,
  { silent, callsPerSecond, seconds }: { silent: number; callsPerSecond: number; seconds: number },
): Promise<WebhookLag> {
  return withFleet(stage, fleet, 1, async ({ ours, receiver, tenants, add }) => {
    const { webhooks, companies } = fleet
    const silentOnes = Math.round(webhooks * silent)
    for (let at = 0; at < webhooks; at += 1) {
      // Spread evenly, so that each company has some.
      const isSilent = Math.floor(((at + 1) * silentOnes) / webhooks) > Math.floor((at * silentOnes) / webhooks)
      const tenant = tenants[Math.floor((at * companies) / webhooks)]!
      await add(tenant, isSilent ? `/never/${at}` : `/${at}`, DEFAULT_CONCURRENCY)
    }
    const beganAt = performance.now()
    assertNoFailures('the first calls', await runCalls(callsTo(ours, companies, companies), CALLERS))
    await untilCounted(receiver, (counts) => counts.webhooks >= webhooks - silentOnes)
    const firstSeconds = (performance.now() - beganAt) / 1_000
    // A creation is told in two messages.
    const perCall = (2 * (webhooks - silentOnes)) / companies
    await untilCounted(receiver, ({ accepted }) => accepted >= companies * perCall)
    await takeLags(receiver)
    const calls = callsTo(ours, companies, Math.ceil((callsPerSecond * seconds) / companies) * companies)
    assertNoFailures('the load', await sendEvenly(calls, callsPerSecond))
    await untilCounted(receiver, ({ accepted }) => accepted >= calls.length * perCall)
    const lags = await takeLags(receiver)
    const result = { firstSeconds, p50Ms: percentile(lags, 0.5), p99Ms: percentile(lags, 0.99) }
    stage.onProgress(`${webhooks} webhooks, ${silentOnes} silent: p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms`)
    return { ...fleet, silent, callsPerSecond, deliveries: lags.length, ...result }
  })
}

/** Starts the service with these companies, whose ledgers have at least so many events, and the receiver. */
async function withFleet<Result>(
  { server }: BenchStage,
  { companies }: WebhookFleet,
  events: number,
  task: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const urls = await server.createDatabase(DATABASE)
  const receiver = await startServerProcess(['bench/load/webhook-receiver.ts'])
  const settings = { SECRETS_KEY: KEY.toString('base64'), OUTGOING_PRIVATE: '1' }
  const sizes = { companies: [companies], records: Math.min(Math.max(1, events - 1), MAX_CALL) }
  const ours = await openOurs(urls, sizes, { settings })
  const pool = openPool({ url: urls.serviceUrl, name: 'bench webhooks', max: CALLERS })
  const services = { pool, newId, secrets: createSecretBox([KEY]) }
  const acting = ({ companyId }: OurTenant) => ({ companyId, actor: OPERATOR })
  try {
    return await task({
      ours,
      receiver,
      tenants: ours.tenants.get(companies)!,
      async add(tenant, path, concurrency) {
        const settings = { url: receiver.address + path, description: '', types: [...WEBHOOK_TYPES], concurrency }
        const { webhook } = await createWebhook(services, acting(tenant), { ...settings, include_data: false })
        return webhook.id
      },
      async change(tenant, webhookId, concurrency) {
        await changeWebhook(services, acting(tenant), webhookId, { change: 'edit', settings: { concurrency } })
      },
      async replay(tenant, webhookId) {
        await changeWebhook(services, acting(tenant), webhookId, { change: 'resume', position: 0 })
      },
    })
  } finally {
    await pool.end()
    await ours.stop()
    await receiver.stop()
    await server.dropDatabase(DATABASE)
  }
}

function callsTo(ours: Ours, companies: number, count: number) {
  return makeRequests('single-create', ours.tenants.get(companies)!, count, 1).map(
    (made) => async () => void (await ours.send(made)),
  )
}

/** The number of events that a webhook with all types tells, in all companies. */
async function countTold(server: BenchServer): Promise<number> {
  const [row] = await server.run<{ told: number }>(
    `select count(*)::integer as told from events
     where type like 'Employee%' and type <> 'EmployeeRecordRejected' or type like 'Api%'`,
    DATABASE,
  )
  return row!.told
}

interface Counts {
  accepted: number
  webhooks: number
  /** Milliseconds from the first message to the last. */
  ms: number
}

async function untilCounted({ address }: ServerProcess, isEnough: (counts: Counts) => boolean): Promise<Counts> {
  for (const deadline = performance.now() + WITHIN_MS; ; await pause(LOOKS_EVERY_MS)) {
    const counts = (await (await fetch(`${address}/counts`)).json()) as Counts
    if (isEnough(counts)) return counts
    if (performance.now() > deadline) throw new Error(`messages are missing: ${JSON.stringify(counts)}`)
  }
}

async function takeLags({ address }: ServerProcess): Promise<number[]> {
  return (await (await fetch(`${address}/lags`)).json()) as number[]
}
