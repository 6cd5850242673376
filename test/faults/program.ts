import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import readline from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../support/cleanup.ts'
import { COMPILE_CACHE } from '../support/processes/compile-cache.ts'
import { presetLimits } from '../support/processes/limits.ts'
import type { Cluster } from './cluster.ts'

/** A process of the program that is restarted whenever it ends, as by an orchestrator. */
export interface Supervised {
  /** Its address, if it serves: always the same port. */
  address: string
  /** The address of its metrics, if it has any. */
  metricsUrl: string | null
  child(): ChildProcess
  /** How often it has been started. */
  starts(): number
  /** The end of its log. */
  said(): string
  /** Resolves once it is ready after its latest start. */
  ready(): Promise<void>
  /** Ends it with a signal and waits for its end. It restarts by itself, from then on with the given plant. */
  restart(signal: NodeJS.Signals, plant?: Plant): Promise<void>
  /** Tells it to kill itself at a stage. */
  dieAt(death: Death): void
  /** Ends it for good. */
  stop(): Promise<void>
}

/** The stage at which a process kills itself, and at which pass. */
export interface Death {
  stage: string
  passes: number
}

/** What is different about a process: a replacement in its sources, a wrong clock, or another version of all of them. */
export interface Plant {
  /** The name of a replacement in its sources. */
  name?: string
  /** How far its clock is ahead, in milliseconds. */
  clockSkewMs?: number
  /** The folder of the version to run, if not this one. */
  folder?: string
}

interface ProgramOptions {
  command: 'serve' | 'work' | 'start'
  databaseUrl: string
  port: number
  metricsPort?: number
  plant?: Plant
  settings?: Record<string, string>
}

/** The keys that encrypt the secrets of webhooks. */
export const SECRETS_KEY = Buffer.alloc(32, 7)

const SIGNING_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const PLANTER = new URL('./bugs/plant.ts', import.meta.url).href
const READY = /^employee-ledger (?:listens|worker is running)/
const STARTS_AT_MOST = 10_000
/** A process does not start without its database, so it may try for as long as PostgreSQL takes to return. */
const FAILED_STARTS_AT_MOST = 60
const AGAIN_AFTER_MS = 100
/** How much of its standard error is kept, in characters, and how much of that tells why it does not start. */
const SAID_AT_MOST = 65_536
const SAID_AT_START = 2_000
/** The program stops at most 10 seconds after SIGTERM. */
const ENDS_WITHIN_MS = 20_000
const READY_WITHIN_MS = 120_000
const LOOKS_EVERY_MS = 5_000

/**
 * Starts a process of the program and keeps it running until the end. FAULTS_LOG, a level such as `error`, shows its log on standard error.
 */
export function supervise(cleanup: Cleanup, options: ProgramOptions): Supervised {
  let [starts, isOver] = [0, false]
  let plant = options.plant
  let child: ChildProcess
  let ready: Promise<void>
  let said = ''
  const describeStart = () => `start ${starts}, and it said: ${said.slice(-SAID_AT_START) || 'nothing'}`
  const run = () => {
    starts += 1
    if (starts > STARTS_AT_MOST) throw new Error(`${options.command} has been started ${STARTS_AT_MOST} times`)
    child = launch(options, plant)
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-SAID_AT_MOST)
    })
    ready = isReady(child)
    ready.catch(() => undefined)
    child.once('exit', () => {
      if (!isOver) setTimeout(() => isOver || run(), AGAIN_AFTER_MS)
    })
  }
  run()
  const end = async (signal: NodeJS.Signals) => {
    const ending = child
    if (ending.exitCode === null && ending.signalCode === null) ending.kill(signal)
    // A stopped process receives no other signal.
    const timer = setTimeout(() => ending.kill('SIGKILL'), ENDS_WITHIN_MS)
    await gone(ending).finally(() => clearTimeout(timer))
  }
  const stop = async () => {
    isOver = true
    await end('SIGTERM')
  }
  cleanup.teardown(async () => {
    isOver = true
    await end('SIGKILL')
  }, `ending ${options.command} on port ${options.port}`)
  return {
    address: `http://127.0.0.1:${options.port}`,
    metricsUrl: options.metricsPort === undefined ? null : `http://127.0.0.1:${options.metricsPort}/metrics`,
    child: () => child,
    starts: () => starts,
    said: () => said,
    async ready() {
      const deadline = performance.now() + READY_WITHIN_MS
      for (const first = starts; ;) {
        if (performance.now() > deadline)
          throw new Error(`${options.command} is not ready within ${READY_WITHIN_MS} ms: ${describeStart()}`)
        if (starts - first > FAILED_STARTS_AT_MOST)
          throw new Error(`${options.command} does not start: ${describeStart()}`)
        const [waiting, of] = [ready, starts]
        const isSaid = await Promise.race([
          waiting.then(
            () => true,
            () => false,
          ),
          pause(LOOKS_EVERY_MS, false, { ref: false }),
        ])
        // A process that was ready may have ended since.
        const isThere = child.exitCode === null && child.signalCode === null
        if (isSaid && isThere && of === starts) return
        if (isOver) throw new Error(`${options.command} has been stopped`)
        await pause(AGAIN_AFTER_MS)
      }
    },
    async restart(signal, next) {
      plant = next
      await end(signal)
    },
    dieAt: (death) => void child.send(death, () => undefined),
    stop,
  }
}

