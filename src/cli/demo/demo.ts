import path from 'node:path'
import { promises as fs } from 'node:fs'
import type { OpenedPool } from '#bootstrap/store'
import { writeDurably } from '#files/durable-file'
import { newId } from '#ledger/new-id'
import { addUser } from '#accounts/users/change-user'
import { issueApiKey } from '#accounts/api-keys/api-keys'
import { registerCompany } from '#accounts/companies/companies'
import type { Config } from '#config'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD } from '#domain/accounts/api-key'
import { ROLES, type Role } from '#domain/accounts/roles'
import { isErrno } from '#files/errno'
import { errorReason, StartupError } from '#postgres/startup-error'
import { makeFolder } from '#postgres/embedded/data-folder'
import { isId, toUuid } from '#domain/ids'

type DemoUser = { email: string; password: string; token: string }

/** The content of `demo-credentials.json`. */
export interface DemoCredentials extends Record<Role, DemoUser> {
  base_url: string
  api_id: string
  api_key: string
  company_id: string
}

const FILE = 'demo-credentials.json'
const NAMES: Record<Role, string> = { admin: 'Ada Admin', auditor: 'Otto Auditor', member: 'Mia Member' }

/** The credentials of the demo company and their file. */
interface Demo {
  credentials: DemoCredentials
  file: string
  isNew: boolean
}

/** Finds or creates the demo company of this database; writes its credentials and `baseUrl` to the file. */
export async function ensureDemo(config: Config, store: OpenedPool, baseUrl: string): Promise<Demo> {
  const file = demoFile(config)
  const demo = await findDemo(config, store)
  await assertWritable(file)
  const credentials = demo ? { ...demo, base_url: baseUrl } : await makeDemo(store, baseUrl)
  if (demo?.base_url !== baseUrl) await writeDurably(file, `${JSON.stringify(credentials, null, 2)}\n`)
  return { credentials, file, isNew: demo === null }
}

/** Reads the demo's credentials; null when there are none, or when they belong to another database. */
export async function findDemo(config: Config, { db }: OpenedPool) {
  const credentials = await readCredentials(config)
  if (!credentials) return null
  const company = await db
    .selectFrom('companies')
    .select('company_id')
    .where('company_id', '=', toUuid(credentials.company_id))
    .executeTakeFirst()
  return company ? credentials : null
}

/** Reads the file of the demo's credentials; null when it does not exist. Throws a StartupError when it is unreadable. */
export async function readCredentials(config: Config): Promise<DemoCredentials | null> {
  const file = demoFile(config)
  try {
    const credentials = JSON.parse(await fs.readFile(file, 'utf8')) as DemoCredentials
    if (isId('com', credentials.company_id)) return credentials
    throw new Error('it has no company id')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw new StartupError(
      `${file} cannot be read (${errorReason(error)}); delete it to create a new demo company with the next start`,
    )
  }
}

function demoFile(config: Config) {
  return path.resolve(config.DATA_DIR, FILE)
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

/** Fails before the demo company is created, because its secrets could not be saved later. */
async function assertWritable(file: string) {
  const folder = path.dirname(file)
  try {
    await makeFolder(folder)
    await fs.access(folder, fs.constants.W_OK | fs.constants.X_OK)
  } catch (error) {
    throw new StartupError(`the demo's credentials cannot be saved in ${folder}: ${errorReason(error)}`, {
      cause: error,
    })
  }
}

/** Prints how to make the first call. Later starts print only the file with the credentials. */
export function printDemo({ file, isNew, credentials }: Demo) {
  const again = [`the credentials of the demo company are in ${file}`]
  const lines = isNew ? ['', ...firstSteps(credentials), `The credentials are saved in ${file}`, ''] : again
  process.stdout.write(`${lines.join('\n')}\n`)
}

function firstSteps({ base_url, api_id, api_key, admin, auditor, member }: Demo['credentials']) {
  const body = '{"first_name":"Ana","last_name":"Perez","email":"ana.perez@example.com"}'
  return [
    'Demo company. Create an employee:',
    `  curl -sS ${base_url}/v1/employees -H 'x-api-id: ${api_id}' -H 'x-api-key: ${api_key}' \\`,
    `    -H 'content-type: application/json' -d '${body}'`,
    'Then see the call in Bulk User Logs:',
    `  curl -sS ${base_url}/admin/v1/bulk-user-logs -H 'authorization: Bearer ${admin.token}'`,
    'Users and passwords:',
    ...[admin, auditor, member].map(({ email, password }) => `  ${email.padEnd(20)}  ${password}`),
  ]
}
