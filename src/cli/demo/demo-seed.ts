import { sql } from 'kysely'
import { PROJECTIONS } from '../../../projections/index.ts'
import type { OpenedPool } from '../../bootstrap/store.ts'
import { startApi } from '../../bootstrap/api.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { toUuid } from '../../domain/ids.ts'
import { readHead } from '../../ledger/read/read-head.ts'
import { openLog } from '../../bootstrap/log.ts'
import { catchUp, UnfoldableError } from '../../workers/project.ts'
import { type DemoCredentials, findDemo, readCredentials } from './demo.ts'
import { planCalls } from './demo-calls.ts'
import type { CallFactory, DemoAnswer, DemoCall, DemoCompany } from './demo-company.ts'
import { EXTERNAL_ID_PREFIX } from './demo-employees.ts'
import { DEMO_MAX_RECORDS } from './demo-failures.ts'
import { interruption } from '../terminal/interruption.ts'
import { showProgress } from '../terminal/progress.ts'
import { seededRandom } from './seeded-random.ts'
import { readSettings } from '../terminal/settings.ts'
import { type Opened, withStore } from '../terminal/with-store.ts'

const NO_DEMO = 'there is no demo company; run `npm start` first (`npm start -- --demo` if you set DATABASE_URL)'
// The command starts its own API process, so that no setting of a running one makes its calls fail.
const OWN_ADDRESS = { HOST: '127.0.0.1', PORT: 0 }
const OWN_LIMITS = { BURST_LIMIT: 0, MAX_RECORDS: DEMO_MAX_RECORDS, BODY_LIMIT: 8 * 1024 * 1024 }

/** `demo seed`: fills the demo company with employees and calls of every kind through the API, and projects them. */
export async function seedDemo() {
  const config = readSettings()
  if ((await readCredentials(config)) === null) throw new StartupError(NO_DEMO)
  const { told: answer, behind } = await withStore(async (opened) => {
    const demo = await findDemo(config, opened.store)
    if (!demo) throw new StartupError(NO_DEMO)
    const company = await readDemoCompany(opened.store, demo)
    const outcomes = await callThroughApi(opened, demo, company)
    return { told: summarize(company, outcomes), behind: await projectAll(opened.store, demo) }
  }, config)
  process.stdout.write(`${answer}\n`)
  if (behind.length > 0)
    throw new StartupError(
      `${behind.join(' and ')} could not be brought up to date; see the log of a worker for the reason`,
    )
}

/** Starts without known employees. Numbers continue after those of earlier runs. */
async function readDemoCompany({ db }: OpenedPool, { company_id }: DemoCredentials): Promise<DemoCompany> {
  const form = `^${EXTERNAL_ID_PREFIX}([0-9]{1,9})$`
  const { rows } = await sql<{ last: number | null }>`
    select max(substring(external_id from ${form})::integer) as last
    from employee_directory where company_id = ${toUuid(company_id)}`.execute(db)
  const nextNumber = (rows[0]?.last ?? 0) + 1
  return { random: seededRandom(nextNumber), nextNumber, people: [], idempotencyKeys: [] }
}

/** Makes the calls one after the other. Returns the number of calls by outcome. */
async function callThroughApi({ config, database, store }: Opened, demo: DemoCredentials, company: DemoCompany) {
  const api = await startApi({
    config: { ...config, ...OWN_ADDRESS, ...OWN_LIMITS },
    urls: database.urls,
    store,
    log: openLog('warn'),
  })
  try {
    const factories = planCalls(company.random)
    await assertQuota(api.address, demo, factories.length)
    return await makeCalls(factories, company, (call) => send(api.address, demo, call))
  } finally {
    await api.stop()
  }
}

async function makeCalls(
  factories: CallFactory[],
  company: DemoCompany,
  make: (call: DemoCall) => Promise<DemoAnswer>,
) {
  const outcomes = new Map<string, number>()
  const progress = showProgress('demo calls')
  progress.begin(factories.length)
  try {
    for (const factory of factories) {
      interruption.throwIfAborted()
      const call = factory(company)
      const answer = await make(call)
      call.onAnswer?.(answer)
      outcomes.set(call.outcome, (outcomes.get(call.outcome) ?? 0) + 1)
      progress.advance()
    }
  } finally {
    progress.finish()
  }
  return outcomes
}

function keyHeaders({ api_id, api_key }: DemoCredentials): Record<string, string> {
  return { 'x-api-id': api_id, 'x-api-key': api_key }
}

async function send(baseUrl: string, demo: DemoCredentials, call: DemoCall): Promise<DemoAnswer> {
  const response = await fetch(baseUrl + call.path, {
    method: call.method,
    headers: { ...keyHeaders(demo), 'content-type': 'application/json', ...call.headers },
    body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body),
  })
  const answer = (await response.json()) as DemoAnswer
  const success = response.status === 201 ? 'created' : (answer.result ?? 'bulk_updated')
  const outcome = response.ok ? success : answer.code
  if (outcome === call.outcome) return answer
  const got = `${response.status} ${outcome} ${answer.detail ?? ''}`.trim()
  throw new StartupError(`a demo call (${call.method} ${call.path}) returned ${got} instead of ${call.outcome}`)
}

async function assertQuota(baseUrl: string, demo: DemoCredentials, calls: number): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/auth/verify`, { headers: keyHeaders(demo) })
  if (!response.ok) throw new StartupError(`the API refuses the demo's API key (${response.status})`)
  const key = (await response.json()) as { quota_limit: number; requests_made: number; refresh_period: string }
  const left = key.quota_limit - key.requests_made
  if (left >= calls) return
  const missing = `has ${Math.max(0, left)} calls left; the demo needs ${calls}`
  throw new StartupError(`the ${key.refresh_period} quota of the demo's API key ${missing}`)
}

/**
 * Projects here because no worker may be running; a running one is not disturbed. Returns the projections that did not
 * catch up.
 */
async function projectAll({ db }: OpenedPool, { company_id: companyId }: DemoCredentials): Promise<string[]> {
  const head = await readHead(db, companyId)
  const behind: string[] = []
  for (const projection of PROJECTIONS) {
    const reached = await catchUp(db, projection, companyId).catch((error: unknown) => {
      if (error instanceof UnfoldableError) return 0
      throw error
    })
    if (reached < head.position) behind.push(projection.name)
  }
  return behind
}

function summarize({ people }: DemoCompany, outcomes: Map<string, number>): string {
  const calls = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
  const counts = [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([outcome, count]) => `${count} ${outcome}`)
  return `${people.length} employees created in ${calls} calls: ${counts.join(', ')}`
}