/** Resolves once a process has ended. */
export async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The PostgreSQL that a command works on. */
export interface Commanded {
  cluster: Pick<Cluster, 'urls' | 'port'>
}

/** Runs a command of the program to its end, bypassing the line. Returns its exit code. */
export async function runProgram(stage: Commanded, args: string[], plant?: Plant): Promise<number | null> {
  const child = startCommand(stage, args, 'ignore', plant)
  await gone(child)
  return child.exitCode
}

/** The same, and returns what it writes. Throws unless it succeeds. */
export async function readProgram(stage: Commanded, args: string[], plant?: Plant): Promise<string> {
  const child = startCommand(stage, args, 'pipe', plant)
  const written = text(child.stdout!)
  await gone(child)
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`)
  return written
}

function startCommand(
  { cluster }: Commanded,
  args: string[],
  output: 'ignore' | 'pipe',
  plant: Plant | undefined,
): ChildProcess {
  const { ownerUrl, serviceUrl } = cluster.urls
  const at = (url: string) => Object.assign(new URL(url), { port: String(cluster.port()) }).href
  return spawn(process.execPath, ['--import', PLANTER, 'src/main.ts', ...args], {
    ...placeOf(plant),
    env: {
      PATH: process.env['PATH'],
      ...COMPILE_CACHE,
      DATABASE_URL: at(serviceUrl),
      MIGRATE_DATABASE_URL: at(ownerUrl),
      LOG_LEVEL: 'error',
      ...environmentOf(plant),
    },
    stdio: ['ignore', output, process.env['FAULTS_LOG'] === undefined ? 'ignore' : 'inherit'],
  })
}

function placeOf(plant: Plant | undefined): { cwd?: string } {
  return plant?.folder === undefined ? {} : { cwd: plant.folder }
}

function environmentOf(plant: Plant | undefined): Record<string, string> {
  return {
    ...(plant?.name === undefined ? {} : { PLANT: plant.name }),
    ...(plant?.clockSkewMs === undefined ? {} : { CLOCK_SKEW_MS: String(plant.clockSkewMs) }),
  }
}

function launch(
  { command, databaseUrl, port, metricsPort, settings }: ProgramOptions,
  plant: Plant | undefined,
): ChildProcess {
  const variables = { SWEEP_INTERVAL_MS: '500', ...settings }
  return spawn(process.execPath, ['--import', PLANTER, ...presetLimits(variables), 'src/main.ts', command], {
    ...placeOf(plant),
    env: {
      PATH: process.env['PATH'],
      ...COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      ...(metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }),
      LOG_LEVEL: process.env['FAULTS_LOG'] ?? 'error',
      BURST_LIMIT: '0',
      SECRETS_KEY: SECRETS_KEY.toString('base64'),
      SIGNING_KEY,
      OUTGOING_PRIVATE: '1',
      ...variables,
      ...environmentOf(plant),
    },
    stdio: ['ignore', 'pipe', process.env['FAULTS_LOG'] === undefined ? 'pipe' : 'inherit', 'ipc'],
  })
}

/** Resolves once a process has said that it is ready. */
async function isReady(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  readline.createInterface(child.stdout!).on('line', (line) => READY.test(line) && resolve())
  child.once('exit', () => reject(new Error('it ended before it was ready')))
  await promise
}
