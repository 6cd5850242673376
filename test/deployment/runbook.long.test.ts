import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t, { type Test } from 'tap'
import { makeDataDir } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { employee, startService } from '../support/service.ts'

/*
 * Runs every command of the program that the operators' pages show, on an installation like theirs. Only ids and
 * paths are filled in.
 */

const text = ['docs/deployment.md', 'docs/operations.md'].map((page) => readFileSync(page, 'utf8')).join('\n')
const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block!)
const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line.startsWith('npm run --silent cli -- '))
/** Without duplicates and without commands that run until they are stopped. */
const commands = [...new Set(lines)].filter((line) => !/ -- (?:serve|work)\b/.test(line))

const DATA_DIR = makeDataDir(t)
mkdirSync(path.join(DATA_DIR, 'checkpoints'), { recursive: true })
const { privateKey } = generateKeyPairSync('ed25519')
const SIGNING_KEY_FILE = path.join(DATA_DIR, 'signing-key.pem')
writeFileSync(SIGNING_KEY_FILE, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
const SECRETS_KEY_FILE = path.join(DATA_DIR, 'secrets-key')
writeFileSync(SECRETS_KEY_FILE, randomBytes(32).toString('base64'), { mode: 0o600 })
const service = await startService(
  t,
  {
    DATA_DIR,
    SIGNING_KEY_FILE,
    SECRETS_KEY_FILE,
    SIGNING_KEY: '',
    CHECKPOINT_INTERVAL_MS: '100',
    SWEEP_INTERVAL_MS: '100',
  },
  { workers: true },
)
const { company } = service
const made = await service.call('POST', '/v1/employees', { body: employee() })
const notes = path.join(DATA_DIR, 'checkpoints', `${company.id}.notes`)
await eventually('a checkpoint is outside', async () => existsSync(notes))

/** Placeholders for the reader's own values. */
const OWN: [string, string][] = [
  ['checkpoints/com_….notes', notes],
  ['com_…', company.id],
  ['key_…', company.key.api_id],
  ['emp_…', made.body.employees[0].id],
  ['acme.ndjson.gz', path.join(DATA_DIR, 'acme.ndjson.gz')],
]

/**
 * doctor finds fault with the test server, which is not durable. No key is dropped here, because nobody restarts the
 * service after adding one.
 */
const FAILING = ['doctor', 'secrets drop-keys']

await t.test('every command shown to operators works', async (t) => {
  t.ok(commands.length > 15)
  for (const line of commands) {
    const filled = OWN.reduce((text, [name, value]) => text.replaceAll(name, value), line)
    t.notOk(filled.includes('…'), `no placeholder is left in: ${line}`)
    const { exitCode, output } = await run(
      t,
      filled.replace('npm run --silent cli --', `${process.execPath} src/main.ts`),
    )
    const fails = FAILING.some((command) => line.includes(` -- ${command}`))
    t.equal(exitCode, fails ? 1 : 0, `${line}: ${output}`)
  }
})

async function run(t: Test, line: string): Promise<{ exitCode: number | null; output: string }> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: service.urls.serviceUrl,
    MIGRATE_DATABASE_URL: service.urls.ownerUrl,
    DATA_DIR,
    SIGNING_KEY_FILE,
    SECRETS_KEY_FILE,
    CHECKPOINT_DIR: path.join(DATA_DIR, 'checkpoints'),
  }
  const child = spawn('sh', ['-c', line], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  return { exitCode: child.exitCode, output }
}
