import { promises as fs } from 'node:fs'
import path from 'node:path'
import type { OpenedPool } from '../bootstrap.ts'
import { newId } from '../bootstrap.ts'
import { addUser } from '../commands/add-user.ts'
import { issueApiKey } from '../commands/issue-api-key.ts'
import { registerCompany } from '../commands/register-company.ts'
import type { Config } from '../config.ts'
import type { Role } from '../domain/company.ts'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD, ROLES } from '../domain/company.ts'
import { toUuid } from '../domain/ids.ts'

type DemoUser = { email: string; password: string; token: string }

/** What `demo-credentials.json` holds. */
export interface DemoCredentials extends Record<Role, DemoUser> {
  base_url: string
  api_id: string
  api_key: string
  company_id: string
}

const FILE = 'demo-credentials.json'
const NAMES: Record<Role, string> = { admin: 'Ada Admin', auditor: 'Otto Auditor', member: 'Mia Member' }

export function demoFile(config: Config): string {
  return path.resolve(config.DATA_DIR, FILE)
}

/** Finds the demo company of this database, or makes it; keeps its credentials and where the API listens in the file. */
export async function ensureDemo(config: Config, store: OpenedPool, baseUrl: string): Promise<DemoCredentials & { file: string }> {
  const file = demoFile(config)
  const found = await readDemo(config, store)
  const credentials: DemoCredentials = found ? { ...found, base_url: baseUrl } : await makeDemo(store, baseUrl)
  if (found?.base_url !== baseUrl) await writeSecretly(file, `${JSON.stringify(credentials, null, 2)}\n`)
  return { ...credentials, file }
}

/** The demo's credentials; null when there are none, or when they are those of another database. */
export async function readDemo(config: Config, { db }: OpenedPool): Promise<DemoCredentials | null> {
  let text: string
  try {
    text = await fs.readFile(demoFile(config), 'utf8')
  } catch {
    return null
  }
  const credentials = JSON.parse(text) as DemoCredentials
  const company = await db
    .selectFrom('companies')
    .select('company_id')
    .where('company_id', '=', toUuid(credentials.company_id))
    .executeTakeFirst()
  return company ? credentials : null
}

async function makeDemo({ pool }: OpenedPool, baseUrl: string): Promise<DemoCredentials> {
  const services = { pool, newId }
  const companyId = await registerCompany(services, 'Demo Company')
  const users: Partial<Record<Role, DemoUser>> = {}
  for (const role of ROLES) {
    const user = { companyId, email: `${role}@demo.example`, name: NAMES[role], role }
    const { email, password, token } = await addUser(services, user)
    users[role] = { email, password, token }
  }
  const limits = { quotaLimit: DEFAULT_QUOTA_LIMIT, refreshPeriod: DEFAULT_REFRESH_PERIOD }
  const { api_id, api_key } = await issueApiKey(services, { companyId, name: 'Demo key', ...limits })
  return { base_url: baseUrl, api_id, api_key, company_id: companyId, ...(users as Record<Role, DemoUser>) }
}

/** Written beside and renamed, so that nobody reads half a file, and readable by its owner alone from the start. */
async function writeSecretly(file: string, text: string): Promise<void> {
  await fs.mkdir(path.dirname(file), { recursive: true })
  const beside = `${file}.${process.pid}`
  await fs.writeFile(beside, text, { mode: 0o600 })
  await fs.rename(beside, file)
}

/** Tells how to make the first call. */
export function printDemo({ file, base_url, api_id, api_key, admin, auditor, member }: DemoCredentials & { file: string }): void {
  const body = '{"first_name":"Ana","last_name":"Perez","email":"ana.perez@example.com"}'
  const user = (role: string, { email, password }: DemoUser) => `  ${role.padEnd(8)} ${email}   ${password}`
  const lines = [
    '',
    'Demo company. Create an employee:',
    `  curl -sS ${base_url}/v1/employees -H 'x-api-id: ${api_id}' -H 'x-api-key: ${api_key}' \\`,
    `    -H 'content-type: application/json' -d '${body}'`,
    'and see the call in Bulk User Logs:',
    `  curl -sS ${base_url}/admin/v1/bulk-user-logs -H 'authorization: Bearer ${admin.token}'`,
    'Users, with their passwords:',
    user('admin', admin),
    user('auditor', auditor),
    user('member', member),
    `All of this is kept in ${file}`,
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
