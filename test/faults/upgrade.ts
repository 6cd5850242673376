import { setTimeout as pause } from 'node:timers/promises'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { checkCompany } from '../../src/accounts/attention/check-attention.ts'
import { readAttention, readClockOf } from '../../src/accounts/attention/read-attention.ts'
import { snooze } from '../../src/accounts/attention/snooze.ts'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { startAdministrator, type Administrator } from './administrator.ts'
import { untilReady } from './deploy.ts'
import type { Happened, LoadUnder } from './fault.ts'
import { administratorFaults } from './oracle/administrator-faults.ts'
import { findings, type Finding } from './oracle/finding.ts'
import type { Commanded, Supervised } from './program.ts'
import { readProgram, runProgram } from './program.ts'
import type { Stage } from './stage.ts'
import type { LoadedCompany } from './workload.ts'

/** A checkout of the previous release, with its packages installed. Without it, the upgrade can't be tried. */
export const PREVIOUS_RELEASE = process.env['PREVIOUS_RELEASE']

/** Long enough for a worker to park a company. */
const BOTH_VERSIONS_MS = 20_000
const SEED = 1
/** Two, because an empty text would be unique. */
const PEOPLE = ['one', 'other']
const SOON_MS = 86_400_000
const QUOTA = '2000000000'

/** Makes companies with the previous release, in a database of its own. */
export async function makeCompaniesOf(stage: Commanded, count: number): Promise<LoadedCompany[]> {
  const run = async (...args: string[]) => {
    const output = await readProgram(stage, [...args, '--json'], { folder: PREVIOUS_RELEASE! })
    return JSON.parse(output) as Record<string, string>
  }
  const companies: LoadedCompany[] = []
  for (let at = 0; at < count; at += 1) {
    const { company_id: companyId = '' } = await run(
      'company',
      'create',
      '--name',
      `Company ${at}`,
      '--admin-email',
      `${at}@example.com`,
    )
    const key = await run(
      'key',
      'issue',
      '--company',
      companyId,
      '--name',
      'load',
      '--quota-limit',
      QUOTA,
      '--refresh-period',
      'monthly',
    )
    companies.push({ companyId, key: { api_id: key['api_id']!, api_key: key['api_key']! } })
  }
  return companies
}

/**
 * A rolling upgrade from the previous release: migrate, a worker, the API processes, the other worker. While both
 * versions run, this version appends what the previous one doesn't know: events of new types, files, and people without
 * an email address, whom the previous one changes. Its API process has to serve all the same, and its worker may park a
 * company until a worker of this version starts.
 */
export async function upgrade(stage: Stage, _: unknown, load: LoadUnder): Promise<Happened> {
  const [worker, ...workers] = stage.workers
  const [api, ...apis] = stage.apis
  const [staffed] = await stage.makeCompanies(1)
  if ((await runProgram(stage, ['migrate'])) !== 0) throw new Error('this version could not be migrated to')
  const replaced = [worker!, api!, ...apis, ...workers]
  const wrong: Finding[] = []
  let administrator: Administrator | null = null
  for (const part of replaced) {
    await part.restart('SIGTERM')
    await part.ready()
    if (stage.apis.includes(part)) await untilReady(part.address)
    if (part !== api) continue
    administrator = await startAdministrator({ ...stage, apis: [api] }, staffed!, { seed: SEED })
    for (const companyId of load.companyIds) await raiseAttention(stage, companyId)
    for (const company of load.companies) wrong.push(...(await changeNamedById(company, api, apis)))
    await pause(BOTH_VERSIONS_MS)
  }
  load.useAll()
  wrong.push(...(await administrator!.end()))
  const companyIds = [staffed!.companyId]
  await stage.settled(companyIds)
  wrong.push(...(await stage.withDatabase((db) => administratorFaults(db, administrator!.administered, []))))
  return { times: replaced.length, companyIds, wrong }
}

/**
 * Creates people without an email address in this version, and changes them in processes of the previous one. 1.0.0
 * takes such an address for an empty one, and may not store it: it fails to change an external id or a manager, and
 * nothing else.
 */
async function changeNamedById(
  { companyId, key }: LoadedCompany,
  api: Supervised,
  previous: readonly Supervised[],
): Promise<Finding[]> {
  const headers = { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' }
  const wrong: string[] = []
  const call = async (part: Supervised, method: string, path: string, body: object, expected: number) => {
    const answer = await fetch(part.address + path, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (answer.status !== expected)
      wrong.push(`${method} ${path} in ${companyId} is answered with ${answer.status}, not ${expected}: ${text}`)
    return JSON.parse(text) as { employees?: { id: string }[] }
  }
  const people = PEOPLE.map((id) => ({ external_id: `${id} of ${companyId}`, last_name: id }))
  const { employees = [] } = await call(api, 'POST', '/v1/employees', people, 201)
  for (const { id } of employees) {
    for (const old of previous) {
      await call(old, 'PATCH', `/v1/employees/${id}`, { job_title: 'Known to both' }, 200)
      await call(old, 'PATCH', `/v1/employees/${id}`, { external_id: `moved ${id}` }, 500)
      const manager = employees.find((one) => one.id !== id)
      await call(old, 'PATCH', `/v1/employees/${id}`, { manager_id: manager!.id }, 500)
    }
    await call(api, 'PATCH', `/v1/employees/${id}`, { external_id: `moved ${id}` }, 200)
  }
  return findings('fault', wrong)
}

/** Raises a problem, which an administrator puts off. */
async function raiseAttention(stage: Stage, companyId: string): Promise<void> {
  await stage.withServices(async (services) => {
    const expiresAt = new Date(Date.now() + SOON_MS).toISOString()
    await issueApiKey(services, { companyId, name: 'expiring', quotaLimit: 10, refreshPeriod: 'monthly', expiresAt })
    if (!(await checkCompany(services, companyId))) throw new Error('nothing was raised')
    const admin = { companyId, email: `snoozes@${companyId}.example.com`, name: 'Admin', role: 'admin' } as const
    const { user_id: actor } = await addUser(services, admin)
    const clock = await readClockOf(services.db, companyId)
    const [item] = (await readAttention(services.db, companyId, clock)).items
    const until = expiresAt.slice(0, 'YYYY-MM-DD'.length)
    await snooze(services, { companyId, actor }, item!, { until, reason: 'On leave', timeZone: clock.timeZone })
  })
}
