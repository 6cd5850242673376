import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { pino } from 'pino'
import t from 'tap'
import { parse } from 'yaml'
import { createMetrics } from '../../src/observe/metrics/metrics.ts'
import { startApi } from '../../src/bootstrap/api.ts'
import { startMetrics } from '../../src/bootstrap/observability.ts'
import { startWorkers } from '../../src/bootstrap/workers.ts'
import { eventually } from '../support/eventually.ts'
import { needs } from '../support/processes/installed.ts'
import { readSamples, valueOf } from '../support/processes/metrics.ts'
import { employee, send, startService } from '../support/service.ts'

/* Alert rules and dashboard: the metrics they use exist, and each alert is explained. */

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string }
}

const { groups } = parse(readFileSync('docs/observe/alerts.yml', 'utf8')) as {
  groups: { name: string; rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(readFileSync('docs/observe/grafana/employee-ledger.json', 'utf8')) as {
  panels: { id: number; title: string; targets: { expr: string; legendFormat: string }[] }[]
}
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
]
/** Labels that Prometheus adds. */
const ADDED_LABELS = ['job', 'instance', 'le']

const service = await startService(t, { SWEEP_INTERVAL_MS: '100', CHECKPOINT_INTERVAL_MS: '100', METRICS_PORT: '0' })
const store = { ...service, close: async () => undefined }
const metrics = createMetrics()
const log = pino({ level: 'silent' })
const workers = await startWorkers({ config: service.config, urls: service.urls, store, log, metrics })
const api = await startApi({ config: service.config, urls: service.urls, store, log, metrics })
const listener = (await startMetrics(service.config, metrics))!
t.teardown(async () => {
  await listener.stop()
  await api.stop()
  await workers.stop()
})
await send(api.address, 'POST', '/v1/employees', { key: service.company.key, body: employee() })
const samples = await eventually('everything measured has happened', async () => {
  const found = await readSamples(listener.url)
  const has = (name: string) =>
    valueOf(found, name, name.startsWith('employee_ledger_projection') ? { projection: 'employees' } : {}) > 0
  return (
    has('employee_ledger_checkpoint_last_success_timestamp_seconds') &&
    has('employee_ledger_projection_batch_duration_seconds_count') &&
    found
  )
})
/** A metric with labels appears after its first event, but is registered from the start. */
const known = (await metrics.registry.getMetricsAsJSON()).map(({ name }) => name)

await t.test('every metric in a rule or panel exists, with the labels it uses', (t) => {
  t.ok(expressions.length > 30)
  for (const expr of expressions) {
    const names = [...new Set([...expr.matchAll(/\b(?:employee_ledger|nodejs|process)_\w+/g)].map(([name]) => name))]
    if (names.length === 0) t.match(expr, /\bup\{/)
    for (const name of names) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '')
      t.ok(known.includes(name) || known.includes(family), `${name} of: ${expr}`)
      const labels = new Set(
        samples.filter((sample) => sample.name === name).flatMap((sample) => Object.keys(sample.labels)),
      )
      if (labels.size === 0) continue
      const asked = [...expr.matchAll(/(\w+)=~?"/g), ...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) =>
        list!.split(', '),
      )
      t.strictSame(
        asked.filter((label) => !labels.has(label) && !ADDED_LABELS.includes(label)),
        [],
        `labels of: ${expr}`,
      )
    }
    t.equal(expr.split('(').length, expr.split(')').length, `brackets of: ${expr}`)
  }
  t.end()
})

await t.test('each alert is a valid rule with a section in the runbook', (t) => {
  const runbook = readFileSync('docs/operations.md', 'utf8')
  t.ok(rules.length > 10)
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, expr, labels, annotations, for: wait = '0m', ...more } of rules) {
    t.match(alert, /^[A-Z]\w+$/)
    t.strictSame(more, {})
    t.match(wait, /^[0-9]+m$/)
    t.ok(expr.length > 0 && annotations.summary.length > 0)
    t.ok(['info', 'warning', 'critical'].includes(labels.severity))
    const section = runbook.split(`\n### ${alert}\n`)[1]?.split('\n#')[0] ?? ''
    for (const part of ['**Means.**', '**Look at.**', '**Do.**']) t.ok(section.includes(part), `${alert}: ${part}`)
  }
  const headed = [
    ...runbook
      .split('\n## Alerts\n')[1]!
      .split('\n## ')[0]!
      .matchAll(/^### (\w+)$/gm),
  ].map(([, name]) => name)
  t.strictSame(
    headed,
    rules.map(({ alert }) => alert),
    'every section of the runbook belongs to an alert',
  )
  t.end()
})

await t.test('for each alert there is a test in which it fires and clears', (t) => {
  const { tests } = parse(readFileSync('docs/observe/alerts-test.yml', 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  t.strictSame(
    tests.flatMap(({ alert_rule_test: looks }) => looks).map((look) => [look.alertname, look.exp_alerts?.length ?? 0]),
    rules.flatMap(({ alert }) => [
      [alert, 1],
      [alert, 0],
    ]),
  )
  t.end()
})

await t.test(
  'Prometheus agrees: each alert fires and clears, and counts a first burst in full',
  needs('promtool'),
  (t) => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'docs/observe/alerts-test.yml'], {
      encoding: 'utf8',
    })
    t.equal(status, 0, `${stdout}${stderr}`)
    t.end()
  },
)

await t.test('the dashboard shows every metric of the service', (t) => {
  const own = known.filter((name) => name.startsWith('employee_ledger_'))
  const shown = [...expressions].join(' ')
  t.strictSame(
    own.filter(
      (name) =>
        !shown.includes(name) &&
        name !== 'employee_ledger_projection_complete' &&
        name !== 'employee_ledger_projection_company_lag_seconds',
    ),
    [],
  )
  t.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  t.end()
})

await t.test("Prometheus scrapes the containers' metrics port", (t) => {
  const { scrape_configs: jobs, rule_files: files } = parse(readFileSync('docs/observe/prometheus.yml', 'utf8')) as {
    scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[]
    rule_files: string[]
  }
  const { services } = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
    services: Record<string, unknown>
  }
  const port = Number(/METRICS_PORT=([0-9]+)/.exec(readFileSync('Dockerfile', 'utf8'))![1])
  for (const { dns_sd_configs: places } of jobs) {
    t.strictSame(
      places.map((place) => place.port),
      [port],
    )
    for (const name of places.flatMap(({ names }) => names)) t.ok(Object.hasOwn(services, name), name)
  }
  const asked = expressions.join(' ')
  for (const [, job] of asked.matchAll(/job="([^"]+)"/g))
    t.ok(
      jobs.some(({ job_name: name }) => name === job),
      job!,
    )
  for (const file of files) t.ok(existsSync(`docs/observe/${file}`))
  t.end()
})
