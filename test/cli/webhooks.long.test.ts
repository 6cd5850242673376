import t from 'tap'
import type { Environment } from '../support/processes/cli.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const { id: company } = service.company
const ENVIRONMENT: Environment = {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  LOG_LEVEL: 'warn',
  SECRETS_KEY: service.config.SECRETS_KEY!,
}
const URL = ['--url', 'https://example.com/hooks']

interface ShownWebhook {
  webhook_id: string
  status: string
  types: string
  position: number
  secret?: string
}
const run = <Shown = ShownWebhook>(...words: string[]) =>
  runJson<Shown>(t, ['webhook', words[0]!, '--company', company, ...words.slice(1)], ENVIRONMENT)

await t.test('a webhook is created, paused, resumed, rotated and removed', async (t) => {
  const made = await run('create', ...URL, '--types', 'employee.created', 'api_key.issued', '--concurrency', '2')
  t.match(made, { status: 'enabled', types: 'employee.created api_key.issued', secret: /^whsec_/ })
  const of = ['--webhook', made.webhook_id]
  t.match(await service.admin(`/webhooks/${made.webhook_id}`), { body: { concurrency: 2, include_data: false } })
  t.match(await run('pause', ...of), { status: 'paused' })
  t.match(await run('resume', ...of, '--after', '2'), { status: 'enabled', position: 2 })
  t.match(await run('resume', ...of, '--since', '2020-01-01T00:00:00+01:00'), { position: 0 })
  const rotated = await run('rotate', ...of, '--overlap', '60')
  t.match(rotated.secret, /^whsec_/)
  t.not(rotated.secret, made.secret)
  const shown = await run('show', ...of)
  t.notOk('secret' in shown)
  t.strictSame(await run<ShownWebhook[]>('list'), [shown])
  t.match(await run('remove', ...of), { status: 'removed' })
  const gone = await runCommand(t, ['webhook', 'show', '--company', company, ...of], ENVIRONMENT)
  failsWithLine(t, gone, 'employee-ledger: No such webhook exists\n')
})

await t.test('a URL that cannot be used, and a service without a key for secrets, are one-line errors', async (t) => {
  const create = ['webhook', 'create', '--company', company]
  const http = await runCommand(t, [...create, '--url', 'http://example.com'], ENVIRONMENT)
  failsWithLine(t, http, /^employee-ledger: The URL must start with https:\/\/; .*OUTGOING_PRIVATE=1\n$/)
  const keyless = await runCommand(t, [...create, ...URL], { ...ENVIRONMENT, SECRETS_KEY: '' })
  failsWithLine(t, keyless, 'employee-ledger: The operator has not configured a key that protects secrets\n')
})
