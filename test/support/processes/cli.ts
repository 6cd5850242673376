import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Readable } from 'node:stream'
import type { Test } from 'tap'
import { COMPILE_CACHE } from './compile-cache.ts'
import { presetLimits } from './limits.ts'
import type { DemoCredentials } from '../../../src/cli/demo/demo.ts'

export type Environment = Record<string, string>

/** A command-line process that has ended. */
export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A running command-line process. */
export interface Running {
  child: ChildProcessByStdio<null, Readable, Readable>
  ended: Promise<Ended>
  /** Resolves as soon as its standard output contains this text or matches; with the first group. */
  prints(expected: RegExp | string): Promise<string>
  end(signal: NodeJS.Signals): Promise<Ended>
}

/** A command-line server and its address. */
export interface Server extends Running {
  address: string
}

/** Starts a command in a process that does not outlive the test. */
export function launch(
  t: Pick<Test, 'teardown'>,
  args: string[],
  environment: Environment,
  entry = 'src/main.ts',
): Running {
  const child = spawn(process.execPath, [...presetLimits({ ...environment }), entry, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text))
  }
  const ended = once(child, 'close').then(() => ({ exitCode: child.exitCode, signal: child.signalCode, ...output }))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  async function end(signal: NodeJS.Signals) {
    if (!isOver()) child.kill(signal)
    return ended
  }
  // A server still running after its test failed gets the chance to stop its database.
  t.teardown(() => end('SIGTERM'))
  async function prints(expected: RegExp | string): Promise<string> {
    for (;;) {
      if (typeof expected === 'string' && output.stdout.includes(expected)) return expected
      const found = typeof expected === 'string' ? null : expected.exec(output.stdout)
      if (found) return found[1] ?? found[0]
      if (isOver()) throw new Error(`it ended before it printed ${expected}: ${JSON.stringify(await ended)}`)
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  return { child, ended, prints, end }
}

/** Drops the environment, such as tap's variables for its own processes. */
function environmentOf(environment: Environment): Environment {
  return { PATH: process.env['PATH']!, TMPDIR: os.tmpdir(), PORT: '0', ...COMPILE_CACHE, ...environment }
}

/** A command for the process that runs commands. */
export interface CommandRun {
  args: string[]
  environment: Environment
}

let host: ChildProcess | undefined
const waiting: ((ended: Ended) => void)[] = []

/**
 * Runs a command to its end. Loading the program takes most of a short command's time, so one process runs all but
 * those that serve or need NODE_OPTIONS, one after the other. `test/deployment/runbook.long.test.ts` runs the commands
 * as users do.
 */
export async function runCommand(t: Test, args: string[], environment: Environment): Promise<Ended> {
  const isOfProcess =
    'NODE_OPTIONS' in environment || 'NODE_EXTRA_CA_CERTS' in environment || presetLimits(environment).length > 0
  if (SERVING.has(args[0]) || isOfProcess) return launch(t, args, environment).ended
  const { promise, resolve } = Promise.withResolvers<Ended>()
  waiting.push(resolve)
  host ??= startHost()
  host.ref()
  host.channel!.ref()
  host.send({ args, environment: environmentOf(environment) } satisfies CommandRun)
  return promise
}

const SERVING = new Set<string | undefined>(['start', 'serve', 'work'])

/** Starts the process that runs commands. It ends with this one, and keeps it alive only while it runs a command. */
function startHost(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./command-host.ts', import.meta.url))], {
    env: { PATH: process.env['PATH'], ...COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('message', (ended: Ended) => {
    waiting.shift()!(ended)
    if (waiting.length > 0) return
    child.unref()
    child.channel!.unref()
  })
  child.on('exit', (exitCode, signal) => {
    host = undefined
    for (const end of waiting.splice(0)) end({ exitCode, signal, stdout: '', stderr: 'the process of commands ended' })
  })
  return child
}

/** Runs a command that prints JSON. */
export async function runJson<Result>(t: Test, args: string[], environment: Environment): Promise<Result> {
  const { exitCode, stdout, stderr } = await runCommand(t, [...args, '--json'], environment)
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`)
  return JSON.parse(stdout) as Result
}

/** Starts a server and waits until it prints its address. A fast machine is not refused for calling it too often. */
export async function startServer(t: Test, args: string[], environment: Environment): Promise<Server> {
  const running = launch(t, args, { BURST_LIMIT: '0', ...environment })
  const address = await running.prints(/listens on (http:\S+).*\n/)
  return { ...running, address }
}

/** Starts a worker in its own process, and waits until it runs: on a slow machine, that takes longer than a call waits. */
export async function startWorker(t: Pick<Test, 'teardown'>, environment: Environment): Promise<Running> {
  const worker = launch(t, ['work'], environment)
  await worker.prints('employee-ledger worker is running\n')
  return worker
}

/** A data folder that is gone after the test. */
export function makeDataDir(t: Pick<Test, 'teardown'>): string {
  const parent = mkdtempSync(path.join(os.tmpdir(), 'ledger-cli-'))
  // The OS user of the database has to pass through.
  chmodSync(parent, 0o755)
  t.teardown(() => rmSync(parent, { recursive: true, force: true }))
  return path.join(parent, 'data')
}

/** Whether a PostgreSQL server runs in the data folder, or was left there. */
export function hasDatabaseServer(dataDir: string): boolean {
  return existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))
}

export function demoFile(dataDir: string): string {
  return path.join(dataDir, 'demo-credentials.json')
}

export function readDemo(dataDir: string): DemoCredentials {
  return JSON.parse(readFileSync(demoFile(dataDir), 'utf8')) as DemoCredentials
}

/** Checks that a command failed as users should see it: one line, exit code 1. */
export function failsWithLine(t: Test, ended: Ended, line: RegExp | string, exitCode = 1): void {
  t.equal(ended.exitCode, exitCode, `exit code ${exitCode}`)
  t.equal(ended.stdout, '', 'nothing on standard output')
  t.match(ended.stderr, line)
  t.equal(ended.stderr.trimEnd().split('\n').length, 1, 'one line')
}
