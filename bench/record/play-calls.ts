import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeCompany } from '../against/version.ts'
import { expectStatus, openHttpClient, type HttpClient } from '../load/http-client.ts'
import { settingsOf, waitUntilVisible, type OurTenant } from '../peers/ours-peer.ts'
import type { BenchServer } from '../processes/postgres.ts'
import { startServerProcess, type ServerProcess } from '../processes/server-process.ts'
import { REFERENCE, toBytes, type DrawnCall } from './draw-calls.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../..')
/** Nobody has it. */
const NOBODY = `emp_${'0'.repeat(26)}`
const PAGE = 200
const EXPORT_BYTES = 2 ** 30

/** What a version said and stored of a company's calls. */
export interface Played {
  companyId: string
  answers: PlayedAnswer[]
  /** The export of the ledger, by lines. */
  events: string[]
  /** What this program's verifier says of the export and its checkpoint. */
  verified: string
  /** Bulk User Logs, by id, each with its records. */
  entries: Map<string, { entry: string; records: string }>
  /** The list of employees. */
  employees: string
}

export interface PlayedAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  logId: string | null
}

/** A version that runs on a server of its own. */
export interface Player {
  /** The OpenAPI document. */
  document: string
  /** Makes a company, plays its calls one after the other, and reads what became of them. */
  play(calls: readonly DrawnCall[]): Promise<Played>
  close(): Promise<void>
}

export interface PlayerOptions {
  /** Of a copy of the program. */
  folder: string
  /** For its files. */
  dataDir: string
  settings: Record<string, string>
}

/** Starts a version on a server without a database of its own. */
export async function openPlayer(server: BenchServer, { folder, dataDir, settings }: PlayerOptions): Promise<Player> {
  const urls = await server.createDatabase('record')
  const { privateKey } = generateKeyPairSync('ed25519')
  const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const env = { ...settingsOf(urls), DATA_DIR: dataDir, SIGNING_KEY, ...settings }
  const process = await startServerProcess(['src/main.ts', 'start'], env, folder)
  const client = openHttpClient(process.address)
  const { text: document } = await expectStatus(client, { method: 'GET', path: '/openapi.json', headers: {} }, 200)
  return {
    document,
    async play(calls) {
      const tenant = await makeCompany(folder, urls)
      const answers = await makeCalls(client, tenant, calls)
      const last = answers.findLast(({ logId }) => logId !== null)
      if (last) await waitUntilVisible(client, tenant, last.logId!)
      const exported = await exportLedger(tenant, {
        folder,
        env,
        file: path.join(dataDir, `${tenant.companyId}.ndjson`),
      })
      const { companyId, credentials } = tenant
      const employees = JSON.stringify(await listAll(client, '/v1/employees', credentials))
      return { companyId, answers, ...exported, entries: await readEntries(client, tenant), employees }
    },
    close: () => closeAll(client, process),
  }
}

async function closeAll(client: HttpClient, process: ServerProcess): Promise<void> {
  await client.close()
  await process.stop()
}

async function makeCalls(
  client: HttpClient,
  { credentials }: OurTenant,
  calls: readonly DrawnCall[],
): Promise<PlayedAnswer[]> {
  const answers: PlayedAnswer[] = []
  const ids: string[][] = []
  const resolve = (text: string) => text.replace(REFERENCE, (_, call, at) => ids[Number(call)]?.[Number(at)] ?? NOBODY)
  for (const { method, path, headers, body, isZipped } of calls) {
    const bytes = toBytes({ body: body === null ? null : resolve(body), ...(isZipped ? { isZipped } : {}) })
    const request = { method, path: resolve(path), headers: { ...credentials, ...headers } }
    const answer = await client.send(bytes === undefined ? request : { ...request, body: bytes })
    const read = readAnswer(answer.text)
    answers.push({ ...answer, logId: read.log_id ?? null })
    const people = read.employees ?? read.results ?? []
    ids.push(method === 'GET' ? [] : people.map(({ id }) => id ?? NOBODY))
  }
  return answers
}

interface AnswerBody {
  log_id?: string
  employees?: { id: string | null }[]
  results?: { id: string | null }[]
}

function readAnswer(text: string): AnswerBody {
  return text.startsWith('{') ? (JSON.parse(text) as AnswerBody) : {}
}

async function exportLedger(
  { companyId }: OurTenant,
  { folder, env, file }: { folder: string; env: Record<string, string>; file: string },
): Promise<Pick<Played, 'events' | 'verified'>> {
  const command = ['src/main.ts', 'audit', 'export', '--company', companyId, '--out', file]
  await run(process.execPath, command, { cwd: folder, env })
  const checkpoint = ['--checkpoint', `${file}.checkpoint`]
  const verifying = ['src/main.ts', 'audit', 'verify', file, ...checkpoint, '--json']
  const { stdout } = await run(process.execPath, verifying, { cwd: ROOT, env, maxBuffer: EXPORT_BYTES })
  const text = await readFile(file, 'utf8')
  return { events: text.split('\n').slice(0, -1), verified: stdout }
}

async function readEntries(client: HttpClient, { adminToken }: OurTenant): Promise<Played['entries']> {
  const headers = { authorization: `Bearer ${adminToken}` }
  const entries: Played['entries'] = new Map()
  for (const { id } of await listAll<{ id: string }>(client, '/admin/v1/bulk-user-logs', headers)) {
    const path = `/admin/v1/bulk-user-logs/${id}`
    const { text } = await expectStatus(client, { method: 'GET', path, headers }, 200)
    const records = await listAll(client, `${path}/records`, headers)
    entries.set(id, { entry: text, records: JSON.stringify(records) })
  }
  return entries
}

async function listAll<Item>(client: HttpClient, path: string, headers: Record<string, string>): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const query: string = `limit=${PAGE}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const { text } = await expectStatus(client, { method: 'GET', path: `${path}?${query}`, headers }, 200)
    const page = JSON.parse(text) as { items: Item[]; next_cursor: string | null }
    items.push(...page.items)
    cursor = page.next_cursor
  } while (cursor !== null)
  return items
}
