import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { buildProgram } from '../../src/cli/program.ts'
import { EnvironmentSchema, readConfig } from '../../src/config.ts'
import { makeDataDir, runCommand, startServer, launch } from '../support/processes/cli.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { testServerUrls } from '../support/postgres/test-server.ts'

/* The container files, checked without containers: their syntax, their references, and every command in them. */

interface Service {
  image?: string
  command?: string[]
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  volumes?: string[]
  secrets?: string[]
  depends_on?: Record<string, { condition: string; required?: boolean }>
  profiles?: string[]
  configs?: { source: string }[]
  [key: string]: unknown
}

interface Compose {
  services: Record<string, Service>
  configs: Record<'roles' | 'citus_extension' | 'citus_machines', { content: string }>
  secrets: Record<string, unknown>
  volumes: Record<string, unknown>
}

/** Replaces `${NAME:-default}` with its default, as Compose does for an unset variable. */
const filled = readFileSync('docker-compose.yml', 'utf8').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
const compose = parse(filled, { merge: true }) as Compose
const ours = ['migrate', 'distribute', 'api', 'worker'].map((name) => compose.services[name]!)
const dockerfile = readFileSync('Dockerfile', 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

const KEYS = [
  ...[
    'build',
    'image',
    'command',
    'environment',
    'secrets',
    'volumes',
    'restart',
    'read_only',
    'cap_drop',
    'security_opt',
    'stop_grace_period',
  ],
  ...['depends_on', 'ports', 'healthcheck', 'configs', 'profiles'],
]

await t.test('the compose file uses only what Compose knows and what exists', (t) => {
  t.strictSame(
    Object.keys(compose).filter(
      (key) => !['services', 'configs', 'secrets', 'volumes', 'x-service', 'x-citus'].includes(key),
    ),
    [],
  )
  for (const [name, service] of Object.entries(compose.services)) {
    t.strictSame(
      Object.keys(service).filter((key) => !KEYS.includes(key)),
      [],
      name,
    )
    for (const volume of service.volumes ?? []) {
      const source = volume.split(':')[0]!
      t.ok(source.startsWith('./') ? existsSync(source) : Object.hasOwn(compose.volumes, source), `${name}: ${volume}`)
    }
    for (const secret of service.secrets ?? []) t.ok(Object.hasOwn(compose.secrets, secret), `${name}: ${secret}`)
    for (const { source } of service.configs ?? []) t.ok(Object.hasOwn(compose.configs, source), `${name}: ${source}`)
    for (const [other, { required }] of Object.entries(service.depends_on ?? {})) {
      t.ok(Object.hasOwn(compose.services, other), `${name}: ${other}`)
      // A service of another profile is absent without it.
      const isAlwaysThere = (compose.services[other]?.profiles ?? service.profiles ?? []).every((profile) =>
        service.profiles?.includes(profile),
      )
      t.ok(isAlwaysThere || required === false, `${name} works without ${other}`)
    }
  }
  t.end()
})

await t.test('every variable is a setting of the program, with a valid value', (t) => {
  const image = environmentOfImage()
  for (const { environment } of ours) {
    const all = { ...image, ...environment }
    delete (all as Record<string, string>)['NODE_ENV']
    t.strictSame(
      Object.keys(all).filter((name) => !Object.hasOwn(EnvironmentSchema.properties, name)),
      [],
    )
    t.ok(readConfig(all))
  }
  t.end()
})

await t.test(
  'every process gets both keys and the retired ones, from files outside the image and the database',
  (t) => {
    for (const { environment, secrets } of ours)
      for (const [setting, secret] of [
        ['SIGNING_KEY_FILE', 'signing_key'],
        ['SECRETS_KEY_FILE', 'secrets_key'],
      ] as const) {
        t.equal(environment?.[setting], `/run/secrets/${secret}`)
        t.ok(secrets?.includes(secret))
        if (setting === 'SIGNING_KEY_FILE')
          t.ok(secrets?.includes(`${secret}.retired`), 'as rotating it names the file')
      }
    t.end()
  },
)

await t.test('the program runs without privileges: not as root, read-only, no capabilities', (t) => {
  for (const service of ours)
    t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  t.equal(
    dockerfile.findLast((line) => line.startsWith('USER ')),
    'USER node',
  )
  t.ok(
    dockerfile.indexOf('USER node') > dockerfile.findLastIndex((line) => /^(?:COPY|RUN) /.test(line)),
    'copied files belong to another user',
  )
  t.equal(dockerfile.filter((line) => line.startsWith('FROM ')).length, 2)
  t.ok(
    dockerfile.some((line) => line.includes('--omit=optional')),
    'without the embedded database',
  )
  t.end()
})

await t.test('the files that the Dockerfile copies exist and are sent to the builder', (t) => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
  const sources = dockerfile
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1))
  t.ok(sources.length > 4)
  for (const source of sources) t.ok(existsSync(source) && ignored.includes(`!${source}`), source)
  t.end()
})

