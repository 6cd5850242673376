import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import program from '../../package.json' with { type: 'json' }
import { buildProgram } from '../../src/cli/program.ts'
import { EnvironmentSchema, LIMITS, readConfig } from '../../src/config.ts'
import { needs } from '../support/processes/installed.ts'

/* The unit file, checked without systemd's service manager: it agrees with itself and the program, and gives it little. */

const FILE = 'docs/employee-ledger@.service'
/** Of 10, from `systemd-analyze security`. */
const MAX_EXPOSURE = 3

const text = readFileSync(FILE, 'utf8')
const valuesOf = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)
const instances = [...text.matchAll(/employee-ledger@(\w+)/g)].map(([, instance]) => instance!)

await t.test('it runs the API and the workers, with commands of the program', async (t) => {
  t.strictSame(instances, ['serve', 'work'])
  // As `npm run cli` does, so that a Node.js that is too old is named.
  const { cli } = program.scripts
  t.strictSame(valuesOf('ExecStart'), [cli.replace('exec node', '/usr/bin/node') + ' %i'])
  const known = buildProgram().commands.map((command) => command.name())
  for (const instance of instances) t.ok(known.includes(instance), instance)
})

await t.test('every variable is a setting of the program, with a valid value', async (t) => {
  const settings = Object.fromEntries(valuesOf('Environment').map((pair) => pair.split('=') as [string, string]))
  delete settings['NODE_ENV']
  for (const name of Object.keys(settings)) t.ok(Object.hasOwn(EnvironmentSchema.properties, name), name)
  t.ok(readConfig(settings))
  t.ok(valuesOf('EnvironmentFile').includes('-/etc/employee-ledger/settings.%i'), 'each kind can have its METRICS_PORT')
  const credentials = valuesOf('LoadCredential').map((pair) => `%d/${pair.split(':')[0]}`)
  const { SIGNING_KEY_FILE: signing, SECRETS_KEY_FILE: secrets } = settings
  t.strictSame([signing, `${signing}.retired`, secrets], credentials)
  t.strictSame(valuesOf('ReadWritePaths'), [settings['CHECKPOINT_DIR']], 'it may write checkpoints, and nothing else')
  const needed = LIMITS.SHUTDOWN_TIMEOUT_MS / 1_000
  t.ok(Number(valuesOf('TimeoutStopSec')[0]) > needed, 'it has time to stop')
})

await t.test('systemd rates it as little exposed', needs('systemd-analyze'), async (t) => {
  const unit = path.join(t.testdir(), path.basename(FILE).replace('@', '@serve'))
  copyFileSync(FILE, unit)
  const limit = `--threshold=${MAX_EXPOSURE * 10}`
  const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', limit, unit], {
    encoding: 'utf8',
  })
  t.match(stdout, /Overall exposure level/)
  t.equal(status, 0, stdout.trim().split('\n').at(-1)!)
})
