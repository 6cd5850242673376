import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { modeFinding } from '../../src/cli/doctor/check-host.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { EnvironmentSchema, LIMITS, readConfig } from '../../src/config.ts'

/* The Kubernetes manifest, checked without Kubernetes: it agrees with itself, the image and the program. */

interface Probe {
  httpGet: { path: string; port: string }
}

interface Container {
  args: string[]
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
  env?: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  volumeMounts: { name: string; mountPath: string }[]
  [key: string]: unknown
}

interface Pod {
  metadata: { labels: Record<string, string> }
  spec: {
    containers: Container[]
    volumes: { name: string; secret?: { defaultMode: number } }[]
    [key: string]: unknown
  }
}

interface Item {
  kind: string
  metadata: { name: string }
  data: Record<string, string>
  spec: {
    template: Pod
    selector: { matchLabels: Record<string, string> } & Record<string, string>
    ports: { targetPort: string }[]
    ingress: { ports: { port: string }[] }[]
  }
}

const { items } = parse(readFileSync('docs/kubernetes.yaml', 'utf8')) as { items: Item[] }
const find = (kind: string) => items.filter((item) => item.kind === kind)
const [settings] = find('ConfigMap')
const pods = [...find('Job'), ...find('Deployment')].map(({ spec }) => spec.template)
const containers = pods.map((pod) => pod.spec.containers[0]!)
const dockerfile = readFileSync('Dockerfile', 'utf8')

await t.test('it runs the migrations, the API and the workers, with commands of the program', (t) => {
  const known = buildProgram().commands.map((command) => command.name())
  for (const { args } of containers) {
    t.strictSame(args.slice(0, 2), ['node', 'src/main.ts'])
    t.ok(known.includes(args[2]!))
  }
  t.strictSame(
    containers.map(({ args }) => args[2]),
    ['migrate', 'serve', 'work'],
  )
  for (const { spec } of find('Deployment'))
    t.strictSame(spec.selector.matchLabels, spec.template.metadata.labels, 'its pods are its own')
  t.end()
})

await t.test('every variable is a setting of the program, with a valid value', (t) => {
  const secrets = containers.flatMap(({ env = [] }) => env.map(({ name }) => name))
  for (const name of [...Object.keys(settings!.data), ...secrets])
    t.ok(Object.hasOwn(EnvironmentSchema.properties, name), name)
  t.ok(readConfig({ ...settings!.data, DATABASE_URL: 'postgres://service@db.example/employee_ledger' }))
  for (const { args, envFrom, env } of containers) {
    t.equal(envFrom[0]!.configMapRef!.name, settings!.metadata.name)
    const isOwner = envFrom.some(({ secretRef }) => secretRef)
    t.equal(isOwner, args[2] === 'migrate', "the owner's password is the job's alone")
    if (!isOwner) t.equal(env![0]!.name, 'DATABASE_URL')
  }
  t.end()
})

await t.test('the secret has every key file that the processes read', (t) => {
  const given = [...readFileSync('docs/kubernetes.yaml', 'utf8').matchAll(/--from-file=(\S+)/g)].map(([, file]) => file)
  const { SIGNING_KEY_FILE: signing = '', SECRETS_KEY_FILE: secrets = '' } = settings!.data
  t.strictSame(
    [signing, `${signing}.retired`, secrets],
    given.map((file) => `/run/keys/${file}`),
  )
  t.end()
})

await t.test('the image has a tag, and no whole private range may claim addresses', (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  for (const { image } of containers) t.equal(image, `registry.example/employee-ledger:${version}`)
  for (const network of settings!.data['TRUST_PROXY']!.split(',')) t.ok(Number(network.split('/')[1] ?? 32) >= 24)
  t.end()
})

await t.test('ports and probes are those of the image', (t) => {
  const image = Object.fromEntries(
    ['PORT', 'METRICS_PORT', 'HOST', 'METRICS_HOST'].map((name) => [
      name,
      new RegExp(`\\b${name}=(\\S+)`).exec(dockerfile)![1]!,
    ]),
  )
  t.match(settings!.data, image)
  const [, api, worker] = containers
  const ports = Object.fromEntries(api!.ports!.map(({ name, containerPort }) => [name, String(containerPort)]))
  t.strictSame(ports, { http: image['PORT'], metrics: image['METRICS_PORT'] })
  t.strictSame(worker!.ports, [{ name: 'metrics', containerPort: Number(image['METRICS_PORT']) }])
  for (const { startupProbe, livenessProbe } of [api!, worker!])
    for (const probe of [startupProbe, livenessProbe]) t.match(probe, { httpGet: { path: '/livez', port: 'metrics' } })
  t.match(api!.readinessProbe, { httpGet: { path: '/readyz', port: 'http' } })
  t.equal(worker!.readinessProbe, undefined)
  t.strictSame(
    find('Service').flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort)),
    ['http'],
    'the metrics are not in the service',
  )
  const [policy] = find('NetworkPolicy')
  t.strictSame(
    policy!.spec.ingress.map((rule) => rule.ports.map(({ port }) => port)),
    [['http'], ['metrics']],
    'nothing may reach both ports',
  )
  t.match(policy!.spec, { policyTypes: ['Ingress', 'Egress'] }, 'and the program may not reach everything')
  t.end()
})

await t.test('doctor accepts the mode in which the keys are mounted', (t) => {
  // Kubernetes reads numbers as YAML 1.1 does: 0440 is octal.
  const text = readFileSync('docs/kubernetes.yaml', 'utf8')
  const { items: asMounted } = parse(text, { version: '1.1' }) as { items: Item[] }
  const volumes = asMounted.flatMap(({ spec }) => spec?.template?.spec.volumes ?? [])
  const modes = volumes.flatMap(({ secret }) => secret?.defaultMode ?? [])
  t.equal(modes.length, 3)
  for (const mode of modes) t.match(modeFinding('signing key', '/run/keys', { uid: 0, mode }), { level: 'ok' })
  t.end()
})

await t.test('the program runs without privileges, with resources, keys and a folder for checkpoints', (t) => {
  for (const { spec } of pods) {
    const [container] = spec.containers
    t.match(spec, {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    })
    t.match(container, {
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      resources: { requests: { cpu: String, memory: String }, limits: { memory: String } },
    })
    t.strictSame(
      container!.volumeMounts.map(({ name }) => name),
      spec.volumes.map(({ name }) => name),
    )
    const places = container!.volumeMounts.map(({ mountPath }) => mountPath)
    for (const name of ['SIGNING_KEY_FILE', 'SECRETS_KEY_FILE', 'CHECKPOINT_DIR'])
      t.ok(
        places.some((place) => settings!.data[name]!.startsWith(place)),
        name,
      )
  }
  const grace = find('Deployment').map(({ spec }) => Number(spec.template.spec['terminationGracePeriodSeconds']))
  const needed = LIMITS.SHUTDOWN_TIMEOUT_MS / 1_000
  for (const seconds of grace) t.ok(seconds > needed, 'it has time to stop')
  t.end()
})
