import { sql } from 'kysely'
import { PROJECTIONS } from '#projections/index'
import type { OpenedPool } from '#bootstrap/store'
import { startApi } from '#bootstrap/api'
import { StartupError } from '#postgres/startup-error'
import { toUuid } from '#domain/ids'
import { openLog } from '#bootstrap/log'
import { catchUp } from '#workers/project'
import { type DemoCredentials, findDemo, readCredentials } from './demo.ts'
import { type DemoCall, type DemoCompany, type DemoEmployee, DEMO_MAX_RECORDS, planCalls } from './demo-calls.ts'
import { EXTERNAL_ID_PREFIX } from './demo-employees.ts'
import { interruption } from '#cli/terminal/interruption'
import { showProgress } from '#cli/terminal/progress'
import { seededRandom } from './seeded-random.ts'
import { readSettings } from '#cli/terminal/settings'
import { type Opened, withStore } from '#cli/terminal/with-store'

const NO_DEMO = 'there is no demo company; run `npm start` first (`npm start -- --demo` if you set DATABASE_URL)'
// The command starts its own API process, so that no setting of a running one makes its calls fail.
const OWN_ADDRESS = { HOST: '127.0.0.1', PORT: 0 }
const OWN_LIMITS = { BURST_LIMIT: 0, MAX_RECORDS: DEMO_MAX_RECORDS, BODY_LIMIT: 8 * 1024 * 1024 }

/** `demo seed`: fills the demo company with employees and calls of every kind through the API, and projects them. */
export async function seedDemo() {
  const config = readSettings()
  if ((await readCredentials(config)) === null) throw new StartupError(NO_DEMO)
  await withStore(async (opened) => {
    const demo = await findDemo(config, opened.store)
    if (!demo) throw new StartupError(NO_DEMO)
    const company = await readDemoCompany(opened.store, demo)
    const outcomes = await callThroughApi(opened, demo, company)
    // No worker may be running; a running one is not disturbed.
    for (const projection of PROJECTIONS) await catchUp(opened.store.db, projection, demo.company_id)
    process.stdout.write(`${summarize(company, outcomes)}\n`)
  }, config)
}

/** Starts without known employees. Numbers continue after those of earlier runs. */
async function readDemoCompany({ db }: OpenedPool, { company_id }: DemoCredentials): Promise<DemoCompany> {
  const form = `^${EXTERNAL_ID_PREFIX}([0-9]{1,9})$`
  const { rows } = await sql<{ last: number | null }>`
    select max(substring(external_id from ${form})::integer) as last
    from employee_directory where company_id = ${toUuid(company_id)}`.execute(db)
  const nextNumber = (rows[0]?.last ?? 0) + 1
  return { random: seededRandom(nextNumber), nextNumber, people: [] }
}

/** Makes the calls one after the other. Returns the number of calls by outcome. */
async function callThroughApi({ config, database, store }: Opened, demo: DemoCredentials, company: DemoCompany) {
  const api = await startApi({
    config: { ...config, ...OWN_ADDRESS, ...OWN_LIMITS },
    urls: database.urls,
    store,
    log: openLog('warn'),
  })
  const outcomes = new Map<string, number>()
  const factories = planCalls(company.random)
  const progress = showProgress('demo calls')
  progress.begin(factories.length)
  try {
    for (const factory of factories) {
      interruption.throwIfAborted()
      const call = factory(company)
      for (const person of await send(api.address, demo, call)) company.people.push(person)
      outcomes.set(call.outcome, (outcomes.get(call.outcome) ?? 0) + 1)
      progress.advance()
    }
    return outcomes
  } finally {
    progress.finish()
    await api.stop()
  }
}

interface DemoAnswer {
  code?: string
  detail?: string
  result?: string
  employees?: DemoEmployee[]
}

/** Returns the employees that the call has created. Throws a StartupError if the answer isn't the expected one. */
async function send(baseUrl: string, { api_id, api_key }: DemoCredentials, call: DemoCall) {
  const response = await fetch(baseUrl + call.path, {
    method: call.method,
    headers: { 'x-api-id': api_id, 'x-api-key': api_key, 'content-type': 'application/json', ...call.headers },
    body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body),
  })
  const answer = (await response.json()) as DemoAnswer
  const outcome = answer.code ?? answer.result ?? (response.status === 201 ? 'created' : 'bulk_updated')
  if (outcome === call.outcome) return answer.employees ?? []
  const got = [response.status, outcome, answer.detail].filter(Boolean).join(' ')
  throw new StartupError(`a demo call (${call.method} ${call.path}) returned ${got} instead of ${call.outcome}`)
}

function summarize({ people }: DemoCompany, outcomes: Map<string, number>) {
  const calls = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
  const counts = [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([outcome, count]) => `${count} ${outcome}`)
  return `${people.length} employees created in ${calls} calls: ${counts.join(', ')}`
}
