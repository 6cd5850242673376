import type { Logger } from 'pino'
import type { OpenedDatabase, OpenedPool, RunningPart } from '../bootstrap.ts'
import { findDatabase, migrateDatabase, openLog, openStore, startApi, startWorkers } from '../bootstrap.ts'
import type { Config } from '../config.ts'
import { ensureDemo, printDemo } from './demo.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { configOrFail } from './with-store.ts'

type Parts = { api: boolean; workers: boolean; demo?: boolean; migrates: boolean; purpose: 'serve' | 'visit' }

/** `start`: everything in one process. */
export async function start({ demo }: { demo?: boolean }) {
  await run({ api: true, workers: true, demo: demo ?? false, migrates: true, purpose: 'serve' })
}

/** `serve`: the API alone. Any number of them on one database. */
export async function serve() {
  await run({ api: true, workers: false, migrates: false, purpose: 'visit' })
}

/** `work`: the workers alone. Any number of them on one database. */
export async function work() {
  await run({ api: false, workers: true, migrates: false, purpose: 'visit' })
}

/** Starts the parts in order, and stops those that started in the reverse order, also when a later one fails. */
async function run(parts: Parts): Promise<void> {
  const config = configOrFail()
  const log = openLog(config)
  const running: RunningPart[] = []
  const stop = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop()
  }
  const signals = stopOnSignal(stop, config.SHUTDOWN_TIMEOUT_MS, log)
  try {
    await startParts(parts, config, log, running)
    signals.ready()
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(parts: Parts, config: Config, log: Logger, running: RunningPart[]): Promise<void> {
  const database = await findDatabase(config, parts.purpose)
  running.push({ stop: database.release })
  if (database.movedTo !== undefined) {
    process.stdout.write(`DATA_DIR cannot hold the database (its OS user cannot enter it): it is in ${database.movedTo}\n`)
  }
  if (parts.migrates || database.isEmbedded) await migrateDatabase(database.urls, (line) => log.info(line))
  const store = await openStore(config, database.urls)
  running.push({ stop: store.close })
  if (parts.workers) running.push(await startWorkers(config, database.urls, store, log))
  if (parts.api) await startListening(parts, config, log, database, store, running)
  else process.stdout.write('employee-ledger works\n')
}

async function startListening(
  parts: Parts,
  config: Config,
  log: Logger,
  database: OpenedDatabase,
  store: OpenedPool,
  running: RunningPart[],
): Promise<void> {
  const api = await startApi(config, database.urls, store, log)
  running.push(api)
  process.stdout.write(`employee-ledger listens on ${api.address}\n`)
  const wantsDemo = parts.demo === true || (parts.demo === false && database.isEmbedded)
  if (wantsDemo) printDemo(await ensureDemo(config, store, api.address))
}
