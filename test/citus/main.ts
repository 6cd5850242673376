import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import readline from 'node:readline'
import { Argument, Command } from 'commander'
import { startCluster } from './own-cluster.ts'

/*
 * `npm run test:citus [-- group …]`: the tests on a Citus cluster, either that of CITUS_URL, or one of three servers that
 * it starts from the programs in CITUS_BIN, the folder that `pg_config --bindir` prints, and stops afterwards.
 */

const RUNS_AGAIN = 'runs files of the other groups again'
/** The groups of tests that do not run on a cluster, and why. */
const LEFT_OUT: Record<string, string> = {
  'nightly/all-inputs': RUNS_AGAIN,
  'nightly/all-inputs-event-loop': RUNS_AGAIN,
  'nightly/all-inputs-fairness': RUNS_AGAIN,
  'quick/domain': 'reads no database',
  'quick/repository': 'reads no database',
  'nightly/migration-kills': 'migrates databases that are not distributed',
  'nightly/rolling-restart': 'starts servers of its own',
  'nightly/start-again': 'starts servers of its own',
}

/** The groups that stop a server which others would use. */
const ALONE = ['nightly/faults']

const names = globSync('test/groups/*/*.test.ts')
  .map((file) => file.slice('test/groups/'.length, -'.test.ts'.length))
  .toSorted()
const { args: chosen } = new Command('npm run test:citus --')
  .description('Run the tests on a Citus cluster (docs/citus.md).')
  .addArgument(new Argument('[groups...]', 'only these groups').choices(names))
  .parse()
const { CITUS_URL, CITUS_BIN } = process.env
if (CITUS_URL === undefined && CITUS_BIN === undefined) {
  process.stderr.write('set CITUS_URL or CITUS_BIN (docs/citus.md, “Run the tests on a cluster”)\n')
  process.exit(2)
}

const groups = chosen.length > 0 ? chosen : names.filter((name) => !(name in LEFT_OUT))
const cluster =
  CITUS_URL === undefined ? await startCluster(CITUS_BIN!) : { url: CITUS_URL, stop: async () => undefined }
const total = { passed: 0, failed: 0, skipped: 0 }
let ended = 0
const isWhole = chosen.length === 0 ? ', which takes about half an hour on two idle processors' : ''
process.stdout.write(`running ${groups.length} groups${isWhole}\n`)
let exitCode = 0
try {
  await run(groups.filter((name) => !ALONE.includes(name)))
  await run(groups.filter((name) => ALONE.includes(name)))
} finally {
  await cluster.stop()
}
if (chosen.length === 0)
  for (const [name, reason] of Object.entries(LEFT_OUT)) process.stdout.write(`left out: ${name}, which ${reason}\n`)
process.stdout.write(`on a cluster: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exitCode = exitCode

/** Runs groups, some at a time, and adds up the counts of the closing line. */
async function run(names: string[]): Promise<void> {
  if (names.length === 0 || exitCode > 128) return
  // No limit of time: a slow machine is no fault, and who watches can end it.
  const tap = spawn('node_modules/.bin/tap', ['--timeout=0', ...names.map((name) => `test/groups/${name}.test.ts`)], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, CITUS_URL: cluster.url, TEST_SERVER: process.env['TEST_SERVER'] ?? 'citus' },
  })
  // An interruption reaches tap too; the cluster is stopped once tap has ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  let last = ''
  for await (const line of readline.createInterface({ input: tap.stdout })) {
    const isEnd = /^(?:ok|FAIL) /.test(line)
    if (isEnd) ended += 1
    process.stdout.write(isEnd ? `${ended} of ${groups.length}: ${line}\n` : `${line}\n`)
    if (line !== '') last = line
  }
  if (tap.exitCode === null && tap.signalCode === null) await once(tap, 'close')
  exitCode ||= tap.exitCode ?? 129
  for (const kind of ['passed', 'failed', 'skipped'] as const)
    total[kind] += Number(new RegExp(`(\\d+) ${kind}`).exec(last)?.[1] ?? 0)
}
