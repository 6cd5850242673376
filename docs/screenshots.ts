import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { promises as fs } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/support/browser/chromium.ts'

/*
 * Takes the screenshots of the documentation: `npm run screenshots`. Starts a server on a temporary data folder, seeds
 * the demo, and signs in as its administrator in Chromium.
 */

const IMAGES = new URL('./images/', import.meta.url)
const MAIN = new URL('../src/main.ts', import.meta.url).pathname
const WIDTH = 1200
/** In pixels. */
const [HEIGHT, TALL] = [800, 1150]

interface Demo {
  base_url: string
  admin: { email: string; password: string; token: string }
}

interface Picture {
  name: string
  path: string
  height?: number
}

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'ledger-screenshots-'))
// The OS user of the database must be able to enter the folder.
await fs.chmod(folder, 0o755)
const environment = {
  ...process.env,
  DATABASE_URL: '',
  DATA_DIR: path.join(folder, 'data'),
  PORT: '0',
  LOG_LEVEL: 'warn',
}
const server = spawn(process.execPath, [MAIN, 'start'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const demo = await demoOf()
  const seeding = spawn(process.execPath, [MAIN, 'demo', 'seed'], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [exitCode] = await once(seeding, 'close')
  if (exitCode !== 0) throw new Error('`demo seed` failed')
  await takeAll(demo)
} finally {
  if (server.exitCode === null) {
    server.kill('SIGTERM')
    await once(server, 'close')
  }
  await fs.rm(folder, { recursive: true, force: true })
}

/** Reads the demo's credentials when the server is ready. */
async function demoOf(): Promise<Demo> {
  const file = path.join(folder, 'data', 'demo-credentials.json')
  for await (const line of createInterface(server.stdout)) {
    // The last line of the banner.
    if (line.includes(file)) return JSON.parse(await fs.readFile(file, 'utf8')) as Demo
  }
  throw new Error('the server exited before it was ready')
}

async function takeAll(demo: Demo): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ baseURL: demo.base_url, viewport: { width: WIDTH, height: HEIGHT } })
    await signIn(page, demo)
    await fs.mkdir(IMAGES, { recursive: true })
    for (const picture of await picturesOf(demo)) await take(page, picture)
  } finally {
    await browser.close()
  }
}

async function signIn(page: Page, { admin }: Demo): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
}

async function picturesOf(demo: Demo): Promise<Picture[]> {
  const logs = '/settings/bulk-user-logs'
  const changed = await findEntry(demo, 'Completed', ({ updated, deactivated }) => updated > 1 && deactivated > 0)
  const failed = await findEntry(demo, 'Failed', ({ failed: count }) => count > 1 && count < 50)
  return [
    { name: 'bulk-user-logs', path: logs },
    { name: 'entry-with-changes', path: `${logs}/${changed}`, height: TALL },
    { name: 'failed-entry', path: `${logs}/${failed}`, height: TALL },
    { name: 'api-keys', path: '/settings/api-keys' },
    { name: 'usage', path: '/settings/usage?days=7' },
    { name: 'employee-over-time', path: `/settings/employees/${await employeeOf(demo, changed)}`, height: TALL },
  ]
}

type Counts = Record<'total' | 'updated' | 'deactivated' | 'failed' | 'no_updates', number>

/** The id of the first employee that an entry changed. */
async function employeeOf(demo: Demo, entry: string): Promise<string> {
  const [record] = await itemsOf<{ employee_id: string }>(demo, `bulk-user-logs/${entry}/records?status=Synced`)
  if (!record) throw new Error('the entry changed no employee')
  return record.employee_id
}

/** The id of the newest bulk update with this status and matching counts. */
async function findEntry(demo: Demo, status: string, isWanted: (counts: Counts) => boolean): Promise<string> {
  const items = await itemsOf<{ id: string; counts: Counts }>(
    demo,
    `bulk-user-logs?operation=update_many&status=${status}&limit=200`,
  )
  const found = items.find(({ counts }) => isWanted(counts))
  if (!found) throw new Error(`the demo has no such ${status} bulk update`)
  return found.id
}

/** The items of a list of the admin API. */
async function itemsOf<Item>({ base_url, admin }: Demo, address: string): Promise<Item[]> {
  const answer = await fetch(`${base_url}/admin/v1/${address}`, { headers: { authorization: `Bearer ${admin.token}` } })
  const { items } = (await answer.json()) as { items: Item[] }
  return items
}

async function take(page: Page, { name, path: address, height = HEIGHT }: Picture): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height })
  const answer = await page.goto(address)
  if (!answer?.ok()) {
    process.stderr.write(`${name}: ${address} answered ${answer?.status()}; no screenshot was taken\n`)
    process.exitCode = 1
    return
  }
  await page.screenshot({ path: new URL(`${name}.png`, IMAGES).pathname })
  process.stdout.write(`docs/images/${name}.png\n`)
}
