import type pg from 'pg'
import { createClient } from './pool.ts'
import { errorReason, StartupError } from './startup-error.ts'

/** The settings that name a database. */
export type DatabaseSetting = 'DATABASE_URL' | 'MIGRATE_DATABASE_URL'

/** With four clients, at least two share a server process if the pooler has at most three. */
const CLIENTS = 4
const ANSWERS_WITHIN_MS = 5_000

const ADVICE = 'set its pool mode to session, or name PostgreSQL itself'

/** The clients of a pooler share sessions, so nothing that belongs to a session can be relied on. */
export class SharedSessionsError extends StartupError {
  override name = 'SharedSessionsError'
  readonly found: string
  readonly advice = ADVICE

  constructor(setting: DatabaseSetting) {
    const fault = `${setting} leads to a pooler whose clients share sessions (transaction or statement mode)`
    super(`${fault}: ${ADVICE}`)
    this.found = fault
  }
}

/**
 * Throws SharedSessionsError if an address leads to a pooler whose clients share sessions. Durability, time-outs and the
 * format of times are settings of a session; locks, notifications, temporary tables and prepared statements belong to
 * one too. On a shared session, they are lost or reach other clients. Throws the connection's error if the database
 * does not answer.
 */
export async function assertOwnSessions(url: string, setting: DatabaseSetting): Promise<void> {
  const clients: pg.Client[] = []
  try {
    const first = await connect(url, clients)
    // A pooler gives each client a process id of its own making.
    if ((await backendOf(first)) === (first as unknown as { processID: number }).processID) return
    while (clients.length < CLIENTS) await connect(url, clients)
    const seen: number[] = []
    for (const client of clients) seen.push(await backendOf(client))
    // A pooler that deals its sessions out in turns would give each client the same one again in the same order.
    for (const client of clients.toReversed()) seen.push(await backendOf(client))
    const isKept = clients.every((_, at) => seen[at] === seen[seen.length - 1 - at])
    if (!isKept || new Set(seen).size < CLIENTS) throw new SharedSessionsError(setting)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

/** Throws StartupError if the database of an address does not answer, or its sessions are shared. */
export async function assertReachable(url: string, setting: DatabaseSetting): Promise<void> {
  try {
    await assertOwnSessions(url, setting)
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`the database of ${setting} cannot be used: ${errorReason(error)}`, { cause: error })
  }
}

/** Connects without any settings: they would reach other clients of a shared session. */
async function connect(url: string, clients: pg.Client[]) {
  const client = createClient({
    connectionString: url,
    application_name: 'employee-ledger',
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  })
  await client.connect()
  clients.push(client)
  return client
}

async function backendOf(client: pg.Client) {
  return (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid
}
