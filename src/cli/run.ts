import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PartOptions, RunningPart } from '#bootstrap/running-part'
import { findDatabase, type OpenedDatabase } from '#postgres/embedded/embedded-postgres'
import { migrateDatabase, openStore } from '#bootstrap/store'
import { createRecentEventsForWorkers, startWorkers } from '#bootstrap/workers'
import { createSigner } from '#bootstrap/keys'
import { announcePresence } from '#bootstrap/presence'
import { startApi } from '#bootstrap/api'
import { openObservability, startMetrics } from '#bootstrap/observability'
import { findMisspelled, type Config } from '../config.ts'
import { openLog } from '#bootstrap/log'
import { holdProgram } from '#spreadsheets/process/plain-program'
import { ensureDemo, printDemo } from './demo/demo.ts'
import { forcedStop, interrupt, InterruptedError, interruptible, interruption } from './terminal/interruption.ts'
import { readSettings } from './terminal/settings.ts'

const UNSIGNED =
  'no signing key is set (SIGNING_KEY_FILE or SIGNING_KEY): checkpoints are not signed, so a rollback cannot be ' +
  'detected'

type Parts = { api: boolean; workers: boolean; demo?: boolean; migrates: boolean; purpose: 'serve' | 'visit' }

/** `start`: runs the API and the workers in one process. */
export async function start({ demo }: { demo?: boolean }) {
  await run({ api: true, workers: true, demo: demo ?? false, migrates: true, purpose: 'serve' })
}

/** `serve`: runs the API. Any number of processes can share a database. */
export async function serve() {
  await run({ api: true, workers: false, migrates: false, purpose: 'visit' })
}

/** `work`: runs the workers. Any number of processes can share a database. */
export async function work() {
  await run({ api: false, workers: true, migrates: false, purpose: 'visit' })
}

/** What a running process has opened. */
interface Running {
  config: Config
  log: Logger
  database?: OpenedDatabase
  /** In start order. */
  parts: RunningPart[]
}

/**
 * Starts the parts in order, waits for an interruption or the end of the embedded database, and stops the parts in
 * reverse order, also when one of them fails to start. Exits with 0 when it is asked to end, even during startup.
 */
async function run(parts: Parts): Promise<never> {
  const config = readSettings()
  const running: Running = { config, log: openLog(config.LOG_LEVEL), parts: [] }
  // The reader of the output has gone, as with `… | head`.
  process.stdout.once('error', () => interrupt('SIGPIPE'))
  for (const misspelled of findMisspelled()) running.log.warn(misspelled)
  // What is being started, or the calls in progress, may take a while to end.
  interruption.addEventListener('abort', () => printLine('employee-ledger is stopping'))
  let fault: unknown
  try {
    const { lost } = await startParts(parts, running)
    await interruptible(() => lost, 0)
  } catch (error) {
    fault = error
  }
  if (interruption.aborted && !(fault instanceof InterruptedError)) running.log.fatal({ err: fault }, 'uncaught error')
  if (fault instanceof InterruptedError) await turnAway(running.parts, config.STOP_DELAY_SECONDS * 1_000)
  await stopParts(running.parts, config.SHUTDOWN_TIMEOUT_MS, running.log)
  await running.database?.release()
  if (!(fault instanceof InterruptedError)) throw fault
  // Nobody has asked it to end if its output can't be written.
  process.exit(fault.signal === 'SIGPIPE' ? fault.exitCode : 0)
}

/** Returns a promise that rejects when the process cannot go on. */
async function startParts(parts: Parts, running: Running): Promise<{ lost: Promise<never> }> {
  const { config, log } = running
  const onTrouble = (trouble: string, error?: unknown) => log.warn({ err: error }, trouble)
  // Without a limit: an abandoned start would leave the embedded server running.
  const database = await interruptible(() => findDatabase(config, parts.purpose, onTrouble), Infinity)
  running.database = database
  if (database.movedTo !== undefined) {
    printLine(`the database is in ${database.movedTo}, because its OS user cannot access DATA_DIR`)
  }
  if (parts.migrates || database.isEmbedded) await interruptible(() => migrateDatabase(database.urls, printLine))
  // Stopped last, so that it exports the spans of the other parts.
  const { metrics, tracing } = await interruptible(() => openObservability(config, log))
  if (tracing) running.parts.push(tracing)
  const presence = await interruptible(() => announcePresence(database.urls.serviceUrl))
  running.parts.push(presence)
  const store = await interruptible(() => openStore(config, database.urls, 'read-write'))
  running.parts.push({ stop: store.close })
  const recent = parts.api && parts.workers ? createRecentEventsForWorkers() : undefined
  const options: PartOptions = { config, urls: database.urls, store, log, metrics, tracing, recent }
  if (parts.workers) running.parts.push(await interruptible(() => startWorkers(options)))
  const listener = await interruptible(() => startMetrics(config, metrics))
  if (listener) running.parts.push(listener)
  if (parts.api) {
    let isSetUp = !(parts.demo === true || (parts.demo === false && database.isEmbedded))
    const url = await startListening(running, { ...options, isSetUp: () => isSetUp })
    if (!isSetUp) printDemo(await interruptible(() => ensureDemo(config, store, url)))
    isSetUp = true
  } else printLine('employee-ledger worker is running')
  if (listener) printLine(`metrics are at ${listener.url}`)
  if (!(await interruptible(() => createSigner(config))).isSigning) log.warn(UNSIGNED)
  return { lost: Promise.race([database.lost, presence.lost]) }
}

/** Starts the API, prints where it listens and returns that URL. */
async function startListening(running: Running, options: PartOptions) {
  const api = await interruptible(() => startApi(options))
  running.parts.push(api)
  // Somebody may replace the program's folder before the first file comes.
  holdProgram()
  const { address, port } = api.app.server.address() as AddressInfo
  const isEverywhere = address === '0.0.0.0' || address === '::'
  // Node.js accepts IPv4 on `::` too, and a container may have no IPv6 address.
  const host = isEverywhere ? '127.0.0.1' : address
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  printLine(`employee-ledger listens on ${url}${isEverywhere ? ' and on all other addresses of this machine' : ''}`)
  return url
}

/** Waits until load balancers have noticed that the process is not ready any more; a second signal ends the wait. */
async function turnAway(parts: RunningPart[], delayMs: number) {
  const serving = parts.filter((part) => part.turnAway)
  for (const part of serving) part.turnAway?.()
  if (serving.length > 0 && delayMs > 0) await pause(delayMs, undefined, { signal: forcedStop }).catch(() => undefined)
}

/**
 * Stops the parts in reverse start order. Together they have `timeoutMs` to finish their work; after that, or on a
 * second signal, it stops the rest without waiting. All work is safe to cut off anywhere.
 */
async function stopParts(parts: RunningPart[], timeoutMs: number, log: Logger) {
  const timeIsUp = AbortSignal.any([AbortSignal.timeout(timeoutMs), forcedStop])
  const isOver = timeIsUp.aborted ? Promise.resolve() : once(timeIsUp, 'abort')
  for (const part of parts.toReversed()) {
    await Promise.race([part.stop(), isOver]).catch((error: unknown) =>
      log.error({ err: error }, 'a part of the program failed to stop'),
    )
  }
  if (timeIsUp.aborted) log.warn('shutdown timed out; calls in progress were cut off')
}

function printLine(line: string) {
  process.stdout.write(`${line}\n`)
}