await t.test('the migrations run once, after the database and before the rest', (t) => {
  const [migrate, ...others] = ours
  t.match(migrate, { restart: 'no', depends_on: { postgres: { condition: 'service_healthy' } } })
  for (const service of others)
    t.match(service, { depends_on: { migrate: { condition: 'service_completed_successfully' } } })
  t.end()
})

await t.test(
  "the SQL in the compose file makes roles and a database that the containers' commands can use",
  async (t) => {
    const suffix = randomBytes(4).toString('hex')
    const statements = compose.configs.roles.content
      .replaceAll(/ledger_(owner|service)/g, (name) => `${name}_${suffix}`)
      .replaceAll('employee_ledger', `employee_ledger_${suffix}`)
    const { superUrl } = testServerUrls()
    const client = new pg.Client({ connectionString: superUrl })
    await client.connect()
    t.teardown(async () => {
      await client.query(`drop database if exists employee_ledger_${suffix} with (force)`)
      for (const role of ['owner', 'service']) await client.query(`drop role if exists ledger_${role}_${suffix}`)
      await client.end()
    })
    for (const statement of statements.split(';').filter((text) => text.trim() !== '')) await client.query(statement)
    const urlOf = (role: string) => {
      const login = {
        username: `ledger_${role}_${suffix}`,
        password: 'local-development',
        pathname: `/employee_ledger_${suffix}`,
      }
      return Object.assign(new URL(superUrl), login).href
    }
    const migrated = await runCommand(t, argumentsOf(compose.services['migrate']!), {
      DATABASE_URL: urlOf('service'),
      MIGRATE_DATABASE_URL: urlOf('owner'),
    })
    t.match(migrated, { exitCode: 0, stdout: /the database is up to date\n$/ })
  },
)

await t.test('every database of the file keeps personal data out of its log, as docs/deployment.md asks', (t) => {
  const [, setting] = /alter database employee_ledger set (\w+ = \w+);/.exec(
    readFileSync('docs/deployment.md', 'utf8'),
  )!
  const servers = Object.entries(compose.services).filter(([, { healthcheck }]) =>
    healthcheck?.test.includes('pg_isready'),
  )
  t.equal(servers.length, 4)
  for (const [name, { command }] of servers) t.ok(command?.includes(setting!.replaceAll(' ', '')), name)
  t.end()
})

await t.test(
  'the API and the worker start like the containers, and their health checks report their state',
  async (t) => {
    const urls = await createEmptyDatabase(t)
    const settings = { DATABASE_URL: urls.serviceUrl, DATA_DIR: makeDataDir(t), METRICS_PORT: '0' }
    t.equal((await runCommand(t, ['migrate'], { ...settings, MIGRATE_DATABASE_URL: urls.ownerUrl })).exitCode, 0)
    const api = await startServer(t, argumentsOf(compose.services['api']!), settings)
    const worker = launch(t, argumentsOf(compose.services['worker']!), settings)
    const ofImage = JSON.parse(
      /CMD (\[.*\])$/.exec(dockerfile.find((line) => line.startsWith('HEALTHCHECK'))!)![1]!,
    ) as string[]
    const metrics = new URL(await worker.prints(/metrics are at (\S+)/))
    const [, ...ofApi] = compose.services['api']!.healthcheck!.test
    t.equal(await isHealthy(t, ofApi, { PORT: new URL(api.address).port }), 0)
    t.equal(await isHealthy(t, ofImage, { METRICS_PORT: metrics.port }), 0)
    await api.end('SIGTERM')
    await worker.end('SIGTERM')
    t.equal(await isHealthy(t, ofApi, { PORT: new URL(api.address).port }), 1)
    t.equal(await isHealthy(t, ofImage, { METRICS_PORT: metrics.port }), 1)
  },
)

