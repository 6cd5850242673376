import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import program from '../../package.json' with { type: 'json' }
import { freePort } from '../support/processes/free-port.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'
import { openImageBuilder } from '../support/processes/image-builder.ts'

const IMAGE = 'employee-ledger:tested'

const builder = openImageBuilder()
const skip = 'reason' in builder ? builder.reason : false
if ('remove' in builder) t.teardown(builder.remove)

await t.test('the image builds, starts as a user without rights, and is healthy', { skip }, async (t) => {
  if ('reason' in builder) return
  const { serviceUrl } = await createTestDatabase(t)
  const build = ['bud', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--tag', IMAGE]
  builder.run(...build, '--build-arg', `VERSION=${program.version}`, '.')
  const container = builder.run('from', '--pull-never', IMAGE)
  const inspected = JSON.parse(builder.run('inspect', container)) as {
    Docker: { config: { Labels: Record<string, string>; Cmd: string[]; Healthcheck: { Test: string[] } } }
  }
  const { Labels, Cmd, Healthcheck } = inspected.Docker.config
  t.match(Labels, {
    'org.opencontainers.image.version': program.version,
    'org.opencontainers.image.licenses': program.license,
  })

  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = {
    DATABASE_URL: serviceUrl,
    PORT: port,
    METRICS_PORT: metricsPort,
    SIGNING_KEY: '',
    CHECKPOINT_DIR: '/checkpoints',
  }
  const environment = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const inContainer = (...command: string[]) => ['run', '--isolation', 'chroot', ...environment, container, ...command]

  t.match(builder.run(...inContainer('id')), /^uid=1000\(node\)/)
  t.throws(() => builder.run(...inContainer('touch', '/app/src/main.ts')), 'it cannot change the program')
  t.doesNotThrow(() => builder.run(...inContainer('touch', '/checkpoints/here')))

  const service = spawn(...builder.commandLine(...inContainer(...Cmd)), { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(service, 'exit')
  t.teardown(() => service.kill('SIGTERM') && ended)
  const lines = createInterface(service.stdout)
  const isListening = new Promise<void>((resolve) => {
    lines.on('line', (line) => line.startsWith('employee-ledger listens on') && resolve())
  })
  await Promise.race([isListening, ended.then(() => Promise.reject(new Error('it ended before it listened')))])
  t.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200)
  const [kind, ...check] = Healthcheck.Test
  t.equal(kind, 'CMD')
  t.doesNotThrow(() => builder.run(...inContainer(...check)), 'the health check passes')
  service.kill('SIGTERM')
  await ended
  t.throws(() => builder.run(...inContainer(...check)), 'the health check fails without the service')
})
