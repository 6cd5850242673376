import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { startCluster } from './own-cluster.ts'

/*
 * `npm run test:citus [-- group …]`: the tests on a Citus cluster, either that of CITUS_URL, or one of three servers that
 * it starts from the programs in CITUS_BIN, the folder that `pg_config --bindir` prints, and stops afterwards.
 */

/** The groups of tests that do not run on a cluster, and why. */
const LEFT_OUT: Record<string, string> = {
  'quick/domain': 'reads no database',
  'quick/repository': 'reads no database',
  'quick/faults': 'starts servers of its own',
  'long/migration-kills': 'migrates databases that are not distributed',
  'long/rolling-restart': 'starts servers of its own',
  'long/start-again': 'starts servers of its own',
}

const { CITUS_URL, CITUS_BIN } = process.env
if (CITUS_URL === undefined && CITUS_BIN === undefined) {
  process.stderr.write('set CITUS_URL or CITUS_BIN (docs/citus.md, “Run the tests on a cluster”)\n')
  process.exit(2)
}

const names = globSync('test/groups/*/*.test.ts').map((file) => file.slice('test/groups/'.length, -'.test.ts'.length))
const chosen = process.argv.slice(2)
const groups = chosen.length > 0 ? chosen : names.filter((name) => !(name in LEFT_OUT)).toSorted()
const cluster =
  CITUS_URL === undefined ? await startCluster(CITUS_BIN!) : { url: CITUS_URL, stop: async () => undefined }
try {
  const tap = spawn('node_modules/.bin/tap', ['--jobs=2', ...groups.map((name) => `test/groups/${name}.test.ts`)], {
    stdio: 'inherit',
    env: { ...process.env, CITUS_URL: cluster.url, TEST_SERVER: process.env['TEST_SERVER'] ?? 'citus' },
  })
  // An interruption reaches tap too; the cluster is stopped once tap has ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tap.kill(signal))
  const [exitCode] = (await once(tap, 'close')) as [number | null]
  process.exitCode = exitCode ?? 1
} finally {
  await cluster.stop()
}
if (chosen.length === 0)
  for (const [name, reason] of Object.entries(LEFT_OUT)) process.stdout.write(`left out: ${name}, which ${reason}\n`)