await t.test('the commands that the file suggests work', async (t) => {
  const shown = [
    ...readFileSync('docker-compose.yml', 'utf8').matchAll(
      /^# +docker compose run --rm (\w+) node src\/main\.ts (.+)$/gm,
    ),
  ]
  t.ok(shown.length > 0)
  const urls = await createEmptyDatabase(t)
  const settings = { DATABASE_URL: urls.serviceUrl, DATA_DIR: makeDataDir(t) }
  t.equal(
    (
      await runCommand(t, argumentsOf(compose.services['migrate']!), {
        ...settings,
        MIGRATE_DATABASE_URL: urls.ownerUrl,
      })
    ).exitCode,
    0,
  )
  for (const [, name, line] of shown) {
    t.ok(Object.hasOwn(compose.services, name!), name!)
    const { exitCode, stderr } = await runCommand(t, line!.split(' '), settings)
    t.equal(exitCode, 0, `${line}: ${stderr}`)
  }
  const profiles = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/--profile (\w+)/g)].map(
    ([, profile]) => profile!,
  )
  const known = Object.values(compose.services).flatMap((service) => service['profiles'] ?? [])
  t.strictSame(
    profiles.filter((profile) => !known.includes(profile)),
    [],
    'the profiles it names exist',
  )
  const scaled = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/--scale (\w+)=/g)].map(
    ([, service]) => service!,
  )
  t.strictSame(
    scaled.filter((service) => !Object.hasOwn(compose.services, service)),
    [],
  )
})

await t.test('the citus profile has a coordinator and two identical machines, all of them registered', (t) => {
  const machines = Object.entries(compose.services).filter(([, { configs }]) =>
    configs?.some(({ source }) => source === 'citus_extension'),
  )
  t.strictSame(
    machines.map(([name]) => name),
    ['citus', 'citus-worker-1', 'citus-worker-2'],
  )
  for (const [name, service] of machines) {
    t.match(service, { profiles: ['citus'], configs: [{ source: 'roles' }, { source: 'citus_extension' }] })
    t.notOk(service['ports'], 'not reachable from outside')
    t.ok(compose.configs.citus_machines.content.includes(`('${name}'`), `${name} is registered`)
    t.ok(Object.hasOwn(compose.services['citus-machines']!.depends_on!, name), `${name} is waited for`)
  }
  const volumes = machines.flatMap(([, service]) => service.volumes!)
  t.equal(new Set(volumes).size, 3, 'each has its own volume')
  t.end()
})

await t.test("every container's command is one of the program", (t) => {
  const known = buildProgram().commands.map((command) => command.name())
  const cmd = JSON.parse(/^CMD (\[.*\])$/.exec(dockerfile.findLast((line) => line.startsWith('CMD'))!)![1]!) as string[]
  for (const command of [cmd, ...ours.map((service) => service.command!)]) {
    t.strictSame(command.slice(0, 2), ['node', 'src/main.ts'])
    t.ok(known.includes(command[2]!), command[2]!)
  }
  t.end()
})

function argumentsOf({ command }: Service): string[] {
  return command!.slice(2)
}

function environmentOfImage(): Record<string, string> {
  const pairs = dockerfile.filter((line) => line.startsWith('ENV ')).flatMap((line) => line.slice(4).split(' '))
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

/** The exit code of a health check, beside a process that was started with these settings. */
async function isHealthy(
  t: Test,
  [program, ...args]: string[],
  settings: Record<string, string>,
): Promise<number | null> {
  t.equal(program, 'node')
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: settings })
  await once(child, 'exit')
  return child.exitCode
}
