import { setTimeout as pause } from 'node:timers/promises'
import { issueApiKey } from '../../src/accounts/api-keys/issue-api-key.ts'
import { checkCompany } from '../../src/accounts/attention/check-company.ts'
import { untilReady } from './deploy.ts'
import type { Happened, LoadUnder } from './fault.ts'
import type { Commanded } from './program.ts'
import { readProgram, runProgram } from './program.ts'
import type { Stage } from './stage.ts'
import type { LoadedCompany } from './workload.ts'

/** A checkout of the previous release, with its packages installed. Without it, the upgrade can't be tried. */
export const PREVIOUS_RELEASE = process.env['PREVIOUS_RELEASE']

/** Long enough for a worker to park a company. */
const BOTH_VERSIONS_MS = 20_000
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
 * versions run, this version appends events of types that the previous one doesn't know: its API process has to serve
 * all the same, and its worker may park the company until a worker of this version starts.
 */
export async function upgrade(stage: Stage, _: unknown, load: LoadUnder): Promise<Happened> {
  const [worker, ...workers] = stage.workers
  const [api, ...apis] = stage.apis
  if ((await runProgram(stage, ['migrate'])) !== 0) throw new Error('this version could not be migrated to')
  const replaced = [worker!, api!, ...apis, ...workers]
  for (const part of replaced) {
    await part.restart('SIGTERM')
    await part.ready()
    if (stage.apis.includes(part)) await untilReady(part.address)
    if (part !== api) continue
    for (const companyId of load.companyIds) await raiseAttention(stage, companyId)
    await pause(BOTH_VERSIONS_MS)
  }
  return { times: replaced.length }
}

async function raiseAttention(stage: Stage, companyId: string): Promise<void> {
  await stage.withServices(async (services) => {
    const expiresAt = new Date(Date.now() + SOON_MS).toISOString()
    await issueApiKey(services, { companyId, name: 'expiring', quotaLimit: 10, refreshPeriod: 'monthly', expiresAt })
    if (!(await checkCompany(services, companyId))) throw new Error('nothing was raised')
  })
}
